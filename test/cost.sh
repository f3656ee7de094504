#!/bin/sh
# What the series costs where it saves nothing: instructions executed by
# upstream's speedtest1, in WAL and in rollback mode, and by small transactions
# with savepoints on a file of 2 MB and on one of 200 MB, with stock and an arm. They
# are counted by valgrind, as the time it takes is too unsteady.
#
#   test/cost.sh BUILD CC [ARM [SIZE]]
#
# ARM is patched by default. SIZE is speedtest1's, by default 10: half a minute on two
# processors. Only its test set "main" runs, as the others need features that are off
# by default.
set -u
. "$(dirname "$0")/lib.sh"
build=$(cd "$1" && pwd)
compiler=$2
tested=${3:-patched}
size=${4:-10}
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
    savepoints-*)
      cp "$scratch/$2.db" "$scratch/$1.$2.db" &&
        count "$1.$2" "$build/$1/sqlite3" -batch -init /dev/null "$scratch/$1.$2.db" \
          <"$scratch/$2.sql"
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

for arm in stock "$tested"; do
  # The compiler's own flags, as it is the library that is measured.
  # shellcheck disable=SC2086
  $compiler -O2 -I"$build/$arm" "$build/$arm/src/test/speedtest1.c" \
    "$build/$arm/libsqlite3.a" -o "$scratch/$arm" -lm -lpthread -ldl || exit 2
done
savepoints savepoints-small 500 && savepoints savepoints-large 50000 || exit 2
for mode in wal delete savepoints-small savepoints-large; do
  instructions stock $mode &
  instructions "$tested" $mode
  wait
  stock=$(cat "$scratch/stock.$mode")
  counted=$(cat "$scratch/$tested.$mode")
  case $mode in
    savepoints-small) what="savepoints, 2 MB" ;;
    savepoints-large) what="savepoints, 200 MB" ;;
    *) what="journal_mode=$mode" ;;
  esac
  # In the log fewer frames are written, so there it may be less than that.
  awk -v s="${stock:-0}" -v p="${counted:-0}" -v mode=$mode 'BEGIN {
    exit !(s>0 && p>0 && p<=s*1.001 && (mode!="delete" || p>=s*0.999)) }'
  check $? "$what: $(awk -v s="${stock:-0}" -v p="${counted:-0}" -v arm="$tested" 'BEGIN {
    printf "%d instructions with stock, %d %s, %+.4f %%", s, p, arm, s ? 100*(p-s)/s : 0 }')"
done
finish
