#!/bin/sh
# Checks that our own Tcl tests execute every line that the patches add to
# SQLite's C sources, and take every branch of it both ways.
#
#   test/coverage.sh BUILD CC [ARM]
#
# BUILD/coverage/ARM holds a test program compiled for gcov by CC, BUILD/ARM its
# source tree, with our own tests among its tests. ARM is patched by default.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
compiler=$2
arm=${3:-patched}
case $($compiler --version) in
  *clang*)
    check 0 "# SKIP coverage: gcov does not read what clang writes"
    finish
    ;;
esac
gcov=gcov-$($compiler -dumpversion)
command -v "$gcov" >/dev/null 2>&1 || gcov=gcov
make_scratch
cp -R "$build/$arm/src/test" "$scratch/test" || exit 2
names=$(our_tests "$build" "$arm")

# The program writes its counts to where it was compiled, below GCOV_PREFIX.
mkdir "$scratch/counts" && give_away "$scratch/counts" || exit 2
GCOV_PREFIX=$scratch/counts
export GCOV_PREFIX
for name in $names; do
  run_tcl "$build/coverage/$arm/fixture/testfixture" "$scratch/$name" \
    "$scratch/test/$name.test"
done
find "$scratch/counts" -name '*sqlite3.gcda' \
  -exec cp {} "$build/coverage/$arm/fixture/" \;
(cd "$build/coverage/$arm/fixture" && "$gcov" -b -c -t ./*sqlite3.gcda) \
  >"$scratch/sqlite3.gcov" 2>"$scratch/gcov.err"

# The numbers of the lines that are not in stock's amalgamation.
diff "$build/stock/fixture/sqlite3.c" "$build/coverage/$arm/fixture/sqlite3.c" |
  sed -n 's/^[0-9,]*[ac]\([0-9]*\)$/\1,\1/p
          s/^[0-9,]*[ac]\([0-9]*\),\([0-9]*\)$/\1,\2/p' >"$scratch/added"

awk -v added="$scratch/added" '
  BEGIN {
    while( (getline range <added)>0 ){
      split(range, r, ",")
      for(i=r[1]+0; i<=r[2]+0; i++) want[i] = 1
    }
  }
  /^ *[^ ]*: *[0-9]+:/ {
    split($0, part, ":")
    here = (part[2]+0 in want) && part[1] !~ /-$/
    text = $0
    sub(/^ *[^:]*: *[0-9]+:/, "", text)
    if( here ){
      n++
      if( part[1] ~ /#/ ) print "never executed: " text
    }
    next
  }
  here && /^branch/ {
    b++
    if( /never executed/ || /taken 0/ ) print "branch not taken: " text
  }
  END { print n+0, b+0 >"/dev/stderr" }' "$scratch/sqlite3.gcov" \
  >"$scratch/missed" 2>"$scratch/totals"
read -r lines branches <"$scratch/totals"
[ "$lines" -ge 5 ] && [ "$branches" -ge 10 ]
check $? "gcov knows the added code: $lines lines, $branches branches"
! [ -s "$scratch/missed" ]
check $? "our tests execute each added line and take each branch of it both ways"
sed 's/^/# /' "$scratch/missed"
finish
