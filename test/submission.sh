#!/bin/sh
# Checks what is submitted to upstream: that it applies, is complete, holds
# nothing but SQLite's own, compiles without warnings, and does what the letter
# says.
#
#   test/submission.sh BUILD SQLITE_SRC [ARM SERIES [full]]
#
# BUILD is the build folder, SQLITE_SRC the upstream tree it was made from. SERIES
# is the one that is submitted, and ARM has no other beside the core one: patched
# and core by default. With "full" the warnings are those of the whole
# compilation, which takes minutes, and not only of the compiler's front end.
set -u
. "$(dirname "$0")/lib.sh"
take_tree "$1" "$2"
full=${5:-}
take_arm "$build" "${3:-patched}" "${4:-core}"
# What make says of a jobserver is no warning of the compiler's.
unset MAKEFLAGS MFLAGS MAKELEVEL
make_scratch
cd "$scratch" || exit 2

newest=$(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$top/sqlite-src/releases" | head -n 1)
if [ "$(cat "$sqlite_src/VERSION")" != "$newest" ]; then
  check 0 "# SKIP only the newest release, $newest, is submitted for"
  finish
fi

"$top/patches/generate-submission" "$sqlite_src" out "$series" 2>err
check $? "the folder of the series $series is made$(sed 's/^/: /' err)"

# --- The diffs.

# applies TREE DIFF: apply it, exactly.
applies() {
  patch -F0 -p0 -d "$1" <"$2" >log 2>&1 && ! grep -q -e offset -e fuzz log
}

mkdir one sum && cp -R "$sqlite_src/." one && cp -R "$sqlite_src/." sum || exit 2
chmod -R u+w one sum
on=
if [ "$series" != core ]; then
  on=" with base.diff"
  applies one out/base.diff && applies sum out/base.diff
  check $? "base.diff applies to upstream's tree, without fuzz or offset"
fi
applies one out/all.diff
check $? "all.diff applies to upstream's tree$on, without fuzz or offset"
status=0
for idea in out/[0-9]*.diff; do
  applies sum "$idea" || status=1
done
# shellcheck disable=SC2012 # the names are ours
check $status "so do those of $(ls out/[0-9]*.diff | wc -l) ideas, one after the other"
diff -r one sum >diff.out 2>&1
check $? "their sum is all.diff"
# Our tests join the tree of the arm when its test program is built, and are compared below.
ls "$own_tests" >want
{ ls "$top/test/tcl"; cat want; } >joining
diff -rq -X joining one "$build/$arm/src" >diff.out
[ "$(wc -l <diff.out)" = 1 ] && grep -q '/mkctimec.tcl differ$' diff.out
check $? "the tree differs from that of $arm in the name of our compile option only"
sed 's/^/# /' diff.out
ls out/test >have
same want have "all our Tcl tests come with it"
status=0
for f in out/test/*; do
  cmp -s "$f" "one/test/$(basename "$f")" && cmp -s "$f" "$own_tests/$(basename "$f")" || status=1
done
check $status "they are the same in the diffs, as files, and where coverage is measured"
# Our compile options.
sed -n 's/^+ *"\([A-Z_]*\)",$/\1/p' "$top"/patches/identify-build.patch \
  "$top"/patches/*/identify-build.patch 2>/dev/null >options
grep -r -i -n -f options -e walbench -e sqlite-dontwrite -e bench/ -e '\bwrong build' \
  -e 'test/wrong' -e '^Description:' -e '^Forwarded:' -e Makefile -e '\bconfigure' -e "$top" \
  out --include='*.diff' --include='*.test' --include='*.tcl' --include='*.sh' >ours.out
[ -s options ] && ! [ -s ours.out ]
check $? "there is nothing of ours in the diffs, the tests and the script"
sed 's/^/# /' ours.out
! grep -n -e '^+.*[[:blank:]]$' -e "^+.*$(printf '\t')" out/all.diff >log
check $? "no added line has a tab, or ends in a blank"
# shellcheck disable=SC2046
[ $(sed -n 's/^+//p' out/[0-9]*.diff | awk 'length($0)>80' | wc -l) = 0 ]
check $? "no added line is longer than 80 characters"
[ "$(wc -l <out/letter.md)" -le 66 ] && [ "$(wc -w <out/letter.md)" -le 650 ]
check $? "the letter is one page: $(wc -l <out/letter.md) lines, $(wc -w <out/letter.md) words"

# --- Upstream's own script that looks for warnings.

mkdir obj && cd obj || exit 2
{ ../one/configure && make sqlite3.c shell.c; } >make.log 2>&1 </dev/null
[ -s sqlite3.c ] && [ -s shell.c ]
check $? "upstream's build makes the amalgamation and the shell of it"
if ! command -v gcc >/dev/null 2>&1; then
  check 0 "# SKIP upstream's script calls gcc, which is not there"
else
  mkdir bin || exit 2
  if [ "$full" != full ]; then
    printf '#!/bin/sh\nexec %s -fsyntax-only "$@"\n' "$(command -v gcc)" >bin/gcc
    chmod +x bin/gcc
  fi
  PATH=$(pwd)/bin:$PATH sh ../one/tool/warnings.sh >warnings.log 2>&1 </dev/null
  [ "$(grep -c '^\*\*\*\* -W' warnings.log)" -ge 3 ] &&
    ! grep -q -e 'warning:' -e 'error:' warnings.log
  check $? "tool/warnings.sh finds nothing${full:+, in a full compilation}"
  grep -e 'warning:' -e 'error:' warnings.log | head -n 20 | sed 's/^/# /'
fi
# It finds what there is to find.
cp sqlite3.c clean.c
sed 's/^static int pagerWalOmit(.*{$/&  int unused;/' clean.c >sqlite3.c
gcc -fsyntax-only -Wshadow -Wall -Wextra -pedantic -std=c99 sqlite3.c 2>&1 |
  grep -q "warning: unused variable"
check $? "these flags do warn of an unused variable in the new code"
cp clean.c sqlite3.c

# --- The reproducer, which says what it should print.

# Upstream's own shell has dbstat, too.
${CC:-cc} -O0 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
  -DSQLITE_ENABLE_DBSTAT_VTAB shell.c sqlite3.c -o shell -lm >shell.log 2>&1
for script in ../out/*.sh; do
  [ -f "$script" ] || continue
  name=$(basename "$script")
  sed -n 's/^# As released: //p' "$script" >released.want
  sed -n 's/^# With all.diff: //p' "$script" >submitted.want
  sh "$script" "$build/stock/sqlite3" >released 2>&1
  same released.want released "$name with stock's shell: $(cat released)"
  sh "$script" ./shell >submitted 2>&1
  same submitted.want submitted "$name with a shell of the submitted tree: $(cat submitted)"
  ! sh "$script" /nowhere >log 2>&1
  check $? "$name with no shell fails"
done
finish
