#!/bin/sh
# timed.sh: tests of `walbench throughput`, `checkpoint` and `contention` as a user runs
# them, on small sizes. No time is held against anything.
#
# usage: timed.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# Builds two libraries of its own, from the sqlite3.c that lies beside the stock library.
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# Word splitting is wanted in these; the paths are ours.
# shellcheck disable=SC2086
throughput() { run throughput --dir "$scratch" $arms "$@"; }
# shellcheck disable=SC2086
checkpoint() { run checkpoint --dir "$scratch" $arms "$@"; }
# shellcheck disable=SC2086
contention() { run contention --dir "$scratch" $arms "$@"; }

whole() { # JSON EXPERIMENT: has every line what the contract asks for?
    query "$1" "SELECT count(*)>0, min(json_valid(j)), sum(experiment IS NOT '$2'
        OR metric IS NULL OR j->>'unit' IS NULL OR json_array_length(samples)<1
        OR p->>'seed' IS NULL OR (arm<>'all' AND (j->>'source_id' IS NULL
            OR json_array_length(j->'compile_options')<3
            OR j->'pragmas'->>'journal_mode' IS NOT coalesce(p->>'case_journal_mode','wal')
            OR j->'pragmas'->>'synchronous' IS NULL))) FROM lines"
}

# Wrong libraries, built while the first tests run: one loses the last letter of long
# texts, the other is compiled for one thread.
source=$(dirname "$stock")/sqlite3.c
sed 's/return bindText(pStmt, i, zData, nData, xDel, SQLITE_UTF8);/return bindText(pStmt, i, zData, nData>40 ? nData-1 : nData, xDel, SQLITE_UTF8);/
s/return bindText(pStmt, i, zData, nData, xDel, 0);/return bindText(pStmt, i, zData, nData>40 ? nData-1 : nData, xDel, 0);/' \
    "$source" >"$top/wrong.c"
include=$(dirname "$source")
${CC:-cc} -O0 -w -fPIC -shared -DSQLITE_THREADSAFE=1 -I"$include" -o "$top/wrong.so" \
    "$top/wrong.c" -ldl -lpthread -lm >"$top/wrong.log" 2>&1 &
wrong=$!
${CC:-cc} -O0 -w -fPIC -shared -DSQLITE_THREADSAFE=0 -I"$include" -o "$top/single.so" \
    "$source" -ldl -lm >"$top/single.log" 2>&1 &
single=$!

# --- throughput --------------------------------------------------------------

throughput --preset matrix --rows-per-commit 1,8 --inserts 20 --updates 6 --trials 2 --check --every-commit \
    --json "$top/t.json" --csv "$top/t.csv"
ok "$status" "throughput: every journal mode and synchronous runs, and the bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "throughput: nothing is left behind or said on stderr"
is "throughput: every line is JSON, and has what the contract asks for" \
    "$(whole "$top/t.json" E4)" "1|1|0"
cases="CREATE TABLE f AS SELECT arm, metric, samples, j->'pragmas' AS pragmas,
    p->>'case_journal_mode' AS journal, p->>'case_synchronous' AS sync,
    p->>'case_rows_per_commit' AS rows, samples->>0 AS n FROM lines WHERE arm<>'all';"
is "throughput: five journal modes, four synchronous, two sizes of a commit, two libraries" \
    "$(query "$top/t.json" "$cases SELECT count(*), count(DISTINCT journal||sync||rows||arm),
    min(json_array_length(samples)=2) FROM f WHERE metric='insert.batch'")" "80|80|1"
is "throughput: synchronous is the one of the case" "$(query "$top/t.json" "$cases
    SELECT count(*)>0, sum(pragmas->>'synchronous'<>CASE sync WHEN 'off' THEN '0' WHEN 'normal'
        THEN '1' WHEN 'full' THEN '2' ELSE '3' END) FROM f")" "1|0"
is "throughput: a rate is the rows over the batch" "$(query "$top/t.json" "$cases
    SELECT count(*), max(abs(a.n*b.n-iif(a.metric GLOB 'insert*',20,6)))<0.01
    FROM f a JOIN f b USING(arm,journal,sync,rows)
    WHERE (a.metric='insert.batch' AND b.metric='insert.rate')
       OR (a.metric='update.batch' AND b.metric='update.rate')")" "160|1"
