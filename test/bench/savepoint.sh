#!/bin/sh
# savepoint.sh: tests of `walbench savepoint` as a user runs it, on small sizes. No time is
# held against anything.
#
# usage: savepoint.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# Where a library of the arm subjournal or full lies beside the patched one, its bounds
# are tested as well; else that test is skipped.
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# Word splitting is wanted; these paths are ours.
# shellcheck disable=SC2086
savepoint() {
    run savepoint --dir "$scratch" --rows 3000 --depths 1,3 --rolled-back 0,1,5 --pages 1,8 \
        --cache 20 --transactions 150 --megabytes 3 --synchronous off $arms "$@"
}

# --- What it counts -------------------------------------------------------------

savepoint --trials 2 --check --json "$top/s.json" --csv "$top/s.csv"
ok "$status" "runs, and its bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "nothing is left behind or said on stderr"
is "every line is JSON, and has what the contract asks for" "$(query "$top/s.json" "
    SELECT count(*)>100, min(json_valid(j)), sum(experiment IS NOT 'savepoint' OR metric IS NULL
        OR j->>'unit' IS NULL OR json_array_length(samples)<1 OR p->>'seed' IS NULL
        OR (arm<>'all' AND (p->>'case_kind' IS NULL OR j->>'source_id' IS NULL
        OR j->'pragmas'->>'journal_mode' IS NOT 'wal'))) FROM lines")" "1|1|0"
cases="CREATE TABLE f AS SELECT arm, metric, samples->>0 AS n, json_array_length(samples) AS trials,
        p->>'case_kind' AS kind, p->>'case_depth' AS depth, p->>'case_rolled_back' AS undone,
        p->>'case_pages' AS pages, j->'pragmas' AS pragmas FROM lines WHERE arm<>'all';
    CREATE TABLE g AS SELECT arm, kind, depth, undone, pages, max(iif(metric='needed',n,0)) AS needed,
        max(iif(metric='frames',n,0)) AS frames, max(iif(metric='frames_written',n,0)) AS written,
        max(iif(metric='database_bytes',n,0)) AS database, max(iif(metric='log_bytes',n,0)) AS log,
        max(iif(metric='subjournal_bytes',n,0)) AS sub, max(iif(metric='temp_bytes',n,0)) AS temp,
        max(iif(metric='frames_unchanged',n,0)) AS unchanged FROM f
        WHERE metric NOT GLOB '*.*' GROUP BY 1, 2, 3, 4, 5;"
is "five kinds, and twelve cases of nested and of spilled" "$(query "$top/s.json" "$cases
    SELECT group_concat(n||' '||kind, ', ') FROM (SELECT kind, count(*) AS n FROM g
    WHERE arm='stock' GROUP BY kind)")" "1 many, 1 many-small, 12 nested, 12 spilled, 1 update"
is "a sample a trial, a ratio for all but the first" "$(query "$top/s.json" "$cases
    SELECT min(trials), max(trials), sum(metric='statements'), sum(metric='commit'),
        sum(metric='statements.ratio'), sum(metric='commit.ratio'), min(n>0) FROM f
    WHERE metric GLOB 'statements*' OR metric IN ('commit','commit.ratio')")" "2|2|54|54|27|27|1"
is "sub-journals in files are for the counts alone" "$(query "$top/s.json" "$cases
    SELECT group_concat(DISTINCT iif(metric='statements','timed ','counted ')||(pragmas->>'temp_store'))
    FROM f WHERE metric IN ('statements','frames')")" "counted 1,timed 0"

# The pages of a case: five chains of savepoints, and the one that all of them change.
all="(5*depth*pages+1)"
is "stock copies every page once, and that of all savepoints for each" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(sub<>4100*(5*depth*pages+5*depth)) FROM g
    WHERE arm='stock' AND kind='nested'")" "12|0"
is "needed: what the chains that stand have changed" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(needed<>(5-undone)*depth*pages+(undone<5)) FROM g
    WHERE kind='nested' AND arm='stock'")" "12|0"
