#!/bin/sh
# undone.sh: tests of what `walbench workloads` counts where something is rolled back, with
# the libraries that record pages by their numbers: subjournal and full.
#
# usage: undone.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# These libraries are looked for beside the patched one; a test that needs one is skipped if
# there is none. The others see that stock and patched fail the bounds in their place.
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# workloads NAMES OPTION...
workloads() {
    only=$1
    shift
    run workloads --dir "$scratch" --synchronous off --only "$only" --check "$@"
}

undone=orm-rollback,abort,savepoint-overflow,drop-rolled-back
# Sums over the commits of a workload.
sums="CREATE TABLE f AS SELECT p->>'workload' AS w, metric,
        (SELECT sum(value) FROM json_each(samples)) AS n, json_array_length(samples) AS commits
        FROM lines WHERE arm='tested' AND metric NOT GLOB '*.*';
    CREATE TABLE g AS SELECT w, commits, max(iif(metric='needed',n,0)) AS needed,
        max(iif(metric='frames',n,0)) AS frames, max(iif(metric='frames_written',n,0)) AS written,
        max(iif(metric='frames_unchanged',n,0)) AS unchanged,
        max(iif(metric='frames_superseded',n,0)) AS superseded,
        max(iif(metric='frames_old_leaf',n,0)) AS old_leaf,
        max(iif(metric='frames_new_leaf',n,0)) AS new_leaf, max(iif(metric='frames_cut',n,0)) AS cut,
        max(iif(metric='subjournal_bytes',n,0)) AS sub FROM f GROUP BY w;"
# said SQL: of the table g, for the library that is tested.
said() {
    sed "s/\"arm\":\"$arm\"/\"arm\":\"tested\"/" "$top/w.json" >"$top/tested.json"
    query "$top/tested.json" "$sums $1"
}

# --- The bounds can fail ----------------------------------------------------------

workloads $undone --lib "stock=$stock" --lib "subjournal=$patched" --lib "full=$stock"
for arm in subjournal full; do
    is "in the place of $arm patched or stock fails the bounds of each workload" \
        "$status $(sed -n "s/^FAILS  *\([a-z-]*\): waste of $arm .*/\1/p" "$top/out" | tr '\n' ' ')" \
        "1 orm-rollback abort savepoint-overflow "
    is "and logs more pages as they were" \
        "$(sed -n "s/^FAILS  *\([a-z-]*\): .* live pages that $arm logs.*/\1/p" "$top/out" |
            tr '\n' ' ')" "orm-rollback abort savepoint-overflow "
done
workloads $undone --lib "patched=$patched" --lib "full=$stock"
is "a library that logs or copies more than patched is found" \
    "$status $(grep -c '^FAILS .* frames in patched, .* in full' "$top/out") $(
        grep -c '^FAILS .* bytes of sub-journals in patched, .* in full' "$top/out")" "1 3 1"
workloads $undone --lib "stock=$stock" --lib "other=$stock"
is "an arm of another name has no such bounds" "$status $(grep -c '^[hFn].* other' "$top/out")" "0 0"
workloads null-every-second,null-secure-delete --percent 25 --lib "stock=$stock" \
    --lib "subjournal=$stock"
is "null controls are held against stock" "$status $(
    grep -c '^holds .* in stock, .* in subjournal, the same' "$top/out")" "0 2"

# --- --cache ----------------------------------------------------------------------

workloads abort,savepoint-overflow --cache 10000 --lib "stock=$stock" --json "$top/cache.json"
is "--cache is that of every workload, and nothing is spilled" "$status $(query "$top/cache.json" "
    SELECT count(DISTINCT p->>'workload'), min(a.samples=b.samples), group_concat(DISTINCT
        j->'pragmas'->>'cache_size'), group_concat(DISTINCT p->>'cache') FROM lines a
    JOIN (SELECT p AS q, samples FROM lines WHERE metric='frames_written') b ON a.p=b.q
    WHERE metric='frames'")" "0 2|1|10000|10000"
