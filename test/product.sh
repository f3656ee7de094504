#!/bin/sh
# Checks what the build leaves, and what configure, the fetching of upstream
# and the patches do with input that is no good.
#
#   test/product.sh BUILD SQLITE_SRC
#
# BUILD is the build folder, SQLITE_SRC the upstream tree it was made from.
set -u
. "$(dirname "$0")/lib.sh"
take_tree "$@"
make_scratch
cd "$scratch" || exit 2

# --- The products.

for arm in stock patched; do
  missing=
  for f in sqlite3.c sqlite3.h sqlite3ext.h sqlite3 libsqlite3.a libsqlite3.so \
    libsqlite3.so.0; do
    [ -s "$build/$arm/$f" ] || missing="$missing $f"
  done
  [ -z "$missing" ]
  check $? "$arm has all its products$missing"
  [ "$(readelf -d "$build/$arm/libsqlite3.so.0" |
    sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = libsqlite3.so.0 ]
  check $? "$arm has the soname libsqlite3.so.0"
  "$build/$arm/sqlite3" :memory: 'SELECT sqlite_source_id()' >"$arm.id" 2>&1
  "$build/$arm/sqlite3" :memory: 'PRAGMA compile_options' >"$arm.options" 2>&1
  # What was compiled and how, without the name of the arm, and without the order,
  # which is another each time when several run at once.
  sed "s,/$arm/,/ARM/,g" "$build/$arm/obj/make.log" | LC_ALL=C sort >"$arm.commands"
done

if [ -f "$sqlite_src/manifest.uuid" ]; then
  grep -q -F -f "$sqlite_src/manifest.uuid" stock.id
  check $? "stock has upstream's source id"
fi
[ -s patched.id ] && ! cmp -s stock.id patched.id
check $? "the source id of the patched library is not stock's"
{ cat stock.options && echo WAL_DONTWRITE; } | sort >expected.options
sort patched.options >sorted.options
same expected.options sorted.options \
  "WAL_DONTWRITE is the one compile option that differs"
grep -q 'sqlite3[.]c' stock.commands
check $? "the commands that compiled stock are known"
same stock.commands patched.commands "both were compiled by the same commands"
diff -r "$sqlite_src" "$build/stock/src" >stock.diff 2>&1
check $? "stock is built from upstream's tree as it is"

