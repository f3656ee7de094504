#!/bin/sh
# How far a table of constant length stays in page order where more happens than in
# `walbench rolling`: rows of 200 bytes, ten turnovers of 200,000 rows, 1000 rows a
# transaction, oldest rows deleted, WAL mode.
#
#   bench/order-patterns.sh BUILD ARM...
#
# One line for each pattern and ARM: the mean run of its first table's leaves, the share of
# steps to the next page, pages of the file, and how many of these are free. BUILD holds
# walbench, stock/sqlite3 and ARM/sqlite3. Takes a few minutes an arm; with TURNOVERS=2 in
# the environment there are only two.
set -u
build=$(cd "$1" && pwd)
shift
scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/order-patterns.XXXXXX") || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
turnovers=${TURNOVERS:-10}

# rows FROM COUNT: a table s(i) of so many integers.
rows() {
  echo "WITH s(i) AS (VALUES($1) UNION ALL SELECT i+1 FROM s WHERE i<$1+$2-1)"
}

# make_sql PATTERN: the SQL of a pattern.
make_sql() {
  tables=log
  columns="id INTEGER PRIMARY KEY, v"
  options=
  length=200000
  batch=1000
  echo "PRAGMA secure_delete=OFF; PRAGMA synchronous=OFF; PRAGMA wal_autocheckpoint=10000;"
  case $1 in
    auto-vacuum-full) echo "PRAGMA auto_vacuum=FULL;" ;;
    auto-vacuum-incremental | incremental-vacuum) echo "PRAGMA auto_vacuum=INCREMENTAL;" ;;
    four-logs) tables="log log2 log3 log4" length=50000 batch=250 ;;
    without-rowid) options="WITHOUT ROWID" ;;
  esac
  echo "PRAGMA journal_mode=WAL;"
  for table in $tables; do echo "CREATE TABLE $table($columns) $options;"; done
  case $1 in
    random-index)
      echo "ALTER TABLE log ADD COLUMN k; CREATE INDEX log_k ON log(k);"
      echo "CREATE TRIGGER t AFTER INSERT ON log BEGIN"
      echo "UPDATE log SET k=(new.id*7368787)%1000003 WHERE id=new.id; END;"
      ;;
    four-logs)
      echo "CREATE TRIGGER t AFTER INSERT ON log BEGIN"
      for table in log2 log3 log4; do
        echo "INSERT INTO $table VALUES(new.id, zeroblob(150+abs(new.id*48271)%101));"
      done
      echo "END;"
      ;;
    surplus)
      echo "CREATE TABLE other(id INTEGER PRIMARY KEY, v);"
      echo "$(rows 1 100000) INSERT INTO other SELECT i, zeroblob(200) FROM s;"
      ;;
  esac
  append="INSERT INTO log(id, v) SELECT i, zeroblob(150+(i*69621)%101) FROM s;"
  echo "$(rows 1 $length) $append"
  [ "$1" != surplus ] || echo "DROP TABLE other;"
  awk -v length_="$length" -v batch=$batch -v tables="$tables" -v turnovers="$turnovers" \
    -v vacuum="$([ "$1" = incremental-vacuum ] && echo 'PRAGMA incremental_vacuum;')" \
    -v append="$append" 'BEGIN {
      n = split(tables, t, " ")
      for (from=length_+1; from<=length_*(1+turnovers); from+=batch) {
        print "BEGIN; WITH s(i) AS (VALUES(" from ") UNION ALL SELECT i+1 FROM s WHERE i<" \
          from+batch-1 ")", append
        for (i=1; i<=n; i++) print "DELETE FROM " t[i] " WHERE id<" from+batch-length_ ";"
        print "COMMIT;", vacuum
      }
    }'
}

printf '%-24s %-8s %10s %8s %8s %8s\n' pattern arm "mean run" "next %" pages free
for pattern in log four-logs without-rowid random-index auto-vacuum-full \
  auto-vacuum-incremental incremental-vacuum surplus; do
  make_sql $pattern >"$scratch/sql"
  for arm in "$@"; do
    "$build/$arm/sqlite3" -batch -bail -init /dev/null "$scratch/db" \
      <"$scratch/sql" >"$scratch/out" || exit 1
    numbers=$("$build/walbench" order "$scratch/db" --tree log |
      awk '$1=="log" { print $6, $8 }')
    # shellcheck disable=SC2046,SC2086 # two words each
    printf '%-24s %-8s %10s %8s %8s %8s\n' $pattern "$arm" $numbers $(
      "$build/stock/sqlite3" "$scratch/db" "PRAGMA page_count; PRAGMA freelist_count")
    rm -f "$scratch"/db*
  done
done
