#!/bin/sh
# The differential fuzzer, for about a minute: stock and an arm give the same
# answers, and each wrong build that content, files or counts can give away is
# caught.
#
# usage: fuzz.sh BUILD [ARM [SERIES]]
#
# BUILD holds fuzz, stock/ and ARM/, by default patched/, and the wrong builds of
# SERIES, NAME/libsqlite3.so.0 in wrong/ for core and wrong-SERIES/ for another.
# What a wrong build loses has to be found within a fixed number of sequences, which
# also shows that the search of the first check bites.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

take_arm "$@"
stock=$build/stock/libsqlite3.so.0
tested=$build/$arm/libsqlite3.so.0
for file in "$build/fuzz" "$stock" "$tested"; do
  if [ ! -f "$file" ]; then
    echo "fuzz.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch

# fuzz SEEDS LIBRARY [OPTION...]: stock against another library.
fuzz() {
  seeds=$1
  other=$2
  shift 2
  # shellcheck disable=SC2086 # none or one
  "$build/fuzz" --dir "$scratch" --seeds "$seeds" $compare --lib "stock=$stock" \
    --lib "other=$other" "$@" >"$scratch/out" 2>&1 </dev/null
}

fuzz 1..40 "$tested"
status=$?
check "$status" "stock and $arm agree: $(tail -n 1 "$scratch/out")"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
grep -q '^both wrong' "$scratch/out"
check $((1 - $?)) "the two are never wrong in the same way"
stock_alone "$build" "$scratch/out" "stock is never wrong by itself"

for name in $(names_of_wrong); do
  most=$(takes fuzz "$name" 25)
  [ "$most" != never ] || continue
  fuzz "1..$most" "$wrong/$name/libsqlite3.so.0" --no-shrink
  status=$?
  [ "$status" -eq 1 ]
  check $? "$name is caught within $most sequences: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
done

finish
