#!/bin/sh
# Runs upstream test suites with the test programs of stock and of other arms, side
# by side, and compares what ran and what failed, exactly.
#
#   test/suite.sh BUILD RELEASE [ARM[,ARM...] [SUITE...]]
#
# BUILD holds stock/ and ARM/, by default patched/, each with src/ and fixture/. As many
# of them run at once as there are processors, but no fewer than two. SUITE is
#
#   veryquick   upstream's, the default: five minutes on two processors
#   families    those tests of upstream's suite "full" that are about the log,
#               the pager, savepoints, crashes, faults and corrupt files
#   all         every suite that upstream's all.test runs, which takes hours
#   NAME        any other suite of upstream's permutations.test
#
# The output of both programs is left in BUILD/suite/SUITE/, or for another arm than
# patched in BUILD/suite-ARM/SUITE/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
release=$2
arms=$(echo "${3:-patched}" | tr ',' ' ')
shift 2
[ $# -eq 0 ] || shift
for arm in stock $arms; do
  [ -x "$build/$arm/fixture/testfixture" ] && continue
  echo "suite.sh: there is no test program of $arm in $build" >&2
  exit 2
done
at_once=$(nproc)
[ "$at_once" -ge 2 ] || at_once=2
make_scratch

# Leaks are none of our business here: the test program has some.
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
export ASAN_OPTIONS

# Some tests go on until a file name is too long, or until no memory
# allocation has failed. So the folders have names of the same length.
folder_of() {
  n=1
  for each in stock $arms; do
    [ "$each" != "$1" ] || echo "$scratch/$n"
    n=$((n + 1))
  done
}

pids=
trap stop EXIT
stop() {
  # Background processes do not get an interrupt from the terminal.
  # shellcheck disable=SC2046,SC2086
  kill $pids $(cat "$scratch"/?/run/pid 2>/dev/null) 2>/dev/null
  # shellcheck disable=SC2086
  wait $pids
  rm -rf "$scratch"
}

# These go round until nothing crashes any more, or until a time has passed, and
# how often that is differs from run to run: only the names of the loops count.
chance='^([a-z_0-9-]+[.])?[a-z]*crash[0-9]*-'
# The last number of these is how many rows a table has that was filled at random. It
# differs where more or fewer random numbers were asked for before, such as the salt of a
# log; and in one of 25 runs with stock alone.
rows='^([a-z_0-9-]+[.])?(av)?trans-9[.]'
# These go on until no allocation fails, and how many there are depends on how much the C
# library gives for what is asked (malloc_usable_size), and so on what was freed before:
# with stock alone of 3.46.1, without lookaside memory, 219 or 220 as GLIBC_TUNABLES says.
heap='^([a-z_0-9-]+[.])?withM-1[.][0-9]-oom-[a-z]+[.]'
# ctime.test has a test for each compile option, of which our libraries
# have one more.
options='^([a-z_0-9-]+[.])?ctime-2[.]5[.]'

upstream() {
  grep -v -E "$options" |
    sed -E "/$chance/s/([.][0-9]+)+$//; /$rows/s/[.-][0-9]+$//; /$heap/s/[.][0-9]+$//" |
    LC_ALL=C sort -u
}

# run_every NTH NAME [PATTERN...]: run upstream's suite NAME, or those of its files that
# match, with each NTH of the programs, one after the other.
run_every() {
  nth=$1
  shift
  n=0
  for side in stock $arms; do
    n=$((n + 1))
    [ $((n % at_once)) -eq $((nth % at_once)) ] || continue
    at=$(folder_of "$side")
    rm -rf "$at"
    mkdir -p "$at" && cp -R "$build/$side/src/." "$at/src" || exit 2
    # Some tests write next to the scripts.
    give_away "$at/src"
    run_tcl "$build/$side/fixture/testfixture" "$at" \
      "$at/src/test/permutations.test" "$@"
  done
}

# compare SUITE NAME [PATTERN...]: run that, and report on it as SUITE.
compare() {
  suite=$1
  shift
  pids=
  nth=1
  while [ "$nth" -le "$at_once" ]; do
    run_every "$nth" "$@" &
    pids="$pids $!"
    nth=$((nth + 1))
  done
  # shellcheck disable=SC2086
  wait $pids
  for arm in $arms; do
    report
  done
}

# report: compare the output of stock and $arm in the suite $suite.
report() {
  results=$build/suite/$suite
  [ "$arm" = patched ] || results=$build/suite-$arm/$suite
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
  # The names of our own tests, which stock's tree does not have, with or without
  # the name of the suite in front.
  for name in $(our_tests "$build" "$arm"); do
    echo "^([a-z_0-9-]+[.])?${name}[.-]"
  done >ours

  least=1
  if [ "$suite" = veryquick ]; then
    least=150000
    sed -n "s/^$release //p" "$here/known-failures" | LC_ALL=C sort >known
    same known stock.failed \
      "$suite: stock $release fails the known tests, and no others"
    grep -q -E -f ours "$arm.names"
    check $? "$suite: our own tests are part of that of $arm"
  fi
  [ "$ran" -ge "$least" ]
  check $? "$suite ran: $ran names, on $arm ${cases:-?} tests"
  grep -v -E -f ours "$arm.names" | upstream >"$arm.upstream"
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
    "$build/stock/src/test/all.test")
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
