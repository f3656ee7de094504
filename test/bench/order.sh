#!/bin/sh
# order.sh: tests of `walbench order` and `walbench scan`, on small sizes.
#
# usage: order.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

order() { run order "$@" --dir "$scratch"; }
sql() { "$shell" -batch "$@" 2>&1; }
page_size=1024
damage() { # FILE PAGE: the page is zeros
    dd if=/dev/zero of="$1" bs=$page_size seek=$(($2 - 1)) count=1 conv=notrunc 2>"$top/err"
}

# --- order: the numbers -------------------------------------------------------

# Leaves in any order, interior pages, overflow pages, free pages, pointer maps, and
# names that are none of the usual ones.
db=$top/one.db
sql "$db" "PRAGMA page_size=$page_size" "PRAGMA auto_vacuum=INCREMENTAL" \
    "CREATE TABLE log(id INTEGER PRIMARY KEY, k, p)" "CREATE INDEX log_key ON log(k)" \
    "CREATE TABLE \"it's a %\"(a, b, PRIMARY KEY(b, a)) WITHOUT ROWID" "CREATE TABLE empty(a)" \
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<4000)
     INSERT INTO log SELECT i, i*7919%4001, zeroblob(i%300) FROM c" \
    "INSERT INTO \"it's a %\" SELECT k, id*31%4001 FROM log" \
    "DELETE FROM log WHERE id<1000 OR id BETWEEN 2000 AND 2300" \
    "INSERT INTO log SELECT id+4000, k, zeroblob(id%500) FROM log WHERE id<1800" \
    "INSERT INTO log VALUES(100000, 0, zeroblob(20000))" \
    "DELETE FROM log WHERE id BETWEEN 3000 AND 3500" >"$top/out"
cp "$db" "$top/as-it-was.db"
order "$db" --json "$top/o.json" --csv "$top/o.csv" --map "$top/map"
ok $status "order: runs"
cmp -s "$db" "$top/as-it-was.db" && [ "$(echo "$top"/one.db*)" = "$db" ] && clean
ok $? "order: the file is as it was, nothing beside it, nothing in the scratch directory"

tree() { # METRIC: of every b-tree, by name
    query "$top/o.json" "SELECT p->>'tree' || ' ' || (samples->>0) FROM lines
        WHERE metric='$1' AND p->>'tree' IS NOT NULL ORDER BY p->>'tree'"
}
# The same from dbstat once more, with the paths put in order by a sort.
leaves="WITH l AS (SELECT name, pageno, path, lag(pageno) OVER (PARTITION BY name ORDER BY path) AS b
    FROM dbstat WHERE pagetype='leaf'),
    r AS (SELECT *, sum(b IS NULL OR pageno<>b+1) OVER (PARTITION BY name ORDER BY path) AS run FROM l),
    s AS (SELECT name, run, count(*) AS n FROM r GROUP BY name, run)"
is "order: pages and unused bytes are those of dbstat" \
    "$(tree pages; tree leaves; tree interior; tree overflow; tree unused)" \
    "$(sql "$db" "SELECT name || ' ' || count(*) FROM dbstat GROUP BY name" \
        "SELECT name || ' ' || sum(pagetype='leaf') FROM dbstat GROUP BY name" \
        "SELECT name || ' ' || sum(pagetype='internal') FROM dbstat GROUP BY name" \
        "SELECT name || ' ' || sum(pagetype='overflow') FROM dbstat GROUP BY name" \
        "SELECT name || ' ' || sum(unused) FROM dbstat GROUP BY name")"
is "order: jumps and the longest run are those of the sorted paths" \
    "$(tree jumps; tree longest_run)" \
    "$(sql "$db" "$leaves SELECT name || ' ' || (count(*)-1) FROM s GROUP BY name" \
        "$leaves SELECT name || ' ' || max(n) FROM s GROUP BY name")"