(cd "$top/patches" && cat ./*.patch) |
  sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' | sort -u >touched
(cd "$build/patched/src" && for f in test/*.t*; do
  [ -f "$top/test/tcl/${f#test/}" ] && echo "$f"
done) >>touched
diff -rq "$sqlite_src" "$build/patched/src" |
  sed -e 's/^Only in [^:]*\/src\/\(.*\): /\1\//' \
    -e 's/^Files .* and .*\/patched\/src\/\(.*\) differ$/\1/' |
  grep -v -x -F -f touched >untold
! [ -s untold ]
check $? "the patched tree differs in what the patches name, and in nothing else"

# --- The patches.

for patch in "$top"/patches/*.patch; do
  name=$(basename "$patch")
  fields=$(sed '/^---/q' "$patch" |
    grep -c -e '^Description: ' -e '^Author: ' -e '^Forwarded: ' -e '^Last-Update: [0-9-]*$')
  [ "$fields" = 4 ]
  check $? "$name has its DEP-3 fields"
  ! sed -n 's/^+//p' "$patch" | grep -q '[[:space:]]$'
  check $? "$name adds no blanks at the end of a line"
  grep -q -x -F -e "$name" "$top/patches/series" "$top/patches/series-ctime"
  check $? "$name is part of the series"
done

mkdir other && cp -R "$sqlite_src/src" "$sqlite_src/VERSION" other/ &&
  sed 's/pagerStress/pagerStrain/' "$sqlite_src/src/pager.c" \
    >other/src/pager.c && cp -R other other.before || exit 2
"$top/patches/apply" other 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && diff -r other other.before >/dev/null
check $? "a tree that the series does not fit is left as it was"

rm -rf other && cp -R "$build/patched/src" other && cp -R other other.patched || exit 2
"$top/patches/apply" other 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -q 'already$' err &&
  diff -r other other.patched >/dev/null
check $? "so is one that has it already, which is told: $(cat err)"

# What comes last in the order of names cannot be written.
rm -rf other && cp -R "$sqlite_src" other && chmod -R u+w other && give_away other &&
  chmod a-w other/tool/mkctimec.tcl && cp -R "$top/patches" patches &&
  chmod -R a+rX patches || exit 2
unprivileged patches/apply other 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && diff -r other "$sqlite_src" >/dev/null
check $? "and one that cannot be written in full: $(cat err)"
chmod u+w other/tool/mkctimec.tcl
unprivileged patches/apply other && diff -r other "$build/patched/src" | grep -v -e '^Only in .*/test: ' |
  grep . >out
! [ -s out ]
check $? "then it is applied"

# --- Bad input: one line on stderr, exit 2, no file left behind.

# refused WHAT COMMAND...
refused() {
  what=$1
  shift
  mkdir -p empty
  (cd empty && "$@" >../out 2>../err)
  status=$?
  left=$(ls -A empty)
  [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && [ -z "$left" ]
  check $? "$what is refused: $(head -n 1 err | cut -c 1-100)"
  [ $status = 2 ] && [ -z "$left" ] || echo "# status $status, left: $left"
  rm -rf empty
}
refused "an unknown option" "$top/configure" --with-magic
refused "a relative prefix" "$top/configure" --prefix=here
refused "a relative libdir" "$top/configure" --libdir=lib
refused "a mode that secure_delete has not" "$top/configure" --secure-delete=maybe
refused "features from a file that is not there" "$top/configure" \
  --with-features=/nowhere
echo "-DSQLITE_ENABLE_FTS5 -O3" >bad.features
refused "a feature that is none" "$top/configure" \
  --with-features="$scratch/bad.features" --with-sqlite="$sqlite_src"
refused "secure_delete as a flag" "$top/configure" CFLAGS=-DSQLITE_SECURE_DELETE \
  --with-sqlite="$sqlite_src"
if [ ! -d "$sqlite_src/debian" ]; then
  refused "the distribution's features for a tree without debian/" "$top/configure" \
    --with-features=distro --with-sqlite="$sqlite_src"
fi
refused "packages for nothing in particular" "$top/configure" --install-deps=all
refused "a release that is not supported" "$top/configure" --with-sqlite=3.7.0
refused "a folder that is not there" "$top/configure" --with-sqlite=/nowhere
refused "a folder without SQLite" "$top/configure" --with-sqlite="$top/test"
refused "a folder without Tcl" "$top/configure" --with-tcl=/nowhere \
  --with-sqlite="$sqlite_src"
refused "a compiler that is not there" "$top/configure" CC=nowhere-cc \
  --with-sqlite="$sqlite_src"
refused "a compiler that does not work" env CC=false "$top/configure" \
  --with-sqlite="$sqlite_src"

# Without a network, told by a proxy that is not there.
no_network() {
  env http_proxy=http://127.0.0.1:9 https_proxy=http://127.0.0.1:9 "$@"
}
mkdir fetch && cp "$top/sqlite-src/obtain" fetch/ || exit 2
sed 's/^\(3[0-9.]* \)[0-9a-f]*/\1'"$(printf '%064d' 0)"'/' \
  "$top/sqlite-src/releases" >fetch/releases
release=$(sed -n 's/^\(3[^ ]*\) .*/\1/p' fetch/releases | head -n 1)
no_network fetch/obtain "$release" >out 2>err
[ $? = 2 ] && tail -n 1 err | grep -q 'cannot be reached' &&
  [ "$(ls -A fetch | tr '\n' ' ')" = "obtain releases " ]
check $? "no network: $(tail -n 1 err | cut -c 1-100)"
no_network fetch/obtain newest >out 2>err
[ $? = 2 ] && tail -n 1 err | grep -q 'cannot be reached'
check $? "no network, any release: $(tail -n 1 err | cut -c 1-100)"
mkdir "fetch/$release" && touch "fetch/$release/VERSION" || exit 2
[ "$(no_network fetch/obtain "$release" 2>err)" = "$scratch/fetch/$release" ] &&
  ! [ -s err ]
check $? "a release that is already there needs no network"
rm -r "fetch/$release"

case $sqlite_src in
  "$top"/sqlite-src/*)
    fetch/obtain "$(basename "$sqlite_src")" >out 2>err
    [ $? = 2 ] && tail -n 1 err | grep -q 'SHA-256 differs' &&
      [ "$(ls -A fetch | tr '\n' ' ')" = "obtain releases " ]
    check $? "another tarball than the pinned one: $(tail -n 1 err | cut -c 1-100)"
    ;;
  *)
    check 0 "# SKIP the pinned hash: the tree was not obtained from the archive"
    ;;
esac

# --- Making it again does nothing.

env -u MAKEFLAGS -u MFLAGS make -q -C "$(dirname "$build")" all >out 2>&1
check $? "a second make has nothing to do"
finish
