#!/bin/sh
# The searches in their long form, which takes hours, stock against an arm: about a
# million operations of the differential fuzzer, all sequences of five operations of
# the exhaustive search, more than 100,000 crash states, and every point of failure.
#
#   test/long.sh BUILD [ARM]
#
# BUILD holds the programs, stock/ and ARM/, by default patched/.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"
take_arm "$@"
tested=$build/$arm/libsqlite3.so.0
pair="--lib stock=$build/stock/libsqlite3.so.0 --lib $arm=$tested"
make_scratch

# search WHAT PROGRAM [OPTION...]
search() {
  what=$1
  program=$2
  shift 2
  if [ "$program" = crash ]; then
    "$build/crash" --dir "$scratch" --lib "$arm=$tested" --other "$tested" "$@"
  else
    case $program in fault) pages= ;; *) pages=$compare ;; esac
    # shellcheck disable=SC2086 # options
    "$build/$program" --dir "$scratch" $pair $pages "$@"
  fi >"$scratch/out" </dev/null
  status=$?
  check "$status" "$arm, $what: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
}

search "differential" fuzz --seeds 1..3300
for config in leaves nofree tiny incremental full secure rollback trunk fast; do
  search "exhaustive, $config" exhaust --config $config --depth 5 --memory
done
search "crash states" crash --seeds 1..150
search "faults" fault
finish
