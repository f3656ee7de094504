#!/bin/sh
# Runs upstream test suites with the test programs of stock and of an arm, side
# by side, and compares what ran and what failed, exactly.
#
#   test/suite.sh BUILD RELEASE [ARM [SUITE...]]
#
# BUILD holds stock/ and ARM/, by default patched/, each with src/ and fixture/. SUITE is
#
#   veryquick   upstream's, the default: five minutes on two processors
#   families    those tests of upstream's suite "full" that are about the log,
#               the pager, savepoints, crashes, faults and corrupt files
#   all         every suite that upstream's all.test runs, which takes hours
#   NAME        any other suite of upstream's permutations.test
#
# The output of both programs is left in BUILD/suite/SUITE/, or with another arm than
# patched in BUILD/suite-ARM/SUITE/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
release=$2
arm=${3:-patched}
shift 2
[ $# -eq 0 ] || shift
kept=$build/suite
[ "$arm" = patched ] || kept=$build/suite-$arm
make_scratch

# Leaks are none of our business here: the test program has some.
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
export ASAN_OPTIONS

# Some tests go on until a file name is too long, or until no memory
# allocation has failed. So the two folders have names of the same length.
folder_of() {
  case $1 in stock) echo "$scratch/1" ;; *) echo "$scratch/2" ;; esac
}

pids=
trap stop EXIT
stop() {
  # Background processes do not get an interrupt from the terminal.
  # shellcheck disable=SC2046,SC2086
  kill $(cat "$scratch"/?/run/pid 2>/dev/null) 2>/dev/null
  # shellcheck disable=SC2086
  wait $pids
  rm -rf "$scratch"
}

# The names of our own tests, which stock's tree does not have, with or without
# the name of the suite in front.
for name in $(our_tests "$build" "$arm"); do
  echo "^([a-z_0-9-]+[.])?${name}[.-]"
done >"$scratch/ours"
# These go round until nothing crashes any more, or until a time has passed, and
# how often that is differs from run to run: only the names of the loops count.
chance='^([a-z_0-9-]+[.])?[a-z]*crash[0-9]*-'
# The last number of these is how many rows a table has that was filled at random, which
# differs now and then: with stock alone, once in 25 runs.
rows='^([a-z_0-9-]+[.])?avtrans-9[.]'
# ctime.test has a test for each compile option, of which our libraries
# have one more.
options='^([a-z_0-9-]+[.])?ctime-2[.]5[.]'

upstream() {
  grep -v -E "$options" | sed -E "/$chance/s/([.][0-9]+)+$//; /$rows/s/[.-][0-9]+$//" | LC_ALL=C sort -u
}

# compare SUITE NAME [PATTERN...]: run upstream's suite NAME, or those of its
# files that match, and report on it as SUITE.
compare() {
  suite=$1
  shift
  pids=
  for side in stock "$arm"; do
    at=$(folder_of "$side")
    rm -rf "$at"
    mkdir -p "$at" && cp -R "$build/$side/src/." "$at/src" || exit 2
    # Some tests write next to the scripts.
    give_away "$at/src"
    run_tcl "$build/$side/fixture/testfixture" "$at" \
      "$at/src/test/permutations.test" "$@" &
    pids="$pids $!"
  done
  # shellcheck disable=SC2086
  wait $pids

  results=$kept/$suite
  rm -rf "$results"
  mkdir -p "$results" && cd "$results" || exit 2
  for side in stock "$arm"; do
    for f in out names failed; do
      cp "$(folder_of "$side")/$f" "$side.$f" || exit 2
    done
    sed -n 's/.*\(runtime error: .*\)/\1/p
            s/.*ERROR: \(AddressSanitizer.*\)/\1/p' "$side.out" |
      sed 's/0x[0-9a-f]*/ADDRESS/g' | LC_ALL=C sort -u >"$side.sanitizers"
  done
  ran=$(wc -l <stock.names)
  cases=$(sed -n 's/.* errors out of \([0-9]*\) tests.*/\1/p' "$arm.out")

  least=1
  if [ "$suite" = veryquick ]; then
    least=150000
    sed -n "s/^$release //p" "$here/known-failures" | LC_ALL=C sort >known
    same known stock.failed \
      "$suite: stock $release fails the known tests, and no others"
    grep -q -E -f "$scratch/ours" "$arm.names"
    check $? "$suite: our own tests are part of it"
  fi
  [ "$ran" -ge "$least" ]
  check $? "$suite ran: $ran names, on $arm ${cases:-?} tests"
  grep -v -E -f "$scratch/ours" "$arm.names" | upstream >"$arm.upstream"
  upstream <stock.names >stock.upstream
  same stock.upstream "$arm.upstream" "$suite: $arm ran the same tests"
  same stock.failed "$arm.failed" \
    "$suite: $arm fails the same tests, and no others: $(wc -l <stock.failed)"
  if grep -q __asan_init "$build/$arm/fixture/testfixture"; then
    same stock.sanitizers "$arm.sanitizers" \
      "$suite: sanitizers report the same: $(wc -l <stock.sanitizers)"
  fi
}

[ $# -gt 0 ] || set -- veryquick
if [ "$*" = all ]; then
  # shellcheck disable=SC2046
  set -- $(sed -n 's/.*run_test_suite  *\([a-z_0-9]*\) *}* *$/\1/p' \
    "$build/$arm/src/test/all.test")
fi
for name in "$@"; do
  case $name in
    families)
      compare families full wal% pager% savepoint% %crash% %fault% %ioerr% corrupt%
      ;;
    *) compare "$name" "$name" ;;
  esac
done
finish