is "stock has a frame of every page, also of those that were restored" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(frames<>$all OR unchanged<>frames-needed) FROM g
    WHERE arm='stock' AND kind='nested'")" "12|0"
is "bytes are those of the frames, and of the pages in the database" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(log<frames*4120 OR log>frames*4120+64 OR database<>frames*4096
        OR temp<>0 OR written<>frames) FROM g WHERE kind IN ('nested','update')")" "26|0"
is "an UPDATE that may fail copies its pages to the sub-journal, once each" \
    "$(query "$top/s.json" "$cases SELECT count(*), sum(frames<100 OR frames<>needed OR
        sub<frames*4100-4100 OR sub>frames*4100+4100) FROM g
        WHERE kind='update' AND arm='stock'")" "1|0"
is "spilled writes frames twice, and copies again what it spills" "$(query "$top/s.json" "$cases
    SELECT count(*), min(b.written>b.frames AND b.sub>a.sub) FROM g a
    JOIN g b USING(arm,depth,undone,pages) WHERE a.kind='nested' AND b.kind='spilled'
    AND depth=3 AND pages=8 AND arm='stock'")" "3|1"
is "many: a copy and a frame of each transaction, needed are those that stand" \
    "$(query "$top/s.json" "$cases SELECT count(*), sum(frames<>150 OR sub<>150*4100),
        min(needed)>40, max(needed)<110, count(DISTINCT needed) FROM g
        WHERE kind GLOB 'many*' AND arm='stock'")" "2|0|1|1|1"
is "patched copies as much as stock" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(a.sub<>b.sub) FROM g a JOIN g b USING(kind) WHERE a.arm='stock' AND
    b.arm='patched' AND a.depth IS b.depth AND a.undone IS b.undone AND a.pages IS b.pages")" "27|0"
is "the sums over all cases are those of the VFS" "$(query "$top/s.json" "$cases
    SELECT count(*), sum(s<>(SELECT sum(n) FROM f x WHERE x.arm=t.arm AND x.kind=t.kind AND
        metric IN ('commit.subjournal.bytes','commit.wal.bytes','checkpoint.database.bytes')))
    FROM (SELECT arm, kind, sum(sub+log+database) AS s FROM g GROUP BY arm, kind) t")" "10|0"
is "the table shows each library in each kind, and the cases" \
    "$(grep -c '^\(update\|nested\|many-small\|many\|spilled\)  *stock ' "$top/out") $(grep -c \
        '^ *[13]  *[015]/5 ' "$top/out")" "5 24"
is "as many lines in the CSV file" "$(($(wc -l <"$top/s.csv") - 1))" "$(wc -l <"$top/s.json")"

# --- Options ---------------------------------------------------------------------

savepoint --only nested,update --trials 0 --depths 2 --pages 3 --rolled-back 2 --json "$top/o.json"
is "--only, one case, no times" "$status $(query "$top/o.json" "$cases
    SELECT group_concat(kind||' '||frames||' '||needed, ', ') FROM g WHERE arm='stock'
    AND (kind='update')=(depth IS NULL) AND kind='nested'
    UNION ALL SELECT sum(metric IN ('statements','commit')) FROM f")" "0 nested 31 19
0"
savepoint --only many --trials 0 --full --json "$top/f.json"
is "--full leaves what is said otherwise" "$status $(query "$top/f.json" "
    SELECT DISTINCT p->>'transactions', p->>'megabytes' FROM lines")" "0 150|3"
savepoint --only many --trials 0 --transactions 2500 --json "$top/m.json"
is "many: the log is checkpointed after 1000 transactions" "$status $(query "$top/m.json" "$cases
    SELECT count(*), min(frames), max(frames), min(written) FROM g")" "0 4|2500|2500|2500"