is "throughput: percentiles are in order, and the commits make the batch" \
    "$(query "$top/t.json" "$cases
    SELECT count(*), min(a.n<=b.n AND b.n<=c.n), min(c.n<=d.n*1e6)
    FROM f a JOIN f b USING(arm,journal,sync,rows) JOIN f c USING(arm,journal,sync,rows)
        JOIN f d USING(arm,journal,sync,rows)
    WHERE a.metric='insert.commit.p50' AND b.metric='insert.commit.p95'
        AND c.metric='insert.commit.p99' AND d.metric='insert.batch'")" "80|1|1"
is "throughput: the histogram has every commit of every trial, and so have the samples" \
    "$(query "$top/t.json" "$cases
    SELECT DISTINCT rows, metric, iif(metric='insert.commit', json_array_length(samples),
        (SELECT sum(value) FROM json_each(samples)))
    FROM f WHERE metric IN ('insert.commit.histogram','insert.commit') ORDER BY 1, 2" |
        tr '\n' ' ')" \
    "1|insert.commit|40 1|insert.commit.histogram|40 8|insert.commit|6 8|insert.commit.histogram|6 "
syncs() { # JOURNAL SYNCHRONOUS: of 20 inserts, one a commit: journal, database, log
    query "$top/t.json" "$cases SELECT group_concat(DISTINCT total) FROM (SELECT arm,
        sum(iif(metric GLOB '*.journal.*',n,0))||' '||sum(iif(metric GLOB '*.database.*',n,0))
        ||' '||sum(iif(metric GLOB '*.wal.*',n,0)) AS total FROM f WHERE journal='$1'
        AND sync='$2' AND rows=1 AND metric GLOB 'insert.*.syncs' GROUP BY arm)"
}
is "throughput: syncs of DELETE, by synchronous, in both libraries" \
    "$(syncs delete off), $(syncs delete normal), $(syncs delete full), $(syncs delete extra)" \
    "0 0 0, 20 20 0, 40 20 0, 40 20 0"
is "throughput: syncs of WAL" \
    "$(syncs wal off), $(syncs wal normal), $(syncs wal full), $(syncs wal extra)" \
    "0 0 0, 0 0 0, 0 0 20, 0 0 20"
is "throughput: both libraries write the same bytes" "$(query "$top/t.json" "$cases
    SELECT count(*), min(a.samples=b.samples) FROM f a JOIN f b USING(metric,journal,sync,rows)
    WHERE a.arm='stock' AND b.arm='patched' AND metric GLOB '*.bytes'")" "240|1"
is "throughput: what is there at the end is what the journal mode leaves" \
    "$(query "$top/t.json" "$cases
    SELECT group_concat(word, ' ') FROM (SELECT DISTINCT journal||':'||metric AS word FROM f
    WHERE metric GLOB 'size.*' AND metric<>'size.database' AND n>0 ORDER BY 1)")" \
    "persist:size.journal wal:size.shm wal:size.wal"
is "throughput: -shm has 32 KiB" "$(query "$top/t.json" "$cases
    SELECT DISTINCT n FROM f WHERE metric='size.shm' AND journal='wal'")" 32768
is "throughput: WAL over DELETE is that of the rates, trial by trial" \
    "$(query "$top/t.json" "$cases
    SELECT count(*), max(abs(r.n*d.n/w.n-1))<1e-6 FROM f r JOIN f w USING(arm,sync,rows)
        JOIN f d USING(arm,sync,rows) WHERE r.metric='insert.rate.ratio_to_delete'
        AND w.metric='insert.rate' AND w.journal='wal'
        AND d.metric='insert.rate' AND d.journal='delete'")" "16|1"

throughput --preset b --trials 1 --json "$top/b.json" --check
ok "$status" "throughput: the published arm B, one trial"
is "throughput: its cases, rows, and figures beside ours" "$(query "$top/b.json" "$cases
    SELECT group_concat(word, ' ') FROM (SELECT journal||':'||sync||':'||rows||':'||
    coalesce((SELECT j->>'published' FROM lines l WHERE l.arm='patched'
        AND l.metric='insert.rate' AND l.p->>'case_journal_mode'=journal
        AND l.p->>'case_synchronous'=sync), '-') AS word
    FROM f WHERE arm='patched' AND metric='insert.rate')")" \
    "delete:full:50:about 74,000/s (SQLite 3.46.1) wal:full:50:about 159,000/s (SQLite 3.46.1) wal:normal:50:- off:off:50:-"
