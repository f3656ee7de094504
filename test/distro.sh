#!/bin/sh
# The library as a distribution would build it: with its features and its
# hardening, twice, in two folders. That both are the same bytes, that nothing is
# missing which the distribution's own library exports, and all of interface.sh
# and install.sh. Builds three libraries, which takes minutes.
#
#   test/distro.sh SQLITE_SRC CC
#
# The release is that of the distribution's library if the series is kept for it,
# or else that of SQLITE_SRC.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/lib.sh"
sqlite_src=$(cd "$1" && pwd)
compiler=$2
make_scratch
cd "$scratch" || exit 2
unset CFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MFLAGS MAKELEVEL

release=$(cat "$sqlite_src/VERSION")
theirs=
installed=$(dpkg-query -W -f '${Version}' libsqlite3-0 2>/dev/null | sed 's/-.*//')
if [ -n "$installed" ] && grep -q "^$installed " "$top/sqlite-src/releases"; then
  release=$installed
  theirs=$(dpkg-query -L libsqlite3-0 | grep '/libsqlite3[.]so[.]0$')
fi

for folder in one another/and/deeper; do
  mkdir -p $folder && (cd $folder && "$top/configure" CC="$compiler" \
    --with-sqlite="$release" --with-features=distro) >out 2>&1 || {
    sed 's/^/# /' out
    exit 2
  }
  make -C $folder build/patched/.built >out 2>&1
  check $? "SQLite $release with the distribution's features is built in $folder"
done
make -C one build/stock/.built >out 2>&1
check $? "and stock"

for f in libsqlite3.so.0 libsqlite3.a sqlite3.c; do
  cmp one/build/patched/$f another/and/deeper/build/patched/$f >out 2>&1
  check $? "$f is the same bytes in both folders"
  sed 's/^/# /' out
done

exported() {
  nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort
}
if [ -n "$theirs" ]; then
  exported "$theirs" >theirs.symbols
  exported one/build/patched/libsqlite3.so.0 >ours.symbols
  LC_ALL=C comm -23 theirs.symbols ours.symbols >missing
  ! [ -s missing ]
  check $? "nothing is missing that $theirs exports: $(wc -l <theirs.symbols) symbols, ours has $(wc -l <ours.symbols)"
  sed 's/^/# missing: /' missing | head
  # What it was compiled with, asked of the libraries.
  for library in "$(dirname "$theirs")" "$scratch/one/build/patched"; do
    cat >ask.c <<'END'
#include <sqlite3.h>
#include <stdio.h>
int main(void) {
  const char *z;
  for (int i = 0; (z = sqlite3_compileoption_get(i)) != 0; i++) puts(z);
  return 0;
}
END
    $compiler -Ione/build/patched -o ask ask.c one/build/patched/libsqlite3.so.0 &&
      LD_LIBRARY_PATH=$library ./ask | grep -v '^COMPILER=' | LC_ALL=C sort >"$(
        [ "$library" = "$(dirname "$theirs")" ] && echo theirs || echo ours
      ).options"
  done
  # Debian's patches set a larger limit, which has no say in the interface.
  { grep -v '^MAX_DEFAULT_PAGE_SIZE=' theirs.options && echo WAL_DONTWRITE; } |
    LC_ALL=C sort >expected
  grep -v '^MAX_DEFAULT_PAGE_SIZE=' ours.options >got
  same expected got "the compile options are the distribution's and WAL_DONTWRITE: $(wc -l <got)"
else
  check 0 "# SKIP the distribution's library: none of a supported release is installed"
fi
[ "$(one/build/patched/sqlite3 :memory: 'PRAGMA secure_delete')" = \
  "$(grep -q -e '-DSQLITE_SECURE_DELETE' one/build/settings && echo 1 || echo 0)" ]
check $? "secure_delete is as the distribution has it"

for script in interface install; do
  sh "$here/$script.sh" one/build "$compiler" >out 2>&1
  status=$?
  [ $status = 0 ] && [ "$(grep -c '^ok' out)" -gt 8 ]
  check $? "$script.sh with this library: $(grep -c '^ok' out) passed"
  grep -v '^ok' out | sed 's/^/# /'
done
finish