savepoint --only many --trials 0 --seed 2 --json "$top/seed.json"
[ "$(query "$top/seed.json" "$cases SELECT needed FROM g")" != "$(query "$top/s.json" "$cases
    SELECT needed FROM g WHERE kind GLOB 'many*'")" ]
ok $? "--seed decides which transactions are rolled back"
for case in "--page-size 512" "--page-size 65536 --only nested,spilled --depths 2 --pages 2" "--synchronous full" "--cache 10"; do
    # shellcheck disable=SC2086
    savepoint --trials 0 --check $case
    ok "$status" "$case"
done

# --- Bounds, and wrong libraries ---------------------------------------------------

run savepoint --dir "$scratch" --rows 3000 --depths 1,3 --pages 1,8 --cache 20 --trials 0 \
    --transactions 150 --megabytes 3 --check --lib "stock=$stock" --lib "subjournal=$stock" \
    --lib "full=$stock"
is "stock in the place of subjournal and full fails every bound of theirs" "$status $(
    grep -c '^FAILS .*savepoint subjournal, ' "$top/out") $(
    grep -c '^FAILS .*savepoint full, ' "$top/out") $(grep -c '^FAILS' "$top/out")" "1 6 6 12"
run savepoint --dir "$scratch" --only update --rows 3000 --trials 0 --check \
    --lib "stock=$stock" --lib "other=$stock"
is "an arm of another name has no such bounds" "$status $(grep -c '^holds' "$top/out")" "0 1"
run savepoint --dir "$scratch" --only nested --depths 1 --pages 8 --trials 0 --check \
    --lib "patched=$stock" --lib "stock=$stock"
is "stock and patched in any order" "$status $(grep -c '^holds .*patched, nested' "$top/out")" "0 1"

own=
for arm in subjournal full; do
    file=$(dirname "$patched")/../$arm/libsqlite3.so.0
    [ -f "$file" ] && own="$own --lib $arm=$file"
done
if [ -n "$own" ]; then
    # shellcheck disable=SC2086
    savepoint --trials 0 --check $own
    is "the libraries that record pages by their numbers keep their bounds" \
        "$status $(grep -c '^FAILS' "$top/out")" "0 0"
else
    ok 0 "the libraries that record pages by their numbers # SKIP none is built"
fi

# A library to which the word for seconds since 1970 is unknown: datetime() is NULL.
LC_ALL=C sed 's/unixepoch/unixepocX/g' "$stock" >"$top/wrong.so" 2>"$top/err"
if cmp -s "$stock" "$top/wrong.so"; then
    ok 0 "other content is found # SKIP sed does not edit libraries here"
else
    run savepoint --dir "$scratch" --only update --rows 3000 --trials 0 --lib "stock=$stock" \
        --lib "wrong=$top/wrong.so" --json "$top/wrong.json"
    [ "$status" -eq 1 ] && grep -q '^walbench: wrong, update: wrong content' "$top/err" &&
        [ "$(wc -l <"$top/err")" -eq 1 ] && [ ! -e "$top/wrong.json" ] && clean
    ok $? "other content is found"
fi

# --- Bad input ---------------------------------------------------------------------

run savepoint --help
[ "$status" -eq 0 ] && grep -q '^  --depths LIST' "$top/out" && [ ! -s "$top/err" ]
ok $? "its help"
bad "unknown option" "unknown option '--frob'" savepoint --frob
bad "kind" "'scattered' is not known" savepoint --only nested,scattered
bad "depths" "'1,x' is not a list" savepoint --depths 1,x
bad "no depth" "out of range" savepoint --depths 0
bad "more chains than there are" "out of range" savepoint --rolled-back 6
bad "pages twice" "named twice" savepoint --pages 1,1
bad "a cache that is too small" "out of range" savepoint --cache 1
bad "page size" "power of two" savepoint --page-size 5000
bad "no rows" "out of range" savepoint --rows 0
bad "result file exists" "exists" savepoint --json "$top/s.csv"
bad "no library" "no-such" savepoint --lib a="$top/no-such.so"

finish
