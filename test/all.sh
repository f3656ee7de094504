#!/bin/sh
# "make check" for every supported release, and upstream's full.test besides,
# each release in a folder of its own, build/releases/RELEASE. Goes on after a
# failure, and ends with the sum. Takes hours.
#
#   test/all.sh SRCDIR [VAR=VALUE]...
#
# Exit status: 0 all passed, 1 not.
set -u
srcdir=$1
shift
passed=0
failed=0
top=$(pwd)
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
unset MAKEFLAGS MFLAGS MAKELEVEL

for release in $(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$srcdir/sqlite-src/releases"); do
  echo "# SQLite $release"
  mkdir -p "$top/build/releases/$release" && cd "$top/build/releases/$release" ||
    exit 2
  { "$srcdir/configure" --with-sqlite="$release" "$@" && make check-full; } 2>&1 |
    tee "$out"
  last=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$out" |
    tail -n 1)
  if [ -z "$last" ]; then
    echo "not ok - SQLite $release did not get as far as a count"
    last="0 1"
  fi
  passed=$((passed + ${last% *}))
  failed=$((failed + ${last#* }))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
