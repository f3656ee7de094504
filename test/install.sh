#!/bin/sh
# Installs the patched library into a scratch folder: that everything is there
# under the names that upstream's own "make install" gives it, that a program
# can be built with it by pkg-config and runs with it, and that uninstalling
# leaves nothing behind and takes nothing away that is not ours.
#
#   test/install.sh BUILD CC
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
compiler=$2
command -v pkg-config >/dev/null 2>&1 || {
  echo "install.sh: pkg-config is missing; install it, or run configure --install-deps" >&2
  exit 2
}
make_scratch
cd "$scratch" || exit 2
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR

# ours GOAL FOLDER [VAR=VALUE]...
ours() {
  goal=$1 folder=$2
  shift 2
  make -C "$(dirname "$build")" "$goal" DESTDIR="$folder" "$@" >make.log 2>&1 || {
    sed 's/^/# /' make.log
    return 1
  }
}

# content FOLDER: names below it, and where the links lead to.
content() {
  (cd "$1" && find . ! -type d -printf '%p %l\n' | LC_ALL=C sort)
}

# --- Under upstream's names, by its own "make install" of stock.

usual="prefix=/usr/local exec_prefix=/usr/local bindir=/usr/local/bin
  libdir=/usr/local/lib includedir=/usr/local/include
  mandir=/usr/local/share/man pkgconfigdir=/usr/local/lib/pkgconfig"
# shellcheck disable=SC2086
ours install "$scratch/one" $usual
check $? "make install DESTDIR=... prefix=/usr/local"
cp -a "$build/stock/obj" obj || exit 2
make -C obj install HAVE_TCL= DESTDIR="$scratch/upstream" >upstream.log 2>&1
check $? "upstream's make install"
# It installs libtool's file, too, in old releases, which nobody needs; and not
# the manual page, which is in the tree all the same.
{
  content upstream | grep -v '/libsqlite3[.]la $'
  echo "./usr/local/share/man/man1/sqlite3.1 "
} | LC_ALL=C sort -u >expected
content one >got
same expected got "the same files and links as upstream's: $(wc -l <got)"
sed -e 's,exec_prefix},prefix},g' -e 's, *$,,' \
  upstream/usr/local/lib/pkgconfig/sqlite3.pc >expected
sed -e 's,exec_prefix},prefix},g' -e 's, *$,,' \
  one/usr/local/lib/pkgconfig/sqlite3.pc >got
same expected got "sqlite3.pc says the same as upstream's"
[ "$(readelf -d one/usr/local/lib/libsqlite3.so |
  sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = libsqlite3.so.0 ]
check $? "the soname is that of the link"
! readelf -d one/usr/local/lib/libsqlite3.so | grep -q -E 'RPATH|RUNPATH'
check $? "the library has no search path of its own"
[ -z "$(find one -type f -perm /022)" ] &&
  [ -x one/usr/local/lib/libsqlite3.so.0 ] && [ -x one/usr/local/bin/sqlite3 ]
check $? "modes: nobody else can write, library and shell can be executed"

# --- A program.

cat >program.c <<'END'
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
int main(void) {
  sqlite3 *db;
  if (sqlite3_open(":memory:", &db) != SQLITE_OK) return 1;
  if (sqlite3_exec(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)", 0, 0, 0)) return 1;
  printf("%d %d\n", sqlite3_compileoption_used("WAL_DONTWRITE"),
         strcmp(sqlite3_libversion(), SQLITE_VERSION) == 0);
  return sqlite3_close(db) != SQLITE_OK;
}
END
# linked FOLDER [OPTION]...: build it with what pkg-config says.
linked() {
  folder=$1
  shift
  # shellcheck disable=SC2046
  $compiler -o program program.c $(PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=$folder/pkgconfig \
    PKG_CONFIG_SYSROOT_DIR=$root pkg-config "$@" --cflags --libs sqlite3) 2>cc.log || {
    sed 's/^/# /' cc.log
    return 1
  }
}
root=$scratch/one
linked "$root/usr/local/lib" &&
  [ "$(LD_LIBRARY_PATH=$root/usr/local/lib ./program)" = "1 1" ]
check $? "a program built with pkg-config runs with the shared library"
mkdir -p static/pkgconfig && sed 's,-lsqlite3,-l:libsqlite3.a,' \
  one/usr/local/lib/pkgconfig/sqlite3.pc >static/pkgconfig/sqlite3.pc &&
  linked "$scratch/static" --static && [ "$(./program)" = "1 1" ]
check $? "a program with the static library needs no more than sqlite3.pc says"
[ "$(one/usr/local/bin/sqlite3 :memory: \
  "SELECT sqlite_compileoption_used('WAL_DONTWRITE')")" = 1 ]
check $? "the shell has the patched library in it"

# --- Again, over files in use.

before=$(stat -c %i one/usr/local/lib/libsqlite3.so.0.* one/usr/local/lib/libsqlite3.so.3.* \
  2>/dev/null)
exec 9<one/usr/local/lib/libsqlite3.so
# shellcheck disable=SC2086
ours install "$scratch/one" $usual
status=$?
after=$(stat -c %i one/usr/local/lib/libsqlite3.so.0.* one/usr/local/lib/libsqlite3.so.3.* \
  2>/dev/null)
[ $status = 0 ] && [ -n "$before" ] && [ "$before" != "$after" ]
check $? "installing again replaces the library; who has the old one open keeps it"
exec 9<&-
content one >got
[ "$(wc -l <got)" = "$(grep -c . got)" ] && ! grep -q '[.]new' got
check $? "and leaves no half-written file"

# --- Away again.

# shellcheck disable=SC2086
ours uninstall "$scratch/one" $usual && [ -z "$(find one ! -type d)" ]
check $? "make uninstall leaves nothing: $(find one ! -type d | tr '\n' ' ')"

root=$scratch/two
elsewhere="prefix=/opt/dontwrite libdir=/opt/dontwrite/lib/multi"
# shellcheck disable=SC2086
ours install "$root" $elsewhere &&
  grep -q '^prefix=/opt/dontwrite$' two/opt/dontwrite/lib/multi/pkgconfig/sqlite3.pc &&
  linked "$root/opt/dontwrite/lib/multi" &&
  [ "$(LD_LIBRARY_PATH=$root/opt/dontwrite/lib/multi ./program)" = "1 1" ]
check $? "another prefix and libdir, given to make"
cd two/opt/dontwrite/lib/multi && touch libsqlite3.so.0.99 keep.h &&
  ln -sf libsqlite3.so.0.99 libsqlite3.so.0 && cd "$scratch" || exit 2
# shellcheck disable=SC2086
ours uninstall "$root" $elsewhere
content two >got
cat >expected <<'END'
./opt/dontwrite/lib/multi/keep.h 
./opt/dontwrite/lib/multi/libsqlite3.so.0 libsqlite3.so.0.99
./opt/dontwrite/lib/multi/libsqlite3.so.0.99 
END
same expected got "make uninstall takes nothing that is not ours"

# --- An arm that is not there.

make -C "$(dirname "$build")" install arm=none DESTDIR="$scratch/three" >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e three ]
check $? "make install arm=none is refused: $(sed 's/.*[*]  *//' err)"
finish
