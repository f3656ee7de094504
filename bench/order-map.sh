#!/bin/sh
# Draws where 300 leaves from the middle of a log stand in the file after ten turnovers, in
# the order of a scan: stock, the series order, and stock after a VACUUM. 200,000 rows,
# 1,000 a transaction, WAL mode.
#
#   bench/order-map.sh BUILD OUT.svg
#
# BUILD holds walbench, stock/sqlite3 and ordered/sqlite3. Needs gnuplot. A minute.
set -u
[ $# -eq 2 ] || {
  echo "usage: bench/order-map.sh BUILD OUT.svg" >&2
  exit 2
}
build=$1
out=$2
for needed in "$build/walbench" "$build/stock/sqlite3" "$build/ordered/sqlite3"; do
  [ -x "$needed" ] || {
    echo "order-map.sh: $needed is missing; configure --with-series=order and make" >&2
    exit 2
  }
done
command -v gnuplot >/dev/null 2>&1 || {
  echo "order-map.sh: gnuplot is missing" >&2
  exit 2
}
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/order-map.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

{
  echo "PRAGMA secure_delete=OFF; PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
  echo "CREATE TABLE log(id INTEGER PRIMARY KEY, v);"
  awk 'BEGIN {
    for (i=0; i<2200; i++)
      print "BEGIN; WITH s(i) AS (VALUES(" 1000*i+1 ") UNION ALL SELECT i+1 FROM s WHERE i<" \
        1000*(i+1) ") INSERT INTO log SELECT i, zeroblob(150+i*69621%101) FROM s;" \
        "DELETE FROM log WHERE id<=" 1000*(i-199) "; COMMIT;" }'
} >"$scratch/sql"

# map NAME: where the leaves of NAME.db are, and their mean run.
map() {
  "$build/walbench" order "$scratch/$1.db" --tree log --map "$scratch/$1.all" |
    awk '$1=="log" { print $6 }' >"$scratch/$1.run" &&
    awk '$1>=5000 && $1<5300 { if (!first) first = $2; print $1, $2-first }' \
      "$scratch/$1.all" >"$scratch/$1.map"
}
for arm in stock ordered; do
  "$build/$arm/sqlite3" -batch -bail -init /dev/null "$scratch/$arm.db" <"$scratch/sql" \
    >"$scratch/out" && map $arm || exit 1
done
cp "$scratch/stock.db" "$scratch/vacuum.db" &&
  "$build/stock/sqlite3" "$scratch/vacuum.db" VACUUM && map vacuum || exit 1

gnuplot >"$scratch/svg" <<END || exit 1
set terminal svg size 900,300 noenhanced font 'sans-serif,11' background 'white'
set multiplot layout 1,3
set xlabel 'leaf, in the order of a scan'
set ylabel 'pages from the first of these'
set xrange [5000:5300]
set yrange [-100:400]
set xtics 100
set ytics 100
unset key
set title 'stock: mean run $(cat "$scratch/stock.run")'
plot '$scratch/stock.map' using 1:2 with lines linewidth 0.7 linecolor '#205080'
set title 'ordered: mean run $(cat "$scratch/ordered.run")'
plot '$scratch/ordered.map' using 1:2 with lines linewidth 0.7 linecolor '#205080'
set title 'VACUUM: mean run $(cat "$scratch/vacuum.run")'
plot '$scratch/vacuum.map' using 1:2 with lines linewidth 0.7 linecolor '#205080'
END
cat "$scratch/svg" >"$out"