is "throughput: 5,000 inserts make 100 commits, 2,000 updates 40" "$(query "$top/b.json" "$cases
    SELECT metric, group_concat(DISTINCT (SELECT sum(value) FROM json_each(samples))) FROM f
    WHERE metric GLOB '*.histogram' GROUP BY metric" | tr '\n' ' ')" \
    "insert.commit.histogram|100 update.commit.histogram|40 "
grep -q '^inserts  full  50 .*about 2.1' "$top/out"
ok $? "throughput: the published ratio stands beside ours"
throughput --preset e6 --inserts 20 --trials 1 --json "$top/e6.json"
is "throughput: e6 has no updates, its own table, and no figures for another size" \
    "$status $(query "$top/e6.json" "SELECT count(DISTINCT p->>'case_journal_mode'||(p->>'case_synchronous')),
    sum(metric GLOB 'update*'), sum(j->>'published' IS NOT NULL), min(p->>'value_bytes'),
    min(experiment) FROM lines")" "0 4|0|0|100|E6"
throughput --preset a --synchronous off --inserts 20 --updates 5 --trials 1 --json "$top/a.json"
is "throughput: an option changes what it names, and leaves the rest of the preset" \
    "$status $(query "$top/a.json" "$cases SELECT group_concat(journal||':'||sync, ' ') FROM f
    WHERE arm='stock' AND metric='insert.rate'")" "0 delete:off wal:off off:off"
for case in "--page-size 512" "--page-size 65536" "--value-bytes 9000" "--seed 7" \
    "--rows-per-commit 7"; do
    # shellcheck disable=SC2086
    throughput --inserts 30 --updates 10 --trials 1 --synchronous off --journal-modes all $case
    ok "$status" "throughput: $case"
done

# --- checkpoint --------------------------------------------------------------

checkpoint --inserts 2000 --rows 20000 --delete 15000 --trials 2 --check \
    --json "$top/c.json" --csv "$top/c.csv"
ok "$status" "checkpoint: every mode runs, and the bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "checkpoint: nothing is left behind or said on stderr"
is "checkpoint: every line is JSON, and has what the contract asks for" \
    "$(whole "$top/c.json" E4)" "1|1|0"
modes="CREATE TABLE f AS SELECT arm, metric, samples, p->>'case_log_of' AS part,
    p->>'case_checkpoint' AS mode, samples->>0 AS n FROM lines WHERE arm<>'all';
    CREATE TABLE g AS SELECT arm, part, mode, max(iif(metric='frames',n,0)) AS frames,
    max(iif(metric='said_log',n,0)) AS log, max(iif(metric='said_copied',n,0)) AS copied,
    max(iif(metric='pages_copied',n,0)) AS pages, max(iif(metric='wal_before',n,0)) AS before,
    max(iif(metric='wal_after',n,0)) AS after, max(iif(metric='time',n,0)) AS time
    FROM f GROUP BY arm, part, mode;"
is "checkpoint: what it answers is the frames of the log, and nothing after a truncation" \
    "$(query "$top/c.json" "$modes SELECT count(*), sum(frames=0 OR time<=0),
    sum(log<>iif(mode GLOB 'truncate*',0,frames) OR copied<>log) FROM g")" "24|0|0"
is "checkpoint: a log is as long as its frames, until it is truncated" \
    "$(query "$top/c.json" "$modes SELECT sum(before<>32+frames*4120),
    sum(after<>iif(mode GLOB 'truncate*',0,before)) FROM g")" "0|0"
is "checkpoint: pages are copied, except by the second of two" "$(query "$top/c.json" "$modes
    SELECT group_concat(DISTINCT iif(pages=0,mode,NULL)), max(pages<=frames) FROM g")" \
    "truncate, 2nd of 2|1"
is "checkpoint: the log of inserts is the same in both" "$(query "$top/c.json" "$modes
    SELECT count(*), sum(a.frames<>b.frames OR a.pages<>b.pages) FROM g a JOIN g b
    USING(part,mode) WHERE a.arm='stock' AND b.arm='patched' AND part='inserts'")" "6|0"
