#!/bin/sh
# report.sh: tests of `walbench report`: what it makes of small results, and of files
# that are none.
#
# usage: report.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# Word splitting is wanted; these paths are ours.
# shellcheck disable=SC2086
{
    run delete --rows 20000 --delete 2000 --dir "$scratch" $arms --check --json "$top/d.json"
    run rolling --rows 20000 --batch 500 --commits 24 --sample 1 --dir "$scratch" $arms \
        --json "$top/r.json"
    run leak --rows 4000 --delete 1000 --dir "$scratch" $arms --json "$top/l.json"
    run savepoint --rows 3000 --depths 2 --rolled-back 0,5 --pages 1,8 --cache 20 --trials 6 \
        --transactions 150 --megabytes 3 --dir "$scratch" $arms --check --json "$top/s.json"
}
run report --out "$top/out.d" --results "$top/d.json" --results "$top/r.json" \
    --results "$top/l.json" --results "$top/s.json"
ok $status "report: is made"
[ ! -s "$top/err" ] && [ ! -s "$top/out" ] && [ ! -e "$top/out.d.partial" ]
ok $? "report: says nothing, and leaves nothing beside it"

frames=$(query "$top/d.json" "SELECT samples->>0 FROM lines WHERE arm='stock' AND
    metric='frames' AND p->>'case_secure_delete'='off' AND p->>'case_cache'='default'")
needed=$(query "$top/d.json" "SELECT samples->>0 FROM lines WHERE arm='patched' AND
    metric='frames' AND p->>'case_secure_delete'='off' AND p->>'case_cache'='default'")
[ "$frames" -gt 50 ] && grep -q "^| off | default | $frames | $needed |" "$top/out.d/report.md"
ok $? "report: Markdown has the frames of the results"
grep -q "<td>off</td><td>default</td><td class=\"n\">$frames</td><td class=\"n\">$needed</td>" \
    "$top/out.d/report.html"
ok $? "report: HTML has the frames of the results"
is "report: a chapter for each experiment" "$(grep -c '<h2 id=' "$top/out.d/report.html")" 4
is "report: all of the plots are in the HTML, with nothing from elsewhere" \
    "$(grep -c '<svg' "$top/out.d/report.html") $(grep -c -E '(src|href)="?(http|[a-z-]*\.(svg|css|js))' "$top/out.d/report.html")" \
    "4 0"
grep -q 'currentColor' "$top/out.d/report.html" && ! grep -q "='black'" "$top/out.d/report.html"
ok $? "report: letters and axes of the plots take the colour of the text"
# Of savepoints in a transaction the sums of a kind, and each case with the most pages.
savepoint=$(query "$top/s.json" "SELECT group_concat(printf('%,d', round(n/1e3)), ' ') FROM
    (SELECT sum(samples->>0) AS n FROM lines WHERE p->>'case_kind'='nested' AND
    metric='subjournal_bytes' GROUP BY arm ORDER BY arm DESC)")
is "report: sub-journals of stock and patched are the sums of all cases" \
    "$(sed -n 's/^| nested | [0-9,]* | [0-9,]* | \([0-9,]*\) | \([0-9,]*\) | [0-9,]* | [0-9,]* |$/\1 \2/p' \
        "$top/out.d/report.md")" "$savepoint"
is "report: the times of each kind of savepoints, and of the cases with the most pages" \
    "$(grep -c -E '^\| (update|many|many-small|(nested|spilled), depth 2, undone [05]/5) \| [0-9.]+ ±' "$top/out.d/report.md")" 7
links=$(sed -n 's/^!\[.*](\(.*\))$/\1/p' "$top/out.d/report.md")
all=0
for link in $links; do [ -s "$top/out.d/$link" ] || all=1; done
[ -n "$links" ] && [ $all -eq 0 ]
ok $? "report: every plot of the Markdown is there"
grep -q 'Of [0-9]* bounds that these results were held against, [0-9]* hold' "$top/out.d/report.md"
ok $? "report: the verdict is in it"

run report --out "$top/again.d" --results "$top/out.d/delete.json" \
    --results "$top/out.d/rolling.json" --results "$top/out.d/savepoint.json" \
    --results "$top/out.d/leak.json"
diff -r "$top/out.d" "$top/again.d" >/dev/null
ok $? "report: the results that it keeps give the same report"
is "report: a library's options stand once for each command" \
    "$(query "$top/out.d/rolling.json" "SELECT count(*), min(arm) FROM lines WHERE
        j->'compile_options' IS NOT NULL AND arm='patched'")" "1|patched"

# --- bad input ----------------------------------------------------------------

echo '{"experiment":"E1", "arm":' >"$top/broken.json"
: >"$top/nothing.json"
bad "no folder" "out is missing" report --results "$top/d.json"
bad "no results" "results is missing" report --out "$top/x.d"
bad "a folder that exists" "exists already" report --out "$top/out.d" --results "$top/d.json"
bad "a folder that cannot be made" "cannot make" report --out "$top/no/x.d" --results "$top/d.json"
bad "results that are not there" "cannot read" report --out "$top/x.d" --results "$top/no.json"
bad "results that are broken" "line 1, is no result" report --out "$top/x.d" \
    --results "$top/broken.json"
bad "an empty file" "holds no results" report --out "$top/x.d" --results "$top/nothing.json"
(PATH=$top && "$walbench" report --out "$top/x.d" --results "$top/d.json") \
    >"$top/out" 2>"$top/err"
is "report: without gnuplot" "$? $(wc -l <"$top/err") $(grep -c 'not installed' "$top/err")" "2 1 1"
[ ! -e "$top/x.d" ] && [ ! -e "$top/x.d.partial" ]
ok $? "report: nothing is left of those that failed"

finish
