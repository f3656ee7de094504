#!/bin/sh
# Runs upstream test suites with the stock and the patched test program, side
# by side, and compares what ran and what failed, exactly.
#
#   test/suite.sh BUILD RELEASE [SUITE...]
#
# BUILD holds stock/ and patched/, each with src/ and fixture/. SUITE is
#
#   veryquick   upstream's, the default: five minutes on two processors
#   families    those tests of upstream's suite "full" that are about the log,
#               the pager, savepoints, crashes, faults and corrupt files
#   all         every suite that upstream's all.test runs, which takes hours
#   NAME        any other suite of upstream's permutations.test
#
# The output of both programs is left in BUILD/suite/SUITE/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
release=$2
shift 2
make_scratch

# Leaks are none of our business here: the test program has some.
ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
export ASAN_OPTIONS

# Some tests go on until a file name is too long, or until no memory
# allocation has failed. So the two folders have names of the same length.
folder_of() {
  case $1 in stock) echo "$scratch/1" ;; patched) echo "$scratch/2" ;; esac
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

# The names of our own tests, which only the patched tree has, with or without
# the name of the suite in front.
for f in "$here"/tcl/*.test; do
  echo "^([a-z_0-9-]+[.])?$(basename "$f" .test)[.-]"
done >"$scratch/ours"
# These go round until nothing crashes any more, or until a time has passed, and
# how often that is differs from run to run: only the names of the loops count.
chance='^([a-z_0-9-]+[.])?[a-z]*crash[0-9]*-'
# ctime.test has a test for each compile option, of which the patched library
# has one more.
options='^([a-z_0-9-]+[.])?ctime-2[.]5[.]'

upstream() {
  grep -v -E "$options" | sed -E "/$chance/s/([.][0-9]+)+$//" | LC_ALL=C sort -u
}

# compare SUITE NAME [PATTERN...]: run upstream's suite NAME, or those of its
# files that match, and report on it as SUITE.
compare() {
  suite=$1
  shift
  pids=
  for arm in stock patched; do
    at=$(folder_of $arm)
    rm -rf "$at"
    mkdir -p "$at" && cp -R "$build/$arm/src/." "$at/src" || exit 2
    # Some tests write next to the scripts.
    give_away "$at/src"
    run_tcl "$build/$arm/fixture/testfixture" "$at" \
      "$at/src/test/permutations.test" "$@" &
    pids="$pids $!"
  done
  # shellcheck disable=SC2086
  wait $pids

  results=$build/suite/$suite
  rm -rf "$results"
  mkdir -p "$results" && cd "$results" || exit 2
  for arm in stock patched; do
    for f in out names failed; do
      cp "$(folder_of $arm)/$f" "$arm.$f" || exit 2
    done
    sed -n 's/.*\(runtime error: .*\)/\1/p
            s/.*ERROR: \(AddressSanitizer.*\)/\1/p' "$arm.out" |
      sed 's/0x[0-9a-f]*/ADDRESS/g' | LC_ALL=C sort -u >"$arm.sanitizers"
  done
  ran=$(wc -l <stock.names)
  cases=$(sed -n 's/.* errors out of \([0-9]*\) tests.*/\1/p' patched.out)

  least=1
  if [ "$suite" = veryquick ]; then
    least=150000
    sed -n "s/^$release //p" "$here/known-failures" | LC_ALL=C sort >known
    same known stock.failed \
      "$suite: stock $release fails the known tests, and no others"
    grep -q -E -f "$scratch/ours" patched.names
    check $? "$suite: our own tests are part of it"
  fi
  [ "$ran" -ge "$least" ]
  check $? "$suite ran: $ran names, on patched ${cases:-?} tests"
  grep -v -E -f "$scratch/ours" patched.names | upstream >patched.upstream
  upstream <stock.names >stock.upstream
  same stock.upstream patched.upstream "$suite: the patched library ran the same tests"
  same stock.failed patched.failed \
    "$suite: the patched library fails the same tests, and no others: $(wc -l <stock.failed)"
  if grep -q __asan_init "$build/patched/fixture/testfixture"; then
    same stock.sanitizers patched.sanitizers \
      "$suite: sanitizers report the same: $(wc -l <stock.sanitizers)"
  fi
}

[ $# -gt 0 ] || set -- veryquick
if [ "$*" = all ]; then
  # shellcheck disable=SC2046
  set -- $(sed -n 's/.*run_test_suite  *\([a-z_0-9]*\) *}* *$/\1/p' \
    "$build/patched/src/test/all.test")
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
