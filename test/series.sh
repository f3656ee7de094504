#!/bin/sh
# Checks the series beside the core one: how patches/apply takes them, which arms
# configure makes of them, and that walbench measures those arms, and no others.
#
#   test/series.sh BUILD SQLITE_SRC
#
# BUILD is the build folder, SQLITE_SRC the upstream tree it was made from. What is
# checked of the tools does not depend on which series there are: some are made up,
# in a copy of the tools, of which one does not apply.
set -u
. "$(dirname "$0")/lib.sh"
take_tree "$@"
make_scratch
cd "$scratch" || exit 2

# --- The series that there are.

for file in "$top"/patches/*/series; do
  [ -f "$file" ] || continue
  folder=$(dirname "$file")
  series=$(basename "$folder")
  for patch in "$folder"/*.patch; do
    name=$series/$(basename "$patch")
    fields=$(sed '/^---/q' "$patch" |
      grep -c -e '^Description: ' -e '^Author: ' -e '^Forwarded: ' -e '^Last-Update: [0-9-]*$')
    [ "$fields" = 4 ]
    check $? "$name has its DEP-3 fields"
    ! sed -n 's/^+//p' "$patch" | grep -q '[[:space:]]$'
    check $? "$name adds no blanks at the end of a line"
    cat "$folder"/series* | grep -q -x -F -e "$(basename "$patch")"
    check $? "$name is part of its series"
  done
done

# --- The arms that are built.

arms=$(tail -n +3 "$build/arms" | tr '\n' ' ')
[ "$(head -n 2 "$build/arms" | tr '\n' ' ')" = "stock patched " ]
check $? "build/arms names stock and patched, and besides: ${arms:-none}"
printf '%s\n' stock patched $arms >want
"$build/walbench" delete --rows 200 --delete 10 2>err | sed -n 's/^\([a-z]*\)  *SQLite .*/\1/p' >got
same want got "walbench measures the arms that are configured$(sed 's/^/: /' err)"
LC_ALL=C sort "$build/patched/obj/make.log" | sed 's,/patched/,/ARM/,g' >patched.commands
"$build/patched/sqlite3" :memory: 'PRAGMA compile_options' >patched.options
for arm in $arms; do
  cp -R "$sqlite_src/." tree && chmod -R u+w tree || exit 2
  # shellcheck disable=SC2046 # words
  "$top/patches/apply" tree $(cat "$build/series/$arm") || exit 2
  our_tests "$build" "$arm" >ours
  diff -rq tree "$build/$arm/src" | grep -v '^Only in .*/test: ' >diff.out
  ! [ -s diff.out ]
  check $? "$arm has the core series and $(cat "$build/series/$arm")"
  sed 's/^/# /' diff.out
  rm -rf tree
  for series in core $(cat "$build/series/$arm"); do
    case $series in core) folder=$top/test/tcl ;; *) folder=$top/test/$series/tcl ;; esac
    for test in "$folder"/*.test; do
      [ ! -f "$test" ] || grep -q -x -F -e "$(basename "$test" .test)" ours ||
        echo "# missing: $test"
    done
  done >missing
  ! [ -s missing ]
  check $? "its suite has the tests of these series: $(wc -l <ours) files"
  cat missing
  LC_ALL=C sort "$build/$arm/obj/make.log" | sed "s,/$arm/,/ARM/,g" >commands
  same patched.commands commands "it is compiled by the commands that compile patched"
  # A series may name itself there.
  for series in $(cat "$build/series/$arm"); do
    sed -n 's/^+ *"\([A-Z_]*\)",$/\1/p' "$top/patches/$series/identify-build.patch" 2>/dev/null
  done | cat patched.options - | LC_ALL=C sort >want
  "$build/$arm/sqlite3" :memory: 'PRAGMA compile_options' | LC_ALL=C sort >options
  same want options "and says the same of its compile options, but for the names of its series"
done

# --- Series that are made up, in a copy of what reads them.

mkdir -p copy/patches copy/sqlite-src && cp "$top/configure" "$top/Makefile.in" copy/ &&
  cp "$top"/patches/*.patch "$top"/patches/series* "$top/patches/apply" copy/patches/ &&
  cp "$top/sqlite-src/obtain" "$top/sqlite-src/releases" copy/sqlite-src/ || exit 2
# made_up SERIES FROM TO: a series of one patch, to the first line of VERSION.
made_up() {
  mkdir -p "copy/patches/$1" && echo "$1.patch # made up" >"copy/patches/$1/series" &&
    printf '%s\n' '--- a/VERSION' '+++ b/VERSION' '@@ -1 +1 @@' "-$2" "+$3" \
      >"copy/patches/$1/$1.patch" || exit 2
}
version=$(cat "$sqlite_src/VERSION")
made_up order "$version" "$version, order"
made_up subjournal "$version, order" "$version, order, subjournal"
made_up alone "$version" "$version, alone"
# A folder without a list is no series.
mkdir copy/patches/notes && echo "nothing" >copy/patches/notes/order.patch || exit 2

# tree: a tree as upstream has it.
tree() {
  rm -rf tree && mkdir tree &&
    cp -R "$sqlite_src/VERSION" "$sqlite_src/src" "$sqlite_src/test" "$sqlite_src/tool" \
      tree/ && chmod -R u+w tree || exit 2
}
tree
copy/patches/apply tree order 2>err && [ "$(cat tree/VERSION)" = "$version, order" ] &&
  grep -q pagerWalOmit tree/src/pager.c
check $? "patches/apply TREE order applies the core series, and that one$(sed 's/^/: /' err)"
tree
copy/patches/apply tree subjournal order 2>err &&
  [ "$(cat tree/VERSION)" = "$version, order, subjournal" ]
check $? "two are applied in their order, not in that of the arguments$(sed 's/^/: /' err)"
tree
cp -R tree before || exit 2

# refused WHAT COMMAND...: exit status 2, one line, nothing done.
refused() {
  what=$1
  shift
  mkdir -p empty
  (cd empty && "$@" >../out 2>../err)
  status=$?
  left=$(ls -A empty)
  [ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && [ -z "$left" ] &&
    diff -r tree before >/dev/null
  check $? "$what is refused: $(head -n 1 err | cut -c 1-100)"
  rm -rf empty
}
refused "a series that does not apply" ../copy/patches/apply ../tree subjournal
refused "a series that is not there" ../copy/patches/apply ../tree order none
refused "a folder that is no series" ../copy/patches/apply ../tree notes
refused "a path for a series" ../copy/patches/apply ../tree ../patches/order
refused "a series without a name" ../copy/patches/apply ../tree ""
echo gone.patch >>copy/patches/order/series
refused "a list with a patch that is not there" ../copy/patches/apply ../tree order
made_up order "$version" "$version, order"
for list in none order,none notes full / '*'; do
  refused "configure --with-series=$list" ../copy/configure "--with-series=$list" \
    --with-sqlite="$sqlite_src"
done

# arms_of SERIES ARM...: what configure makes of --with-series.
arms_of() {
  asked=$1
  shift
  mkdir -p conf
  (cd conf && ../copy/configure "--with-series=$asked" --with-sqlite="$sqlite_src") \
    >out 2>err
  status=$?
  [ $status = 0 ] && [ "$(tr '\n' ' ' <conf/build/arms)" = "stock patched ${*:+$* }" ]
  check $? "--with-series=$asked adds the arms: ${*:-none}$(sed 's/^/, /' err)"
}
arms_of core
arms_of order ordered
arms_of subjournal,order ordered subjournal
arms_of all alone ordered subjournal full
[ "$(cat conf/build/series/full)" = "alone order subjournal" ] &&
  [ "$(cat conf/build/series/ordered)" = order ]
check $? "full has all series, ordered the one that it is called after"

# What make would do again after a change of a patch.
unset MAKEFLAGS MFLAGS MAKELEVEL
for arm in stock patched ordered subjournal; do
  mkdir -p conf/build/$arm && touch conf/build/$arm/.tree || exit 2
done
# again ARM...: the arms whose trees are made again.
again() {
  for arm in stock patched ordered subjournal; do
    make -q -C conf build/$arm/.tree >/dev/null 2>&1 || echo $arm
  done | tr '\n' ' '
}
have=$(again)
[ -z "$have" ]
check $? "no tree is made again as long as nothing changes: ${have:-none}"
arms_of order,subjournal ordered subjournal
have=$(again)
[ -z "$have" ]
check $? "nor after configuring with other series: ${have:-none}"
touch -d '+2 seconds' copy/patches/order/order.patch
have=$(again)
[ "$have" = "ordered " ]
check $? "after a change of a patch of order: $have"
touch -d '+2 seconds' "copy/patches/$(head -n 1 copy/patches/series)"
have=$(again)
[ "$have" = "patched ordered subjournal " ]
check $? "after a change of a patch of the core series: $have"

# --- walbench beside other folders.

mkdir beside && cp "$build/walbench" beside/ || exit 2
for arm in stock patched ordered full; do
  mkdir beside/$arm && cp "$build/patched/libsqlite3.so.0" beside/$arm/ || exit 2
done
# measured WHAT ARM...
measured() {
  what=$1
  shift
  beside/walbench delete --rows 200 --delete 10 2>err |
    sed -n 's/^\([a-z]*\)  *SQLite .*/\1/p' >out
  [ "$(tr '\n' ' ' <out)" = "$* " ]
  check $? "$what: $(tr '\n' ' ' <out)$(cat err)"
}
measured "without a list of arms" stock patched
printf '%s\n' stock patched ordered subjournal >beside/arms
measured "of the arms on the list those that are built" stock patched ordered
finish