is "order: the mean run and the share of steps fit them" "$(query "$top/o.json" "
    CREATE VIEW n AS SELECT p->>'tree' AS t, metric AS m, samples->>0 AS v FROM lines;
    SELECT count(*), sum(abs(r.v-1.0*l.v/(j.v+1))>1e-6 OR
        abs(s.v-CASE WHEN l.v>1 THEN 1-1.0*j.v/(l.v-1) ELSE 0 END)>1e-6)
    FROM n l JOIN n j USING(t) JOIN n r USING(t) JOIN n s USING(t) WHERE l.m='leaves' AND
    j.m='jumps' AND r.m='mean_run' AND s.m='next_share'")" "5|0"
is "order: the file has all there is to test" "$(query "$top/o.json" "
    SELECT min(samples->>0>0) FROM lines WHERE (metric='free_pages') OR (p->>'tree'='log'
    AND metric IN ('leaves','interior','overflow','jumps'))")" 1
is "order: pages and free pages of the file" "$(query "$top/o.json" "
    SELECT group_concat(samples->>0) FROM lines WHERE metric IN ('pages','free_pages')
    AND p->>'tree' IS NULL")" \
    "$(sql "$db" "PRAGMA page_count" "PRAGMA freelist_count" | paste -s -d, -)"
is "order: the table shows each b-tree" "$(grep -c '  \(table\|index\)$' "$top/out")" 5
is "order: as many lines in the CSV file" "$(($(wc -l <"$top/o.csv") - 1))" "$(wc -l <"$top/o.json")"

# --- order: the map -----------------------------------------------------------

data() { # FILE NAME: the lines of a data set
    awk -v name="# $2" '/^#/ {seen = $0 == name; next} seen && NF {print}' "$1"
}
is "order: the map has every leaf, in scan order" "$(data "$top/map" log)" \
    "$(sql "$db" ".separator ' '" "$leaves SELECT row_number() OVER (ORDER BY path)-1, pageno,
        b IS NOT NULL AND pageno=b+1 FROM l WHERE name='log' ORDER BY path")"
order "$db" --tree LOG --tree log_key --map "$top/few" --points 50
is "order: a map of fewer points, in two data sets" \
    "$status $(data "$top/few" log | wc -l) $(data "$top/few" log_key | wc -l) $(grep -c '^$' "$top/few")" \
    "0 50 $(sql "$db" "SELECT min(50, count(*)) FROM dbstat WHERE name='log_key' AND
        pagetype='leaf'") 4"
data "$top/few" log >"$top/points"
data "$top/map" log >"$top/all"
is "order: its points are points of the whole map, and spread over it" "$(awk -v few="$top/points" '
    {all[$0] = 1; n++}
    END {
        while ((getline line <few) > 0) {
            split(line, f, " ")
            i++
            bad += !(line in all) || f[1] < int(n * (i - 1) / 50) || f[1] >= int(n * i / 50)
        }
        print i, bad + 0
    }' "$top/all")" "50 0"
is "order: --tree leaves the others out" "$(grep -c '  \(table\|index\)$' "$top/out")" 2

# --- order: how the file lies there ---------------------------------------------

# A copy of a log that has not been checkpointed, as a crash would leave it.
mkdir "$top/log"
sql "$top/log/a.db" "PRAGMA journal_mode=WAL" "PRAGMA wal_autocheckpoint=0" "CREATE TABLE t(a)" \
    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<500)
     INSERT INTO t SELECT zeroblob(2000) FROM c" \
    ".shell cp '$top/log/a.db' '$top/log/b.db'" \
    ".shell cp '$top/log/a.db-wal' '$top/log/b.db-wal'" >"$top/out"
cp "$top/log/b.db" "$top/log/b.db-wal" "$top/empty" && mkdir "$top/link" &&
    ln -s "$top/log/b.db" "$top/link/c.db"
order "$top/link/c.db" --tree t --json "$top/log.json"
is "order: what is in the log counts, seen through a link" \
    "$status $(query "$top/log.json" "SELECT samples->>0 FROM lines WHERE metric='leaves'")" \
    "0 $(sql "$top/log/a.db" "SELECT count(*) FROM dbstat WHERE name='t' AND pagetype='leaf'")"
