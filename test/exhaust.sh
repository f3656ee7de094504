#!/bin/sh
# The exhaustive search, for less than a minute: every short sequence of a few
# operations on tiny databases, stock against an arm, and each wrong build that
# content, files or counts can give away is caught.
#
# usage: exhaust.sh BUILD [ARM [SERIES]]
#
# BUILD holds exhaust, stock/ and ARM/, by default patched/, and the wrong builds of
# SERIES, NAME/libsqlite3.so.0 in wrong/ for core and wrong-SERIES/ for another.
# A wrong build has to be caught at the depth that the file "searches" beside its
# patch gives, which is the least at which it can be: no shorter sequence shows it.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

take_arm "$@"
stock=$build/stock/libsqlite3.so.0
tested=$build/$arm/libsqlite3.so.0
for file in "$build/exhaust" "$stock" "$tested"; do
  if [ ! -f "$file" ]; then
    echo "exhaust.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch

# exhaust CONFIGURATION DEPTH LIBRARY [OPTION...]: stock against another library.
exhaust() {
  config=$1
  depth=$2
  other=$3
  shift 3
  # shellcheck disable=SC2086 # none or one
  "$build/exhaust" --dir "$scratch" --config "$config" --depth "$depth" $compare \
    --lib "stock=$stock" --lib "other=$other" "$@" >"$scratch/out" 2>&1 </dev/null
}

# agree CONFIGURATION DEPTH [OPTION...]
agree() {
  config=$1
  depth=$2
  shift 2
  exhaust "$config" "$depth" "$tested" "$@"
  status=$?
  check "$status" "stock and $arm agree, $config: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
  stock_alone "$build" "$scratch/out" "stock is never wrong by itself, $config"
}

for config in leaves nofree tiny full incremental secure rollback; do
  agree "$config" 4 --memory
done
agree trunk 3 --memory
agree fast 3 --memory
# In files, as the others could be.
agree leaves 3
agree rollback 3

# Releases up to 3.46 lose this commit unless wal-checksum-after-undo.patch mends
# them; stock happens not to lose it.
agree tiny 8 --sequence bsixdrpx

for name in $(names_of_wrong); do
  place=$(takes exhaust "$name" "leaves 3")
  [ "$place" != never ] || continue
  # shellcheck disable=SC2086 # words: configuration, depth, options
  set -- $place
  config=$1
  depth=$2
  shift 2
  exhaust "$config" "$depth" "$wrong/$name/libsqlite3.so.0" "$@"
  status=$?
  [ "$status" -eq 1 ] && tail -n 1 "$scratch/out" | grep -q "^depth $depth,"
  check $? "$name is caught, $config: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
done

finish
