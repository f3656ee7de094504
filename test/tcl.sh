#!/bin/sh
# Runs our own Tcl tests with the patched test program, where all must pass,
# with the stock one, and with every wrong build, each of which must fail the
# tests that its patch file names. And each test must fail in one of these, or
# it tests nothing.
#
#   test/tcl.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
make_scratch

without_points() {
  sed -e 's/-[a-z]*-\(persistent\|transient\)\.[0-9]*$//' -e 's/-full\.[0-9]*$//' |
    LC_ALL=C sort -u
}

cp -R "$build/patched/src/test" "$scratch/test" || exit 2
for wrong in "$here"/wrong/*.patch; do
  wrongs="${wrongs:-} $(basename "$wrong" .patch)"
done

for test in "$here"/tcl/*.test; do
  name=$(basename "$test" .test)
  : >"$scratch/seen"
  for build_name in patched stock $wrongs; do
    case $build_name in
      stock | patched) fixture=$build/$build_name/fixture/testfixture ;;
      *) fixture=$build/wrong/$build_name/testfixture ;;
    esac
    out=$scratch/$build_name.$name
    run_tcl "$fixture" "$out" "$scratch/test/$name.test"
    if [ "$build_name" = patched ]; then
      count=$(wc -l <"$out/names")
      [ "$count" -gt 0 ] && ! [ -s "$out/failed" ]
      check $? "$name passes, $count tests"
      sed 's/^/# failed: /' "$out/failed"
    else
      cat "$out/failed" >>"$scratch/seen"
    fi
  done
  # Cases that every script gets from upstream's tester.tcl do not count. A
  # test with simulated faults has a case for each point of failure.
  grep "^$name-" "$scratch/patched.$name/names" | without_points >"$scratch/all"
  without_points <"$scratch/seen" >"$scratch/seen.sorted"
  LC_ALL=C comm -23 "$scratch/all" "$scratch/seen.sorted" >"$scratch/idle"
  ! [ -s "$scratch/idle" ]
  check $? "each test of $name fails on stock or on a wrong build"
  sed 's/^/# cannot fail: /' "$scratch/idle"
done

for wrong in $wrongs; do
  cat "$scratch/$wrong".*/failed | without_points >"$scratch/failed"
  for caught in $(sed -n 's/^Caught-by: //p' "$here/wrong/$wrong.patch"); do
    grep -q -F -x -e "$caught" "$scratch/failed"
    check $? "wrong build $wrong is caught by $caught ($(wc -l <"$scratch/failed") tests fail)"
  done
  grep -q '^Caught-by: ' "$here/wrong/$wrong.patch"
  check $? "wrong build $wrong says what catches it"
done
finish