cmp -s "$top/log/b.db" "$top/empty/b.db" && cmp -s "$top/log/b.db-wal" "$top/empty/b.db-wal" &&
    [ "$(echo "$top"/log/b*)" = "$top/log/b.db $top/log/b.db-wal" ] &&
    [ "$(ls "$top/link")" = c.db ] && clean
ok $? "order: and both files are as they were, nothing beside them"
rm "$top/empty"/*
# A database in WAL mode whose log is gone; a name that a URI would take apart.
mkdir "$top/names"
cp "$top/log/a.db" "$top/names/a?b#c%41 d.db"
order "$top/names/a?b#c%41 d.db"
is "order: a database in WAL mode without a log, by a name with ? # and %" \
    "$status $(ls "$top/names")" "0 a?b#c%41 d.db"
cp "$db" "$top/persist.db"
head -c 1024 /dev/zero >"$top/persist.db-journal"
order "$top/persist.db"
ok $status "order: a journal that has ended is no obstacle"
printf '\331\325\005\371\040\241\143\327journal' >"$top/persist.db-journal"
bad "order: a journal that has not" 'rollback journal' order "$top/persist.db"

echo "no database at all, but long enough to have a header; one hundred bytes and more are asked for here" >"$top/text"
: >"$top/nothing"
bad "order: no file named" 'no database given' order
bad "order: no file named, but options" 'no database given' order --points 5
bad "order: two files" "unexpected argument" order "$db" "$db"
bad "order: a file that is not there" "No such file" order "$top/nowhere"
bad "order: a folder" "is not a file" order "$top"
bad "order: a device" "is not a file" order /dev/zero
bad "order: a text" "not a database" order "$top/text"
bad "order: an empty file" "not a database" order "$top/nothing"
bad "order: an unknown b-tree" "no table or index 'nope'" order "$db" --tree nope
bad "order: a map that exists" "exists already" order "$db" --map "$top/map"
bad "order: map and results in one file" "same file" order "$db" --map x --csv x
bad "order: no points" "out of range" order "$db" --points 0

broken() { # NAME FILE: status 1, one line, no results
    rm -f "$top/x.json" "$top/x.map"
    order "$2" --json "$top/x.json" --map "$top/x.map"
    [ "$status" -eq 1 ] && [ "$(wc -l <"$top/err")" -eq 1 ] && [ ! -s "$top/out" ] &&
        [ ! -e "$top/x.json" ] && [ ! -e "$top/x.map" ] && clean
    ok $? "order: $1"
}
leaf=$(sql "$db" "SELECT max(pageno) FROM dbstat WHERE name='log' AND pagetype='leaf'")
root=$(sql "$db" "SELECT rootpage FROM sqlite_schema WHERE name='log'")
cp "$db" "$top/x.db" && damage "$top/x.db" "$leaf"
broken "a leaf of zeros is found" "$top/x.db"
grep -q "page $leaf is no page of a b-tree" "$top/err"
ok $? "order: and named"
cp "$db" "$top/x.db" && damage "$top/x.db" "$root"
broken "a root of zeros is found" "$top/x.db"
head -c 100000 "$db" >"$top/x.db"
broken "a file that was cut short is found" "$top/x.db"
# The right child of the root, at offset 8, is the root itself: a walk without an end.
cp "$db" "$top/x.db"
{
    dd if="$top/x.db" bs=1 count=$(((root - 1) * page_size + 8)) 2>/dev/null
    printf '%b' "\\0\\0\\0\\0$(printf %o "$root")"
    dd if="$db" bs=1 skip=$(((root - 1) * page_size + 12)) 2>/dev/null
} >"$top/y.db"
broken "a b-tree that contains itself is found" "$top/y.db"

# --- scan ---------------------------------------------------------------------

# Word splitting is wanted; these paths are ours.
# shellcheck disable=SC2086
small_scan() { run scan --rows 10000 --batch 500 --rounds 2 --dir "$scratch" $arms "$@"; }

mkdir "$top/kept"
small_scan --full --check --keep "$top/kept" --json "$top/s.json" --csv "$top/s.csv"
ok $status "scan: runs, and its bounds hold"
clean && [ ! -s "$top/err" ]
ok $? "scan: leaves nothing in the scratch directory, says nothing on stderr"
is "scan: every line is JSON, and has what the contract asks for" "$(query "$top/s.json" "
    SELECT count(*)>100, min(json_valid(j)), sum(experiment IS NOT 'E3' OR metric IS NULL
        OR j->>'unit' IS NULL OR json_array_length(samples)<1 OR p->>'seed' IS NULL
        OR p->>'read_ahead_kib' IS NULL OR p->>'cold' IS NULL
        OR (arm<>'all' AND j->>'source_id' IS NULL)) FROM lines")" "1|1|0"
figures="CREATE VIEW f AS SELECT arm, metric, p->>'layout' AS layout, p->>'auto_vacuum' AS mode,
    p->>'scan' AS scan, value AS v, key AS k, j FROM lines, json_each(samples) WHERE arm<>'all';"
is "scan: five layouts, two scans of each" "$(query "$top/s.json" "$figures
    SELECT count(*), count(DISTINCT arm||layout||mode), count(DISTINCT scan) FROM f
    WHERE metric='reads_by_page_order'")" "10|5|2"
is "scan: what the VFS saw is what the page order says" "$(query "$top/s.json" "$figures
    SELECT count(*)>=20, sum(a.v<>b.v) FROM f a JOIN f b USING(arm,layout,mode,scan)
    WHERE b.metric=a.metric||'_by_page_order' AND a.metric IN ('reads','read_jumps')")" "1|0"
is "scan: reads are whole pages" "$(query "$top/s.json" "$figures
    SELECT count(*)>=20, sum(a.v*4096<>b.v) FROM f a JOIN f b USING(arm,layout,mode,scan,k)
    WHERE a.metric='reads' AND b.metric='bytes_read'")" "1|0"
is "scan: churned tables are out of order, and VACUUM has put them in order" \
    "$(query "$top/s.json" "$figures
    SELECT min(a.v>20*b.v), count(*) FROM f a JOIN f b USING(metric,scan,k) WHERE
    metric='read_jumps' AND scan='table' AND k=0 AND a.layout='churned' AND b.layout='vacuum'")" "1|4"
is "scan: the random index is read page by page, all of them jumps" "$(query "$top/s.json" "$figures
    SELECT min(a.v>0.9*b.v), count(*) FROM f a JOIN f b USING(arm,layout,mode,scan,k)
    WHERE a.metric='read_jumps' AND b.metric='reads' AND scan='index-only' AND k=0
    AND layout='churned'")" "1|4"
is "scan: pragmas that matter are recorded" "$(query "$top/s.json" "$figures
    SELECT count(DISTINCT j->'pragmas'), min(j->'pragmas'->>'mmap_size'='0'
        AND j->'pragmas'->>'journal_mode'='delete' AND j->'pragmas'->>'cache_size'='-2000')
    FROM f WHERE metric='warm_seconds'")" "2|1"
is "scan: a sample a round, a ratio to the VACUUMed layout" "$(query "$top/s.json" "
    SELECT min(json_array_length(samples)), max(json_array_length(samples)),
        sum(metric='warm_seconds'), sum(metric='warm_seconds.ratio'), sum(samples->>0<=0)
    FROM lines WHERE metric GLOB 'warm_seconds*'")" "2|2|10|8|0"
is "scan: as many cold samples where they can be had, or none and a reason" \
    "$(query "$top/s.json" "SELECT CASE
        WHEN max(p->>'cold')='verified by mincore' THEN sum(metric='cold_seconds')=10 AND
            sum(metric='raw_sorted_seconds')=10 AND sum(metric='raw_scan_order_seconds')=10
        ELSE sum(metric GLOB 'cold*' OR metric GLOB 'raw*')=0 END FROM lines")" 1
is "scan: it keeps the layouts" "$(cd "$top/kept" && echo *)" \
    "churned-patched-full.db churned-patched.db churned-stock-full.db churned-stock.db vacuum.db"
order "$top/kept/churned-stock.db" --tree log --json "$top/k.json"
is "scan: walbench order finds the same order in them" \
    "$status $(query "$top/k.json" "SELECT samples->>0 FROM lines WHERE metric='mean_run'")" \
    "0 $(query "$top/s.json" "SELECT samples->>0 FROM lines WHERE metric='mean_run' AND arm='stock'
        AND p->>'layout'='churned' AND p->>'auto_vacuum'='none' AND p->>'scan'='table'")"
rm "$top/kept/churned-stock.db"
small_scan --keep "$top/kept"
[ "$status" -eq 2 ] && grep -q 'exists already' "$top/err" &&
    [ "$(cd "$top/kept" && echo c*)" = "churned-patched-full.db churned-patched.db churned-stock-full.db" ]
ok $? "scan: and does not overwrite what is there"

run scan --rows 2000 --batch 100 --turnovers 3 --rounds 1 --cache 20 --page-size 1024 --check \
    --dir "$scratch" --lib "a=$stock" --lib "b=$patched" --lib "c=$stock" --json "$top/three.json"
ok $status "scan: three libraries, other sizes, a small cache"
is "scan: each library has its layout, the first one the VACUUMed" "$(query "$top/three.json" "
    SELECT group_concat(arm||' '||(p->>'layout'), ', ') FROM lines WHERE metric='leaves'
    AND p->>'scan'='table'")" "a churned, b churned, c churned, a vacuum"
is "scan: 60 commits, with the cache that was asked for" "$(query "$top/three.json" "
    SELECT count(*) FROM lines WHERE p->>'commits'<>60 OR (metric='warm_seconds'
    AND j->'pragmas'->>'cache_size'<>'20')")" 0

run scan --no-index --rows 5000 --batch 100 --rounds 1 --check --dir "$scratch" $arms --json "$top/plain.json"
ok $status "scan: a log without an index"
is "scan: only the table is scanned then" "$(query "$top/plain.json" "
    SELECT group_concat(DISTINCT p->>'scan'), group_concat(DISTINCT p->>'index'),
        sum(metric='warm_seconds') FROM lines WHERE arm<>'all'")" "table|no|3"

# Nothing that lives in memory can be made cold.
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] && [ -w /dev/shm ]; then
    run scan --rows 500 --batch 100 --rounds 1 --dir /dev/shm --lib "a=$stock" \
        --json "$top/shm.json"
    is "scan: in memory there are no cold scans, and it says so" \
        "$status $(grep -c 'NO COLD SCANS: .* stay in memory' "$top/out") $(query "$top/shm.json" "
        SELECT sum(metric GLOB 'cold*' OR metric GLOB 'raw*'), sum(metric='warm_seconds')
        FROM lines")" "0 1 0|4"
fi

bad "scan: a batch larger than the log" "more than the 100 rows" scan --rows 100 --batch 101
bad "scan: no rounds" "out of range" scan --rounds 0
bad "scan: a cache of no size" "neither" scan --cache 0
bad "scan: a page size that is none" "power of two" scan --page-size 3000
bad "scan: nowhere to keep" "No such file" scan --keep "$top/nowhere"
bad "scan: a keeper that is a file" "cannot write in" scan --keep "$top/text"

"$walbench" scan --rows 50000 --dir "$scratch" --lib "stock=$stock" --json "$top/signal.json" \
    >"$top/out" 2>"$top/err" &
pid=$!
sleep 2
kill -TERM $pid
wait $pid 2>/dev/null
is "scan: a signal ends it" "$?" 143
clean && [ ! -e "$top/signal.json" ]
ok $? "scan: and it leaves nothing"

finish
