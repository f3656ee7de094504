#!/bin/sh
# Runs our own Tcl tests of an arm with its test program, where all must pass. And
# those of a series with an arm that lacks it, and with every wrong build of the
# series, each of which must fail the tests that its patch file names: each test of
# the series must fail in one of these, or it tests nothing.
#
#   test/tcl.sh BUILD [ARM [SERIES]]
#
# ARM is patched by default. The tests and wrong builds of the core series are those
# in test/tcl and test/wrong, and it is stock that lacks it; those of another SERIES
# are in test/SERIES/tcl and test/SERIES/wrong, and patched lacks it.
set -u
. "$(dirname "$0")/lib.sh"
take_arm "$@"
make_scratch

without_points() {
  sed -e 's/-[a-z]*-\(persistent\|transient\)\.[0-9]*$//' -e 's/-full\.[0-9]*$//' |
    LC_ALL=C sort -u
}

cp -R "$build/$arm/src/test" "$scratch/test" || exit 2
wrongs=$(names_of_wrong)

for name in $(our_tests "$build" "$arm"); do
  : >"$scratch/seen"
  of_series=
  if [ -n "$series" ] && [ -f "$own_tests/$name.test" ]; then
    of_series="$without $wrongs"
  fi
  for build_name in $arm $of_series; do
    case $build_name in
      "$arm" | "$without") fixture=$build/$build_name/fixture/testfixture ;;
      *) fixture=$wrong/$build_name/testfixture ;;
    esac
    out=$scratch/$build_name.$name
    run_tcl "$fixture" "$out" "$scratch/test/$name.test"
    if [ "$build_name" = "$arm" ]; then
      count=$(wc -l <"$out/names")
      [ "$count" -gt 0 ] && ! [ -s "$out/failed" ]
      check $? "$name passes, $count tests"
      sed 's/^/# failed: /' "$out/failed"
    else
      cat "$out/failed" >>"$scratch/seen"
    fi
  done
  [ -n "$of_series" ] || continue
  tested=yes
  # Cases that every script gets from upstream's tester.tcl do not count. A
  # test with simulated faults has a case for each point of failure.
  grep "^$name-" "$scratch/$arm.$name/names" | without_points >"$scratch/all"
  without_points <"$scratch/seen" >"$scratch/seen.sorted"
  LC_ALL=C comm -23 "$scratch/all" "$scratch/seen.sorted" >"$scratch/idle"
  ! [ -s "$scratch/idle" ]
  check $? "each test of $name fails on $without or on a wrong build"
  sed 's/^/# cannot fail: /' "$scratch/idle"
done

if [ -n "$series" ] && [ -z "${tested:-}" ]; then
  check 1 "the series $series has tests of its own in $own_tests"
fi

for name in $wrongs; do
  cat "$scratch/$name".*/failed | without_points >"$scratch/failed"
  for caught in $(sed -n 's/^Caught-by: //p' "$wrong_patches/$name.patch"); do
    grep -q -F -x -e "$caught" "$scratch/failed"
    check $? "wrong build $name is caught by $caught ($(wc -l <"$scratch/failed") tests fail)"
  done
  grep -q '^Caught-by: ' "$wrong_patches/$name.patch"
  check $? "wrong build $name says what catches it"
done
finish