is "checkpoint: of the DELETE patched has next to nothing to copy" "$(query "$top/c.json" "$modes
    SELECT count(*), min(a.frames)>100, max(b.frames)<=20, max(b.pages)<=20 FROM g a JOIN g b
    USING(part,mode) WHERE a.arm='stock' AND b.arm='patched' AND part='delete'")" "6|1|1|1"
checkpoint --log-of inserts --modes passive-truncate --trials 1 --check --json "$top/992.json"
is "checkpoint: the published log has the published frames" "$status $(query "$top/992.json" "$modes
    SELECT group_concat(frames||' '||log||' '||copied||' '||(pages>0), ', ') FROM g")" \
    "0 992 992 992 1, 992 0 0 0, 992 992 992 1, 992 0 0 0"
checkpoint --inserts 500 --log-of inserts --modes passive --trials 1 --autocheckpoint 1 \
    --json "$top/auto.json"
[ "$status" -eq 1 ] && grep -q 'copied nothing' "$top/err" && [ "$(wc -l <"$top/err")" -eq 1 ] &&
    [ ! -e "$top/auto.json" ] && clean
ok $? "checkpoint: a log that is in the database already is not timed"
run checkpoint --log-of delete --modes passive --trials 1 --synchronous off --check \
    --dir "$scratch" --lib stock="$stock" --lib patched="$stock"
is "checkpoint: stock in the place of patched fails its bound" \
    "$status $(grep -c '^FAILS .*patched, log of a DELETE' "$top/out")" "1 1"
for case in "--page-size 512" "--page-size 65536" "--synchronous normal" "--rows-per-commit 1"; do
    # shellcheck disable=SC2086
    checkpoint --inserts 200 --rows 3000 --delete 2000 --trials 1 --modes passive,truncate $case
    ok "$status" "checkpoint: $case"
done

# --- contention --------------------------------------------------------------

contention --seconds 1 --runs 1 --check --json "$top/x.json" --csv "$top/x.csv"
ok "$status" "contention: a writer and a reader, and the bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "contention: nothing is left behind or said on stderr"
is "contention: every line is JSON, and has what the contract asks for" \
    "$(whole "$top/x.json" E6)" "1|1|0"
crews="CREATE TABLE f AS SELECT arm, metric, samples->>0 AS n, j->'pragmas' AS pragmas,
    p->>'case_journal_mode' AS journal, p->>'case_busy_timeout' AS timeout
    FROM lines WHERE arm<>'all';"
is "contention: two journal modes, two timeouts, each the one that is set" \
    "$(query "$top/x.json" "$crews SELECT count(DISTINCT arm||journal||timeout),
    sum(pragmas->>'busy_timeout'<>timeout||'' OR pragmas->>'synchronous'<>'2') FROM f")" "8|0"
# Without a timeout a writer can meet the lock of a checkpoint, now and then.
is "contention: in WAL mode both get on, and with a timeout neither finds it locked" \
    "$(query "$top/x.json" "$crews SELECT min(iif(metric IN ('writes','reads'),n,1))>0,
    sum(iif(metric GLOB '*_busy' AND timeout>0,n,0)) FROM f WHERE journal='wal'")" "1|0"
is "contention: with no timeout in DELETE mode somebody does" "$(query "$top/x.json" "$crews
    SELECT count(*), min(busy)>0 FROM (SELECT sum(n) AS busy FROM f WHERE journal='delete'
    AND timeout=0 AND metric GLOB '*_busy' GROUP BY arm)")" "2|1"
is "contention: percentiles are in order, and no write is longer than the run" \
    "$(query "$top/x.json" "$crews SELECT count(*), min(a.n<=b.n AND b.n<=c.n AND c.n<=e.n*1e6)
    FROM f a JOIN f b USING(arm,journal,timeout) JOIN f c USING(arm,journal,timeout)
        JOIN f e USING(arm,journal,timeout) WHERE a.metric='write.p50'
        AND b.metric='write.p95' AND c.metric='write.p99' AND e.metric='elapsed'")" "8|1"
contention --seconds 1 --runs 1 --writers 2 --readers 8 --busy-timeout 0,5000 --journal-modes wal \
    --json "$top/y.json"