bad "no cache" "out of range" workloads --cache 0

# --- The libraries ----------------------------------------------------------------

# undone ARM LIBRARY
undone() {
    arm=$1
    three="--lib stock=$stock --lib patched=$patched --lib $arm=$2"

    # shellcheck disable=SC2086
    workloads $undone $three --json "$top/w.json"
    is "$arm keeps its bounds" "$status $(grep -c '^FAILS' "$top/out") $(
        grep -c "^holds .*waste of $arm " "$top/out")" "0 0 4"
    is "$arm: of what is rolled back in nested savepoints nothing is logged" "$(said "
        SELECT frames-needed FROM g WHERE w IN ('orm-rollback','drop-rolled-back')")" "0
0"
    # The first savepoint copies page 1, the second that and two pages that it finds modified.
    is "$arm: nested savepoints copy page 1, and pages that an outer savepoint has modified" \
        "$(said "SELECT sub<=4*commits*4100 FROM g WHERE w='orm-rollback'")" 1
    is "$arm: UPDATEs that are stopped waste 1.15 at most, savepoints with spills 1.55" "$(said "
        SELECT count(*), min(frames<=needed*iif(w='abort', 1.15, 1.55)) FROM g
        WHERE w IN ('abort','savepoint-overflow')")" "2|1"
    # The last frame of a commit is appended, even if the page has a frame. Past the new end
    # there are pages that the savepoint has added, which stay in the cache and are spilled later.
    is "$arm: each frame is accounted for" "$(said "
        SELECT count(*), sum(frames<>needed+unchanged+superseded+old_leaf+new_leaf+cut),
            sum(superseded>commits), sum(unchanged>5) FROM g")" "4|0|0|0"
    free=$(said "SELECT old_leaf FROM g WHERE w='savepoint-overflow'")
    rm "$top/w.json"
    # shellcheck disable=SC2086
    workloads $undone $three --cache 10000 --json "$top/w.json"
    is "$arm keeps its bounds if nothing is spilled" "$status $(grep -c '^FAILS' "$top/out")" "0 0"
    is "$arm: then no frame is superseded or past the end" "$(said "
        SELECT sum(written<>frames), sum(superseded), sum(cut) FROM g")" "0|0|0"
    [ "$free" -gt 0 ]
    is "$arm: free pages that it logs after a ROLLBACK TO had been spilled before they were free" \
        "$? $(said "SELECT old_leaf FROM g WHERE w='savepoint-overflow'")" "0 0"
    rm "$top/w.json"
    for seed in 2 3; do
        # shellcheck disable=SC2086
        workloads $undone $three --seed $seed
        is "$arm keeps its bounds, seed $seed" "$status $(grep -c '^FAILS' "$top/out")" "0 0"
    done
    # shellcheck disable=SC2086
    workloads $undone $three --percent 25
    is "$arm keeps its bounds, tables of a quarter" "$status $(grep -c '^FAILS' "$top/out")" "0 0"

    # One UPDATE whose pages do not fit the cache: it has spilled, and still copies nothing.
    run savepoint --dir "$scratch" --only update --rows 20000 --cache 20 --trials 0 \
        --synchronous off --lib "stock=$stock" --lib "$arm=$2" --json "$top/u.json"
    is "$arm: an UPDATE that spills writes nothing to its statement journal" "$status $(
        query "$top/u.json" "SELECT arm='stock', (samples->>0)>0 FROM lines
            WHERE metric='subjournal_bytes' ORDER BY 1 DESC")" "0 1|1
0|0"
    rm "$top/u.json"
}

found=
for name in subjournal full; do
    file=$(dirname "$patched")/../$name/libsqlite3.so.0
    if [ -f "$file" ]; then
        undone $name "$file"
        found=yes
    fi
done
[ -n "$found" ] || ok 0 "the libraries that record pages by their numbers # SKIP none is built"

finish
