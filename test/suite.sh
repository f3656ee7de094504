#!/bin/sh
# Runs an upstream test suite with the stock and the patched test program,
# side by side, and compares what ran and what failed, exactly.
#
#   test/suite.sh BUILD RELEASE [SCRIPT]
#
# BUILD is the build folder, SCRIPT a script in upstream's test/ folder
# (default veryquick.test). Takes about five minutes on two processors. The
# output of both runs is left in BUILD/suite/.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
release=$2
script=${3:-veryquick.test}

make_scratch

# Some tests go on until a file name is too long, or until no memory
# allocation has failed. So the two folders have names of the same length.
folder_of() {
  case $1 in stock) echo "$scratch/1" ;; patched) echo "$scratch/2" ;; esac
}
pids=
for arm in stock patched; do
  at=$(folder_of $arm)
  mkdir -p "$at" && cp -R "$build/$arm/src" "$at/src" || exit 2
  # Some tests write next to the scripts.
  give_away "$at/src"
  run_tcl "$build/$arm/fixture/testfixture" "$at/src/test/$script" "$at" &
  pids="$pids $!"
done
trap stop EXIT
stop() {
  # Background processes do not get an interrupt from the terminal.
  # shellcheck disable=SC2046,SC2086
  kill $(cat "$scratch"/?/run/pid 2>/dev/null) 2>/dev/null
  # shellcheck disable=SC2086
  wait $pids
  rm -rf "$scratch"
}
# shellcheck disable=SC2086
wait $pids

rm -rf "$build/suite"
mkdir -p "$build/suite"
for arm in stock patched; do
  for f in out names failed; do
    cp "$(folder_of $arm)/$f" "$build/suite/$arm.$f" || exit 2
  done
done
cd "$build/suite" || exit 2
sed -n "s/^$release //p" "$here/known-failures" | LC_ALL=C sort >known
ran=$(wc -l <stock.names)
cases=$(sed -n 's/.* errors out of \([0-9]*\) tests.*/\1/p' stock.out)

[ "$ran" -gt 150000 ]
check $? "$script ran on stock: ${cases:-?} tests, $ran names"
if [ "$script" = veryquick.test ]; then
  same known stock.failed "stock $release fails the known tests, and no others"
fi
# The patched tree has our own tests besides. And ctime.test has a test for
# each compile option, of which the patched library has one more.
for f in "$here"/tcl/*.test; do
  basename "$f" .test
done | sed 's/.*/^&[.-]/' >ours
grep -v -f ours -e '^ctime-2[.]5[.]' patched.names >patched.upstream
grep -v -e '^ctime-2[.]5[.]' stock.names >stock.upstream
same stock.upstream patched.upstream "the patched library ran the same tests"
grep -q -f ours patched.names
check $? "our own tests are part of the suite"
same stock.failed patched.failed "the patched library fails the same tests, and no others"
finish