is "contention: two writers and eight readers; with a timeout no reader finds it locked" \
    "$status $(query "$top/y.json" "$crews SELECT sum(iif(metric='reads_busy' AND timeout>0,n,0)),
    min(iif(metric='reads',n,1))>0 FROM f")" "0 0|1"
contention --seconds 1 --runs 1 --readers 0 --journal-modes all --busy-timeout 0 --check \
    --synchronous off --page-size 512 --json "$top/z.json"
is "contention: a writer alone is never locked out, in any journal mode" \
    "$status $(query "$top/z.json" "$crews SELECT count(DISTINCT journal),
    sum(iif(metric='writes_busy',n,0)), min(iif(metric='writes',n,1))>0 FROM f")" "0 4|0|1"
# shellcheck disable=SC2086
"$walbench" contention --seconds 30 --dir "$scratch" $arms --json "$top/never.json" \
    >"$top/out" 2>"$top/err" </dev/null &
long=$!
sleep 1
kill -TERM $long
wait $long 2>"$top/wait"
[ $? -gt 128 ] && grep -q interrupted "$top/err" && [ ! -e "$top/never.json" ] && clean
ok $? "contention: a signal ends it, with nothing left behind"

# --- wrong libraries ---------------------------------------------------------

wait $wrong && ! cmp -s "$source" "$top/wrong.c"
ok $? "wrong libraries: one that loses a letter builds"
wait $single
ok $? "wrong libraries: one for a single thread builds"
lib="--lib stock=$stock --lib wrong=$top/wrong.so"
fails() { # NAME WORD: status 1, one line with WORD, nothing left
    [ "$status" -eq 1 ] && [ "$(wc -l <"$top/err")" -eq 1 ] && grep -q -e "$2" "$top/err" &&
        [ ! -e "$top/wrong.json" ] && clean
    ok $? "wrong libraries: $1"
}
# shellcheck disable=SC2086
run throughput --inserts 20 --updates 5 --trials 1 --dir "$scratch" $lib --json "$top/wrong.json"
fails "throughput finds other content" '^walbench: wrong, .*wrong content'
# shellcheck disable=SC2086
run checkpoint --inserts 200 --trials 1 --dir "$scratch" $lib --json "$top/wrong.json"
fails "checkpoint finds other content" '^walbench: wrong, .*wrong content'
# shellcheck disable=SC2086
run contention --seconds 1 --runs 1 --dir "$scratch" $lib --json "$top/wrong.json"
fails "a reader finds other content" 'a reader found row [0-9]* to be wrong'
# shellcheck disable=SC2086
run contention --seconds 1 --runs 1 --readers 0 --journal-modes wal --dir "$scratch" $lib \
    --json "$top/wrong.json"
fails "contention finds other content at the end" 'wrong, .*row 1 is not one that was written'
bad "contention with a library for one thread" "'single' is compiled for one thread" \
    contention --dir "$scratch" --lib single="$top/single.so"

# --- bad input ---------------------------------------------------------------

for command in throughput checkpoint contention; do
    run $command --help
    [ "$status" -eq 0 ] && grep -q '^  --seed N' "$top/out" && [ ! -s "$top/err" ]
    ok $? "$command: its help"
    bad "$command: unknown option" "unknown option '--frob'" $command --frob
    bad "$command: page size" "power of two" $command --page-size 5000
    bad "$command: result file exists" "exists" $command --json "$top/wrong.c"
    bad "$command: no library" "no-such" $command --lib a="$top/no-such.so"
done
bad "throughput: preset" "none of" throughput --preset c
bad "throughput: journal mode" "'memory' is not known" throughput --journal-modes wal,memory
bad "throughput: synchronous" "'2' is not known" throughput --synchronous 2
bad "throughput: rows in a commit" "out of range" throughput --rows-per-commit 0
bad "throughput: more updates than rows" "more than" throughput --inserts 5 --updates 6
bad "throughput: no trials" "out of range" throughput --trials 0
bad "checkpoint: mode" "'noop' is not known" checkpoint --modes noop
bad "checkpoint: more deleted than there are" "not less than" checkpoint --rows 9 --delete 9
bad "contention: nobody" "nobody" contention --writers 0 --readers 0
bad "contention: timeout" "out of range" contention --busy-timeout 0,-1
bad "contention: journal mode" "'off' is not known" contention --journal-modes off

finish
