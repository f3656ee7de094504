#!/bin/sh
# The patched library has the interface of stock: the same exported symbols, and
# the same types behind them, as abidiff finds them in the debug information.
# Then, of the machine code that people get: what readelf says about hardening,
# if it was asked for, and that the same source in another folder gives the same
# bytes.
#
#   test/interface.sh BUILD CC
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/hardened.sh"
build=$(cd "$1" && pwd)
compiler=$2
command -v abidiff >/dev/null 2>&1 || {
  echo "interface.sh: abidiff is missing; install abigail-tools, or run configure --install-deps" >&2
  exit 2
}
make_scratch
cd "$scratch" || exit 2

exported() {
  nm -D --defined-only "$1" | awk '{ print $2, $3 }' | LC_ALL=C sort
}
for arm in stock patched; do
  exported "$build/$arm/libsqlite3.so.0" >"$arm.symbols"
done
[ "$(grep -c ' sqlite3_' stock.symbols)" -gt 200 ]
check $? "stock exports the interface: $(wc -l <stock.symbols) symbols"
# A library that is not made of the amalgamation exports functions that no
# program may call. The series may add one of these, and take none away.
grep ' sqlite3_' stock.symbols >expected
grep ' sqlite3_' patched.symbols >got
same expected got "patched exports the same interface"
LC_ALL=C comm -23 stock.symbols patched.symbols >missing
! [ -s missing ]
check $? "no symbol of stock is missing: $(head -n 3 missing | tr '\n' ' ')"
cmp -s stock.symbols patched.symbols ||
  LC_ALL=C comm -13 stock.symbols patched.symbols | sed 's/^/# added: /'

LC_ALL=C
export LC_ALL
abidiff "$build/stock/libsqlite3.so.0" \
  "$build/patched/libsqlite3.so.0" >abi 2>&1
status=$?
if cmp -s stock.symbols patched.symbols; then
  [ $status = 0 ]
else
  # 4: a difference; more bits would tell of one that is not compatible.
  [ $status = 4 ] && grep -q '0 Removed' abi && grep -q '0 Changed' abi
fi
check $? "abidiff: the types are the same"
[ $status = 0 ] || sed 's/^/# /' abi | head -n 20

# The comparison can tell: without a function, and with another type.
cat >one.c <<'END'
struct s { int a; };
int f(struct s *p) { return p->a; }
int g(void) { return 0; }
END
sed -e 's/int a/long a/' -e '/g(void)/d' one.c >two.c
for f in one two; do
  $compiler -g -shared -fPIC -o $f.so $f.c || exit 2
done
abidiff one.so two.so >abi 2>&1
[ $? != 0 ]
check $? "abidiff finds a function that is gone and a type that is another one"

for f in sqlite3.h sqlite3ext.h; do
  diff "$build/stock/$f" "$build/patched/$f" |
    grep '^[<>]' | grep -v '^[<>] #define SQLITE_SOURCE_ID ' >difference
  ! [ -s difference ]
  check $? "$f is that of stock"
done

grep -q -e '-fstack-protector' "$build/settings" && for arm in stock patched; do
  hardened "$build/$arm/libsqlite3.so.0" "$arm"
done

# --- Another folder, the same bytes. Not optimized, since that is quicker.
# distro.sh does it with the whole build.

if $compiler -ffile-prefix-map=/a/=./ -x c -c -o try.o - </dev/null 2>/dev/null; then
  for folder in here there/and/further; do
    mkdir -p $folder && cp "$build/patched/sqlite3.c" "$build/patched/sqlite3.h" $folder &&
      (cd $folder && $compiler -g -O0 -fPIC -shared \
        "-ffile-prefix-map=$scratch/$folder/=./" "-ffile-prefix-map=$scratch/$folder=." \
        sqlite3.c -o libsqlite3.so.0) || exit 2
  done
  cmp here/libsqlite3.so.0 there/and/further/libsqlite3.so.0 >/dev/null
  check $? "compiled in two folders, the library is the same bytes"
  ! strings -a "$build/patched/libsqlite3.so.0" | grep -q -F "$build"
  check $? "the library does not hold the name of the folder it was built in"
fi
finish
