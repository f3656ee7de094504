#!/bin/sh
# What a series costs where it saves nothing: instructions executed by
# upstream's speedtest1, in WAL and in rollback mode; by small transactions with
# savepoints on a file of 2 MB and on one of 200 MB; and for an arm with the series
# order also by an INSERT into a table that takes free pages, all of one dropped table,
# or runs of three leaves each of one that has lost every second three. They are
# counted by valgrind, as the time it takes is too unsteady.
#
#   test/cost.sh BUILD CC [ARM [SIZE [PAGES]]]
#
# BUILD holds stock/, and ARM/, by default patched/, which is compared with it. SIZE is
# speedtest1's, by default 10: half a minute on two processors. Only its test set "main"
# runs, as the others need features that are off by default. PAGES is how many free
# pages are taken, by default 20,000, of 64 kB a tenth: two minutes.
set -u
. "$(dirname "$0")/lib.sh"
build=$(cd "$1" && pwd)
compiler=$2
arm=${3:-patched}
size=${4:-10}
free_pages=${5:-20000}
command -v valgrind >/dev/null 2>&1 || {
  echo "cost.sh: valgrind is missing; install it, or run configure --install-deps" >&2
  exit 2
}
make_scratch

# count NAME COMMAND...: the instructions of COMMAND into the file NAME.
count() {
  name=$1
  shift
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" \
    >"$scratch/$name.out" 2>&1 || return
  sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' "$scratch/$name.out" | tr -d , >"$scratch/$name"
}

# instructions ARM MODE: count into the file ARM.MODE.
instructions() {
  case $2 in
    savepoints-* | reuse-*)
      cp "$scratch/$2.db" "$scratch/$1.$2.db" &&
        count "$1.$2" "$build/$1/sqlite3" -batch -init /dev/null "$scratch/$1.$2.db" \
          <"$scratch/$2.sql"
      rm -f "$scratch/$1.$2.db" "$scratch/$1.$2.db-wal"
      ;;
    *)
      count "$1.$2" "$scratch/$1" --journal "$2" --size "$size" --testset main \
        "$scratch/$1.$2.db"
      ;;
  esac
}

# savepoints NAME PAGES: a database with a row on each page, and what to do with it.
savepoints() {
  "$build/stock/sqlite3" -batch -init /dev/null "$scratch/$1.db" "
    PRAGMA page_size=4096;
    CREATE TABLE t(id INTEGER PRIMARY KEY, n, v);
    WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<$2)
      INSERT INTO t SELECT i, 0, zeroblob(2200) FROM s;
    PRAGMA journal_mode=WAL;" >"$scratch/$1.out" &&
    "$build/stock/sqlite3" -batch -init /dev/null :memory: "
      WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<2000)
      SELECT 'BEGIN; SAVEPOINT a; UPDATE t SET n=n+1 WHERE id='||(1+i*7919%$2)||';'||
        iif(i%2, ' ROLLBACK TO a;', '')||' RELEASE a; COMMIT;' FROM s" >"$scratch/$1.sql"
}

# reuse NAME PAGESIZE PAGES WHICH: a database with so many free pages, and an INSERT of
# rows of 200 bytes that takes nearly all of them. WHICH is whole or scattered.
reuse() {
  rows=$(($2 / 212))
  case $4 in
    whole) made=$3 free="DROP TABLE t" ;;
    *) made=$((2 * $3)) free="DELETE FROM t WHERE (id / ($rows * 3)) % 2" ;;
  esac
  "$build/stock/sqlite3" -batch -init /dev/null "$scratch/$1.db" "
    PRAGMA page_size=$2; PRAGMA secure_delete=OFF; PRAGMA synchronous=OFF;
    CREATE TABLE t(id INTEGER PRIMARY KEY, v);
    CREATE TABLE u(id INTEGER PRIMARY KEY, v);
    WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<$made*$rows)
      INSERT INTO t SELECT i, zeroblob(200) FROM s;
    $free;
    PRAGMA journal_mode=WAL;" >"$scratch/$1.out" &&
    echo "PRAGMA cache_size=-1000000;
      WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<$3*$rows*98/100)
      INSERT INTO u SELECT i, zeroblob(200) FROM s;" >"$scratch/$1.sql"
}

for each in stock "$arm"; do
  # The compiler's own flags, as it is the library that is measured.
  # shellcheck disable=SC2086
  $compiler -O2 -I"$build/$each" "$build/$each/src/test/speedtest1.c" \
    "$build/$each/libsqlite3.a" -o "$scratch/$each" -lm -lpthread -ldl || exit 2
done
modes="wal delete savepoints-small savepoints-large"
if grep -q -w order "$build/series/$arm" 2>/dev/null; then
  modes="$modes reuse-1024 reuse-4096 reuse-65536 reuse-1024-scattered"
  modes="$modes reuse-4096-scattered reuse-65536-scattered"
fi
for mode in $modes; do
  # A page that is taken costs 115 to 170 instructions more; to fill one of 1024 bytes takes
  # 20,000.
  limit=1.001
  case $mode in
    savepoints-small) what="savepoints, 2 MB" && savepoints $mode 500 ;;
    savepoints-large) what="savepoints, 200 MB" && savepoints $mode 50000 ;;
    reuse-*)
      bytes=${mode#reuse-} && which=${bytes#*-} && bytes=${bytes%-*}
      limit=1.005
      [ "$bytes" != 1024 ] || limit=1.01
      [ "$which" = scattered ] || which=whole
      pages=$free_pages
      [ "$bytes" != 65536 ] || pages=$((pages / 10))
      what="$pages free pages of $bytes bytes, $which"
      reuse "$mode" "$bytes" $pages "$which"
      ;;
    *) what="journal_mode=$mode" ;;
  esac || exit 2
  instructions stock "$mode" &
  instructions "$arm" "$mode"
  wait
  rm -f "$scratch/$mode.db"
  before=$(cat "$scratch/stock.$mode")
  after=$(cat "$scratch/$arm.$mode")
  # In the log fewer frames are written, so there it may be less than that.
  awk -v s="${before:-0}" -v p="${after:-0}" -v mode="$mode" -v limit=$limit 'BEGIN {
    exit !(s>0 && p>0 && p<=s*limit && (mode!="delete" || p>=s*0.999)) }'
  check $? "$what: $(awk -v s="${before:-0}" -v p="${after:-0}" -v arm="$arm" 'BEGIN {
    printf "%.0f instructions with stock, %.0f %s, %+.4f %%", s, p, arm, s ? 100*(p-s)/s : 0 }')"
done
finish
