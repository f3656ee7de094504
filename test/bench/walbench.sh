#!/bin/sh
# walbench.sh: tests of the walbench program as a user runs it, on small sizes.
#
# usage: walbench.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL [SQLITE3.C [WRONG...]]
#
# SHELL is a sqlite3 shell; it reads the JSON and computes from it. With the stock
# amalgamation SQLITE3.C a library that loses data is built, to see it found out.
# WRONG are libraries of wrong builds, each in a folder of its name.
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"
source=${5:+$(absolute "$5")}
zeroed='' savepoint='' # wrong builds: mark-zeroed-page, mark-in-savepoint
for file; do
    case $file in
    */mark-zeroed-page/*) zeroed=$(absolute "$file") ;;
    */mark-in-savepoint/*) savepoint=$(absolute "$file") ;;
    esac
done

# Word splitting is wanted; these paths are ours.
# shellcheck disable=SC2086
small_delete() { run delete --rows 20000 --delete 2000 --dir "$scratch" $arms "$@"; }
# shellcheck disable=SC2086
small_rolling() {
    run rolling --rows 20000 --batch 500 --commits 24 --sample 1 --dir "$scratch" $arms "$@"
}

# --- delete -----------------------------------------------------------------

small_delete --json "$top/d.json" --csv "$top/d.csv" --check
ok $status "delete: runs, and its bounds hold"
clean
ok $? "delete: leaves nothing in the scratch directory"
[ ! -s "$top/err" ]
ok $? "delete: says nothing on stderr when that is no terminal"
grep -q 'not applicable.*E1 stock' "$top/out"
ok $? "delete: bounds of the published size are not applied to another"
is "delete: every line is JSON" \
    "$(query "$top/d.json" "SELECT count(*)>100 AND min(json_valid(j)) FROM lines")" 1
is "delete: every line has what the contract asks for" "$(query "$top/d.json" "
    SELECT count(*) FROM lines WHERE experiment IS NOT 'E1' OR arm IS NULL OR metric IS NULL
        OR j->>'unit' IS NULL OR json_array_length(samples)<1 OR j->>'kernel' IS NULL
        OR p->>'seed' IS NULL
        OR (arm<>'all' AND (j->>'version' IS NULL OR j->>'source_id' IS NULL
            OR json_array_length(j->'compile_options')<3
            OR j->'pragmas'->>'journal_mode' IS NULL))")" 0
is "delete: as many lines in the CSV file, and its heading" \
    "$("$shell" -batch :memory: ".mode csv" ".import '$top/d.csv' c" ".mode list" \
        "SELECT count(*) FROM c WHERE experiment='E1' AND n>=1")" \
    "$(query "$top/d.json" "SELECT count(*) FROM lines")"
figures="CREATE VIEW f AS SELECT arm, metric, samples->>0 AS n, p->>'case_journal_mode' AS journal,
    p->>'case_secure_delete' AS secure, p->>'case_cache' AS cache FROM lines;"
is "delete: stock writes the freed pages, patched does not" "$(query "$top/d.json" "$figures
    SELECT min(a.n>=100), max(b.n)<=10, count(*) FROM f a JOIN f b USING(metric,journal,secure,cache)
    WHERE a.arm='stock' AND b.arm='patched' AND metric='frames' AND secure IN ('off','fast')")" \
    "1|1|6"
is "delete: secure_delete=on writes the same in both" "$(query "$top/d.json" "$figures
    SELECT min(a.n=b.n), count(*) FROM f a JOIN f b USING(metric,journal,secure,cache)
    WHERE a.arm='stock' AND b.arm='patched' AND metric='frames' AND secure='on'")" "1|3"
is "delete: journal_mode=DELETE writes the same in both, to the byte" "$(query "$top/d.json" "$figures
    SELECT min(a.n=b.n), count(*)>=24 FROM f a JOIN f b USING(metric,journal,secure,cache)
    WHERE a.arm='stock' AND b.arm='patched' AND journal='delete'")" "1|1"
is "delete: bytes of the log are a header and whole frames" "$(query "$top/d.json" "$figures
    SELECT min(b.n=32+a.n*(24+4096)), count(*) FROM f a JOIN f b USING(arm,journal,secure,cache)
    WHERE a.metric='frames' AND b.metric='commit.wal.bytes' AND cache<>'50'")" "1|16"
is "delete: bytes of the checkpoint are whole pages" "$(query "$top/d.json" "$figures
    SELECT min(b.n=a.n*4096), count(*) FROM f a JOIN f b USING(arm,journal,secure,cache)
    WHERE a.metric='pages_copied_by_checkpoint' AND b.metric='checkpoint.database.bytes'")" "1|24"
is "delete: the stated cache is the one in use" "$(query "$top/d.json" "
    SELECT count(*) FROM lines WHERE p->>'case_cache'='50'
    AND j->'pragmas'->>'cache_size'<>'50'")" 0

run delete --rows 5000 --delete 500 --dir "$scratch" --lib a="$stock" --lib b="$stock" \
    --json "$top/same.json"
ok $status "delete: one library as two arms"
is "delete: one library as two arms gives equal counts" "$(query "$top/same.json" "$figures
    SELECT min(a.n=b.n), count(*)>100 FROM f a JOIN f b USING(metric,journal,secure,cache)
    WHERE a.arm='a' AND b.arm='b'")" "1|1"
run delete --rows 5000 --delete 500 --seed 1 --dir "$scratch" --lib a="$stock" --lib b="$stock" \
    --json "$top/again.json"
cmp -s "$top/same.json" "$top/again.json"
ok $? "delete: the same seed gives the same file of results"

for size in 512 65536; do
    run delete --rows 3000 --delete 1000 --page-size $size --dir "$scratch" \
        --lib stock="$stock" --lib patched="$patched" --check
    ok $status "delete: page size $size"
done

# A run that claims the published size under false names must fail its bounds.
run delete --rows 200000 --dir "$scratch" --lib stock="$stock" --lib patched="$stock" --check \
    --json "$top/bounds.json"
is "delete: stock in the place of patched fails the bounds" "$status" 1
grep -q '^FAILS .*patched' "$top/out" && [ "$(wc -l <"$top/err")" -eq 1 ]
ok $? "delete: the verdict names them, stderr has one line"
is "delete: failed bounds are in the results" \
    "$(query "$top/bounds.json" "SELECT count(*) FROM lines WHERE j->>'unit'='bound holds'
        AND samples->>0=0")" 3

# --- rolling ----------------------------------------------------------------

small_rolling --index both --order both --json "$top/r.json" --csv "$top/r.csv"
ok $status "rolling: all modes, both orders, with and without index"
clean
ok $? "rolling: leaves nothing in the scratch directory"
is "rolling: every line is JSON" \
    "$(query "$top/r.json" "SELECT count(*)>100 AND min(json_valid(j)) FROM lines")" 1
is "rolling: a sample a commit" "$(query "$top/r.json" "
    SELECT min(json_array_length(samples)), max(json_array_length(samples)), count(*) FROM lines
    WHERE metric IN ('frames','needed','checkpoint_pages')")" "24|24|96"
series="CREATE VIEW f AS SELECT arm, metric, p->>'mode' AS mode, p->>'order' AS o, p->>'index' AS i,
    (SELECT sum(value) FROM json_each(samples)) AS n FROM lines WHERE arm<>'all';"
is "rolling: patched writes no more than stock anywhere" "$(query "$top/r.json" "$series
    SELECT min(b.n<=a.n), count(*) FROM f a JOIN f b USING(metric,mode,o,i)
    WHERE a.arm='stock' AND b.arm='patched' AND metric='frames'")" "1|16"
is "rolling: it saves where pages are freed and stay free" "$(query "$top/r.json" "$series
    SELECT b.n<0.7*a.n FROM f a JOIN f b USING(metric,mode,o,i) WHERE a.arm='stock'
    AND b.arm='patched' AND metric='frames' AND mode='none' AND o='insert-delete' AND i='no'")" 1
is "rolling: with auto_vacuum=full there is nothing to save" "$(query "$top/r.json" "$series
    SELECT min(b.n=a.n) FROM f a JOIN f b USING(metric,mode,o,i) WHERE a.arm='stock'
    AND b.arm='patched' AND metric='frames' AND mode='full'")" 1
is "rolling: needed pages do not depend on the library" "$(query "$top/r.json" "$series
    SELECT max(abs(b.n-a.n)), count(*) FROM f a JOIN f b USING(metric,mode,o,i)
    WHERE a.arm='stock' AND b.arm='patched' AND metric='needed'")" "0|16"
is "rolling: never fewer frames than needed pages" "$(query "$top/r.json" "$series
    SELECT min(a.n>=b.n), count(*) FROM f a JOIN f b USING(arm,mode,o,i)
    WHERE a.metric='frames' AND b.metric='needed'")" "1|32"
is "rolling: patched, mode none, is within 2 % of needed" "$(query "$top/r.json" "$series
    SELECT max(a.n*1.0/b.n)<1.02 FROM f a JOIN f b USING(arm,mode,o,i)
    WHERE a.metric='frames' AND b.metric='needed' AND arm='patched' AND mode='none'")" 1
is "rolling: the log's bytes are whole frames" "$(query "$top/r.json" "
    SELECT count(*), sum(w.value<>32+f.value*4120) FROM lines a JOIN lines b USING(arm, p),
        json_each(a.samples) f, json_each(b.samples) w, json_each(c.samples) r
        JOIN lines c ON c.arm=a.arm AND c.p=a.p AND c.metric='frames_rewritten'
    WHERE a.metric='frames' AND b.metric='wal_bytes' AND f.key=w.key AND f.key=r.key
        AND r.value=0" | sed 's/^[1-9][0-9]*|/many|/')" "many|0"
is "rolling: a VACUUM puts leaves in order" "$(query "$top/r.json" "
    SELECT min(samples->>0)>0.98, count(*) FROM lines WHERE metric='table_next_share'
    AND p->>'mode'='vacuum'")" "1|8"
is "rolling: no free pages after a VACUUM or with auto_vacuum=full" "$(query "$top/r.json" "
    SELECT sum(samples->>0), count(*) FROM lines WHERE metric='free_pages'
    AND p->>'mode' IN ('vacuum','full')")" "0|16"
small_rolling --modes none,full --seeds 1-3 --json "$top/seeds.json"
is "rolling: three seeds, each recorded" "$(query "$top/seeds.json" "
    SELECT count(*), count(DISTINCT p->>'seed'), count(DISTINCT samples) FROM lines
    WHERE metric='frames' AND arm='stock' AND p->>'mode'='none'")" "3|3|3"
small_rolling --modes vacuum --sample 0 --json "$top/vacuum.json"
is "rolling: without samples needed pages are not invented" \
    "$status $(query "$top/vacuum.json" "SELECT count(*) FROM lines WHERE metric='needed'")" "0 0"
small_rolling --modes none --index yes --cache 20 --json "$top/spill.json"
is "rolling: a cache that spills still adds up" \
    "$status $(query "$top/spill.json" "SELECT sum((SELECT sum(value) FROM json_each(samples)))>0
    FROM lines WHERE metric='frames_rewritten'")" "0 1"

for case in "--page-size 512" "--page-size 65536" "--row-least 5000 --row-most 9000" \
    "--secure-delete on" "--batch 20000"; do
    # shellcheck disable=SC2086
    small_rolling --modes none,full $case
    ok $status "rolling: $case"
done

# --- workloads --------------------------------------------------------------

# Word splitting is wanted here, too.
# shellcheck disable=SC2086
small_workloads() {
    run workloads --percent 25 --synchronous off --dir "$scratch" $arms "$@"
}

run workloads --list
is "workloads: all thirteen patterns are listed, and five null controls" "$(awk '
    $2+0 > 0 {seen[$2] = 1} $2 == "null" {null++}
    END {for (i = 1; i <= 13; i++) n += i in seen; print n, null}' "$top/out")" "13 5"
small_workloads --check --json "$top/w.json" --csv "$top/w.csv"
ok $status "workloads: run, and their bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "workloads: nothing is left behind or said on stderr"
is "workloads: each is in the table" "$("$walbench" workloads --list | while read -r name rest; do
    grep -q "^$name .* \(equal\|skipped: \)" "$top/out" || echo "$name $rest"; done)" ""
is "workloads: every line is JSON, and has what the contract asks for" "$(query "$top/w.json" "
    SELECT count(*)>500, min(json_valid(j)), sum(experiment IS NOT 'workloads' OR metric IS NULL
        OR j->>'unit' IS NULL OR json_array_length(samples)<1 OR p->>'seed' IS NULL
        OR (arm<>'all' AND (p->>'workload' IS NULL OR j->>'source_id' IS NULL
            OR j->'pragmas'->>'journal_mode'<>'wal' OR j->'pragmas'->>'temp_store'<>'1')))
    FROM lines")" "1|1|0"
workload="CREATE VIEW f AS SELECT arm, metric, p->>'workload' AS w, key AS k, value AS n
    FROM lines, json_each(samples) WHERE arm<>'all';"
is "workloads: each needed page has a frame" "$(query "$top/w.json" "$workload
    SELECT sum(a.n<>b.n), count(*)>800 FROM f a JOIN f b USING(arm,w,k)
    WHERE a.metric='needed' AND b.metric='frames_needed'")" "0|1"
is "workloads: the frames of a commit are accounted for" "$(query "$top/w.json" "$workload
    SELECT sum(a.n<>b.total), count(*)>800 FROM f a JOIN (SELECT arm, w, k, sum(n) AS total
        FROM f WHERE metric GLOB 'frames_*' AND metric<>'frames_written' GROUP BY arm, w, k) b
    USING(arm,w,k) WHERE metric='frames'")" "0|1"
is "workloads: needed pages do not depend on the library" "$(query "$top/w.json" "$workload
    SELECT sum(a.n<>b.n), count(*)>400 FROM f a JOIN f b USING(metric,w,k)
    WHERE metric='needed' AND a.arm='stock' AND b.arm='patched'")" "0|1"
is "workloads: patched logs no free page that was there before, unless it spills or rolls back" \
    "$(query "$top/w.json" "$workload
    SELECT group_concat(DISTINCT w) FROM f WHERE metric='frames_old_leaf' AND arm='patched' AND n>0
    AND w NOT GLOB 'geometry-*-on' AND w NOT IN ('abort','savepoint-overflow','null-secure-delete')
    ")" ""
is "workloads: with a reader in the way a checkpoint copies only a part" "$(query "$top/w.json" "
    SELECT samples->>0>0, (SELECT sum(value) FROM json_each(samples))=samples->>0 FROM lines
    WHERE metric='checkpoint_pages' AND p->>'workload'='old-reader' AND arm='stock'")" "1|1"
is "workloads: sub-journals are whole records" "$(query "$top/w.json" "
    SELECT sum((SELECT sum(value % (4 + (j->'pragmas'->>'page_size'))) FROM json_each(samples))),
        max(samples->>0)>0 FROM lines WHERE metric='subjournal_bytes'")" "0|1"
run workloads --only queue,null-random-eviction --only trigger-cache --percent 5 --seed 3 \
    --dir "$scratch" --lib a="$stock" --lib b="$stock" --json "$top/w1.json"
ok $status "workloads: one library as two arms"
is "workloads: one library as two arms gives equal counts" "$(query "$top/w1.json" "
    SELECT count(DISTINCT p->>'workload'), min(a.samples=b.samples), count(*)>30
    FROM lines a JOIN (SELECT samples, metric, p AS q FROM lines WHERE arm='b') b
    ON a.metric=b.metric AND a.p=b.q WHERE arm='a'")" "3|1|1"
run workloads --only queue,null-random-eviction --only trigger-cache --percent 5 --seed 3 \
    --dir "$scratch" --lib a="$stock" --lib b="$stock" --json "$top/w2.json"
cmp -s "$top/w1.json" "$top/w2.json"
ok $? "workloads: the same seed gives the same file of results"
run workloads --only geometry --percent 1 --synchronous off --dir "$scratch" --lib a="$stock"
is "workloads: a group is all of its members" "$status $(grep -c '^geometry.*equal' "$top/out")" "0 18"
run workloads --only retention,null-every-second,drop-in-savepoint --percent 25 --check \
    --synchronous off --dir "$scratch" --lib stock="$stock" --lib patched="$stock"
is "workloads: stock in the place of patched fails the bounds" \
    "$status $(grep -c '^FAILS .*waste of patched' "$top/out")" "1 2"
if [ -n "$savepoint" ]; then
    run workloads --only drop-rolled-back --percent 25 --synchronous off --dir "$scratch" \
        --lib stock="$stock" --lib patched="$savepoint" --json "$top/w3.json"
    is "workloads: a wrong build that loses content fails the run" "$status" 1
    grep -q '^walbench: patched, workload drop-rolled-back, seed 1: ' "$top/err" &&
        [ "$(wc -l <"$top/err")" -eq 1 ] && [ ! -e "$top/w3.json" ] && clean
    ok $? "workloads: one line names library, workload and seed; nothing is left"
fi
if [ -n "$zeroed" ]; then
    run workloads --only null-secure-delete --percent 25 --check --synchronous off \
        --dir "$scratch" --lib stock="$stock" --lib patched="$zeroed"
    is "workloads: zeroed pages that are not written fail a null control" \
        "$status $(grep -c '^FAILS .*null-secure-delete' "$top/out")" "1 1"
fi

# The library under test may have FTS5 or not; one that is built here has it.
if [ -n "$source" ]; then
    ${CC:-cc} -O0 -w -fPIC -shared -DSQLITE_ENABLE_FTS5 -I"$(dirname "$source")" \
        -o "$top/fts5.so" "$source" -ldl -lpthread -lm >"$top/out" 2>"$top/err"
    ok $? "workloads: a library with FTS5 builds"
    run workloads --only fts5 --percent 25 --dir "$scratch" --lib a="$top/fts5.so"
    is "workloads: fts5 runs with a library that has it" \
        "$status $(grep -c '^fts5 .*equal' "$top/out")" "0 1"
    if ! "$shell" :memory: "PRAGMA compile_options" | grep -q FTS5; then
        run workloads --only fts5,queue --percent 5 --dir "$scratch" --check \
            --lib a="$top/fts5.so" --lib stock="$stock"
        is "workloads: fts5 is skipped, visibly, if a library lacks it" \
            "$status $(grep -c '^fts5 .*skipped: stock has no FTS5' "$top/out")" "0 1"
    fi
    rm -f "$top/fts5.so"
fi

# --- leak -------------------------------------------------------------------

# shellcheck disable=SC2086
run leak --dir "$scratch" $arms --check --json "$top/l.json" --csv "$top/l.csv"
ok $status "leak: runs, and its bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "leak: nothing is left behind or said on stderr"
left="CREATE VIEW f AS SELECT arm, samples->>0 AS n, p->>'case_journal_mode' AS journal,
    p->>'case_secure_delete' AS secure FROM lines WHERE metric='after.both';"
is "leak: ON leaves nothing, in every arm and mode" "$(query "$top/l.json" "$left
    SELECT sum(n), count(*) FROM f WHERE secure='on'")" "0|4"
is "leak: FAST in patched WAL leaves what it leaves in rollback mode" "$(query "$top/l.json" "$left
    SELECT a.n=b.n AND a.n>2400 FROM f a JOIN f b USING(secure) WHERE secure='fast'
    AND a.arm='patched' AND a.journal='wal' AND b.arm='stock' AND b.journal='delete'")" 1
is "leak: FAST in stock WAL overwrites about half" "$(query "$top/l.json" "$left
    SELECT n BETWEEN 1000 AND 1500 FROM f WHERE secure='fast' AND arm='stock' AND journal='wal'")" 1
is "leak: OFF leaves almost all, the same everywhere" "$(query "$top/l.json" "$left
    SELECT min(n)=max(n), min(n)>2400, count(*) FROM f WHERE secure='off'")" "1|1|4"
if [ -n "$zeroed" ]; then
    run leak --dir "$scratch" --lib stock="$stock" --lib patched="$zeroed" --check
    is "leak: a wrong build that does not write the zeros fails, in both modes" \
        "$status $(grep -c '^FAILS .*patched.*secure_delete=on' "$top/out")" "1 2"
fi
for size in 512 65536; do
    run leak --rows 2000 --delete 600 --page-size $size --row-bytes 32 --dir "$scratch" \
        --lib stock="$stock" --lib patched="$patched" --check
    ok $status "leak: page size $size"
done

# --- an arm that does other work --------------------------------------------

if [ -n "$source" ]; then
    # Loses the last byte of every blob that is bound, in one library of its own.
    sed 's/return bindText(pStmt, i, zData, nData, xDel, 0);/return bindText(pStmt, i, zData, nData>1 ? nData-1 : nData, xDel, 0);/' \
        "$source" >"$top/wrong.c"
    if cmp -s "$source" "$top/wrong.c"; then
        ok 1 "wrong arm: the amalgamation could be made wrong"
    else
        include=$(dirname "$source")
        ${CC:-cc} -O0 -w -fPIC -shared -I"$include" -o "$top/wrong.so" "$top/wrong.c" \
            -ldl -lpthread -lm >"$top/out" 2>"$top/err"
        ok $? "wrong arm: builds"
        run rolling --rows 2000 --batch 100 --commits 5 --modes none --dir "$scratch" \
            --lib stock="$stock" --lib wrong="$top/wrong.so" --json "$top/wrong.json"
        is "wrong arm: other content fails the run" "$status" 1
        grep -q '^walbench: wrong.*wrong content' "$top/err" && [ "$(wc -l <"$top/err")" -eq 1 ]
        ok $? "wrong arm: one line names it"
        [ ! -e "$top/wrong.json" ] && clean
        ok $? "wrong arm: no results, nothing left"
        rm -f "$top/wrong.c" "$top/wrong.so"
    fi
fi

# --- bad input --------------------------------------------------------------

mkdir "$top/readonly"
echo "no library" >"$top/text.so"
touch "$top/exists"
case $walbench in /*) ;; *) walbench=$PWD/$walbench ;; esac
bad "no command" "no command"
bad "unknown command" "unknown command 'frob'" frob
bad "unknown option" "unknown option '--frob'" delete --frob
bad "stray argument" "unexpected argument 'x'" rolling x
bad "option without value" "needs a value" delete --rows
bad "not a number" "not a whole number" delete --rows 10k
bad "out of range" "out of range" delete --rows 1
bad "below zero" "out of range" rolling --commits -5
bad "more deleted than there are" "not less than" delete --rows 10 --delete 10
bad "page size" "power of two" delete --page-size 5000
bad "batch larger than the log" "more than" rolling --rows 10 --batch 11
bad "smallest row larger than the largest" "row-least" rolling --row-least 300
bad "no such mode" "'half'" rolling --modes none,half
bad "empty list of modes" "''" rolling --modes none,
bad "no such order" "none of" rolling --order sideways
bad "seeds" "not a list" rolling --seeds 1,x
bad "cache" "--cache" rolling --cache few
bad "no such workload" "'sideways' is not known" workloads --only queue,sideways
bad "empty list of workloads" "'' is not known" workloads --only queue,
bad "size of workloads" "out of range" workloads --percent 0
bad "leak: more deleted than there are" "not less than" leak --rows 10 --delete 10
bad "leak: rows too small for a mark" "out of range" leak --row-bytes 8
bad "leak: page size" "power of two" leak --page-size 5000
bad "library without a name" "NAME=PATH" delete --lib "$stock"
bad "library without a file" "NAME=PATH" delete --lib stock=
bad "bad name of a library" "is not a name" delete --lib "a b=$stock"
bad "library named twice" "named twice" delete --lib "a=$stock" --lib "a=$stock"
bad "library that is missing" "No such file" delete --lib "a=$top/none.so"
bad "library that is a directory" "not a file" delete --lib "a=$top/empty"
bad "library that is text" "cannot load" delete --lib "a=$top/text.so"
libc=$(ldd "$walbench" | sed -n "s|.*=> *\\(.*libc\\.so[^ ]*\\).*|\\1|p")
bad "library that is not SQLite" "not a usable libsqlite3" delete --lib "a=${libc:-/missing}"
bad "scratch directory that is missing" "No such file" delete --dir "$top/none" $arms
bad "scratch directory that is a file" "not a directory" delete --dir "$top/exists" $arms
bad "not enough space" "the run needs about" rolling --rows 1000000000 --row-most 60000 $arms
bad "JSON file that exists" "exists already" delete --json "$top/exists" $arms
bad "CSV file that exists" "exists already" delete --csv "$top/exists" $arms
bad "JSON file in no directory" "cannot write" delete --json "$top/none/x.json" $arms
bad "JSON file whose name ends in a slash" "no name of a file" delete --json "$top/x/" $arms
bad "JSON and CSV the same" "same file" delete --json "$top/x" --csv "$top/x" $arms
bad "the hidden command by hand" "own use" @arm
[ ! -s "$top/exists" ] && [ ! -e "$top/x" ]
ok $? "bad input: an existing file is as it was"
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$top/readonly"
    bad "scratch directory without permission" "Permission denied" delete --dir "$top/readonly" $arms
    bad "JSON file without permission" "cannot write" delete --json "$top/readonly/x" $arms
fi
if [ -w /dev/full ]; then
    "$walbench" --help >/dev/full 2>"$top/err"
    is "bad output: a full device is noticed" "$?" 2
fi
(cd "$top/empty" && LD_PRELOAD="$stock" "$walbench" delete --lib "a=$patched" --dir "$scratch") \
    >"$top/out" 2>"$top/err"
status=$?
# A sanitizer's run-time library insists on being first; then the program does not start.
if ! grep -q 'runtime does not come first' "$top/err"; then
    [ $status -eq 2 ] && grep -q 'in the way' "$top/err" && clean
    ok $? "bad surroundings: a preloaded SQLite is noticed"
fi

# --- help -------------------------------------------------------------------

run --help
commands=$(sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' "$top/out" | grep -v '^walbench$')
[ $status -eq 0 ] && [ "$(echo "$commands" | wc -l)" -ge 13 ]
ok $? "help: commands"
for command in $commands; do
    run "$command" --help
    options=$(grep -c '^  --' "$top/out")
    defaults=$(grep -c '^        Default: ' "$top/out")
    # Every option but --help has a default.
    [ $status -eq 0 ] && [ "$options" -ge 3 ] && [ "$options" -eq $((defaults + 1)) ] &&
        [ "$(awk 'length > 100' "$top/out" | wc -l)" -eq 0 ]
    ok $? "help: every option of $command with its default"
done

# --- signals ----------------------------------------------------------------

# A background job of this shell ignores SIGINT unless told otherwise.
for signal in INT:2 TERM:15 HUP:1; do
    number=${signal#*:} signal=${signal%:*}
    # shellcheck disable=SC2086
    env --default-signal=$signal "$walbench" rolling --rows 100000 --commits 5000 \
        --dir "$scratch" --json "$top/signal.json" $arms >"$top/out" 2>"$top/err" &
    pid=$!
    tries=0 # until an arm is at work: its log is there
    while [ -z "$(find "$scratch" -name '*-wal' 2>/dev/null)" ] && [ $tries -lt 600 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    children=$(grep -l "^PPid:[[:space:]]*$pid\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3)
    kill -$signal $pid
    wait $pid 2>/dev/null
    status=$?
    is "signal: SIG$signal is what it ends by" "$status" $((128 + number))
    clean && [ ! -e "$top/signal.json" ] && [ -z "$(ls "$top"/signal.json* 2>/dev/null)" ]
    ok $? "signal: SIG$signal leaves no file"
    alive=
    for child in $children; do
        kill -0 "$child" 2>/dev/null && alive="$alive $child"
    done
    [ -n "$children" ] && [ -z "$alive" ]
    ok $? "signal: SIG$signal leaves no process"
done

# --- a reader that goes away ---------------------------------------------------

# The output goes to a pipe whose reader has ended: false ends at once, the run later.
{
    "$walbench" delete --rows 5000 --delete 100 --dir "$scratch" --lib "a=$stock" 2>"$top/err"
    echo $? >"$top/status"
} | false
is "pipe: a closed output is a failure" "$(cat "$top/status")" 2
clean
ok $? "pipe: a closed output leaves nothing behind"

# --- symbols ----------------------------------------------------------------

if command -v nm >/dev/null 2>&1; then
    nm -D --defined-only "$walbench" >"$top/out" 2>"$top/err"
    [ "$(grep -c 'sqlite3_' "$top/out")" -eq 0 ] && [ "$(nm -D "$stock" | grep -c ' sqlite3_')" -gt 100 ]
    ok $? "symbols: the program exports none of its own SQLite"
fi

finish
