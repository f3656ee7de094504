#!/bin/sh
# A log of 50,000 rows: 1,000 are appended and the 1,000 oldest deleted in each
# transaction, until all have been replaced ten times. On how many consecutive pages
# do its leaves stand, on average, in the order of their rows?
#
#   sh order.sh [path/to/sqlite3]
#
# As released: 3 pages
# With all.diff: 438 pages
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
{
  echo "PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
  echo "CREATE TABLE log(id INTEGER PRIMARY KEY, v);"
  i=0
  while [ $i -lt 550 ]; do
    echo "BEGIN; WITH s(i) AS (VALUES(1+1000*$i) UNION ALL SELECT i+1 FROM s WHERE i<1000*($i+1))"
    echo "INSERT INTO log SELECT i, zeroblob(150+i*69621%101) FROM s;"
    echo "DELETE FROM log WHERE id<=1000*($i-49); COMMIT;"
    i=$((i + 1))
  done
  echo "WITH leaf AS (SELECT pageno, lag(pageno) OVER (ORDER BY path) AS before FROM dbstat"
  echo "  WHERE name='log' AND pagetype='leaf')"
  echo "SELECT count(*)/sum(before IS NULL OR pageno<>before+1), 'pages' FROM leaf;"
} | "${1:-sqlite3}" -batch -init /dev/null "$d/x.db" >"$d/out" || exit
tail -n 1 "$d/out" | tr '|' ' '
