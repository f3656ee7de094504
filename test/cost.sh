#!/bin/sh
# What the series costs where it saves nothing: instructions executed by
# upstream's speedtest1, in WAL and in rollback mode, stock and patched. They
# are counted by valgrind, as the time it takes is too unsteady.
#
#   test/cost.sh BUILD CC [SIZE]
#
# SIZE is speedtest1's, by default 10: half a minute on two processors. Only its
# test set "main" runs, as the others need features that are off by default.
set -u
. "$(dirname "$0")/lib.sh"
build=$(cd "$1" && pwd)
compiler=$2
size=${3:-10}
command -v valgrind >/dev/null 2>&1 || {
  echo "cost.sh: valgrind is missing; install it, or run configure --install-deps" >&2
  exit 2
}
make_scratch

# instructions ARM MODE: count into the file ARM.MODE.
instructions() {
  valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
    "$scratch/$1" --journal "$2" --size "$size" --testset main \
    "$scratch/$1.$2.db" >"$scratch/$1.$2.out" 2>&1 || return
  sed -n 's/.*I *refs: *\([0-9,]*\).*/\1/p' "$scratch/$1.$2.out" | tr -d , \
    >"$scratch/$1.$2"
}

for arm in stock patched; do
  # The compiler's own flags, as it is the library that is measured.
  # shellcheck disable=SC2086
  $compiler -O2 -I"$build/$arm" "$build/$arm/src/test/speedtest1.c" \
    "$build/$arm/libsqlite3.a" -o "$scratch/$arm" -lm -lpthread -ldl || exit 2
done
for mode in wal delete; do
  instructions stock $mode &
  instructions patched $mode
  wait
  stock=$(cat "$scratch/stock.$mode")
  patched=$(cat "$scratch/patched.$mode")
  # In the log fewer frames are written, so there it may be less than that.
  awk -v s="${stock:-0}" -v p="${patched:-0}" -v mode=$mode 'BEGIN {
    exit !(s>0 && p>0 && p<=s*1.001 && (mode=="wal" || p>=s*0.999)) }'
  check $? "journal_mode=$mode: $(awk -v s="${stock:-0}" -v p="${patched:-0}" 'BEGIN {
    printf "%d instructions with stock, %d patched, %+.4f %%", s, p, s ? 100*(p-s)/s : 0 }')"
done
finish
