#!/bin/sh
# Checks the patches for the amalgamation, and the tool that applies them to
# an amalgamation of any origin.
#
#   test/amalgamation.sh BUILD RELEASE
#
# BUILD holds stock/sqlite3.c and patched/sqlite3.c of RELEASE.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
. "$here/lib.sh"
build=$(cd "$1" && pwd)
release=$2
make_scratch
cd "$scratch" || exit 2
stock=$build/stock/sqlite3.c
# A copy of the tool, which has no walbench beside it.
cp -R "$top/patches" patches || exit 2
tool=$scratch/patches/apply-amalgamation

# --- The patches.

kept=$(cd patches/amalgamation && ls | sed -n 's/^sqlite3-\(.*\)[.]patch$/\1/p' |
  sort | tr '\n' ' ')
supported=$(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$top/sqlite-src/releases" |
  sort | tr '\n' ' ')
[ "$kept" = "$supported" ]
check $? "there is a patch for each supported release, and no other: $kept"
for patch in patches/amalgamation/*.patch; do
  name=$(basename "$patch")
  [ "$(sed '/^---/q' "$patch" |
    grep -c -e '^Description: ' -e '^Author: ' -e '^Forwarded: ' -e '^Last-Update: [0-9-]*$')" = 4 ]
  check $? "$name has its DEP-3 fields"
  ! grep -q SQLITE_SOURCE_ID "$patch" && ! sed -n 's/^+//p' "$patch" | grep -q '[[:space:]]$'
  check $? "$name names no source id and adds no blanks at the end of a line"
  # More than twice three in a row would be text that no change is near.
  [ "$(awk '/^---/{ on = 1 } on && /^ /{ if( ++n>most ) most = n; next } { n = 0 }
    END { print most+0 }' "$patch")" -le 6 ]
  check $? "$name holds three lines of context, not more"
done

"$top/patches/generate-amalgamation" "$stock" "$build/patched/sqlite3.c" >again 2>err
check $? "the patch for $release is generated"
ours=patches/amalgamation/sqlite3-$release.patch
if [ -f "$ours" ]; then
  same "$ours" again "it is the one that is kept"
else
  check 0 "# SKIP no patch is kept for $release"
  mkdir -p patches/amalgamation && cp again "$ours" || exit 2
fi

# What upstream's build says of itself: the comment at the top, and the source id.
without_id() {
  sed -e '1,/^#/{/^#/!d;}' -e '/^#define SQLITE_SOURCE_ID /d' "$1"
}
cp "$stock" sqlite3.c && patch -F0 -p1 sqlite3.c <"$ours" >out 2>&1
[ $? = 0 ] && ! grep -q -e offset -e fuzz out
check $? "it applies to the amalgamation of stock, without fuzz or offset"
without_id sqlite3.c >have
without_id "$build/patched/sqlite3.c" >want
same want have "the result is the amalgamation of the patched tree, but for the source id"

# The old text of each hunk, as one line; then how often the file has it.
awk '
  FNR==NR {
    if( /^@@/ ){ n++; len[n] = 0 }
    else if( n && /^[- ]/ ) old[n,len[n]++] = substr($0, 2)
    next
  }
  { line[FNR] = $0; last = FNR }
  END {
    for(h=1; h<=n; h++) first[old[h,0]] = first[old[h,0]] " " h
    for(i=1; i<=last; i++) if( line[i] in first ){
      m = split(first[line[i]], hs, " ")
      for(k=1; k<=m; k++){
        h = hs[k]
        for(j=0; j<len[h] && line[i+j]==old[h,j]; j++);
        if( j==len[h] ) found[h]++
      }
    }
    for(h=1; h<=n; h++) if( found[h]!=1 ) print "hunk " h ": " found[h]+0
    if( n<5 ) print "hunks: " n+0
  }' "$ours" "$stock" >out
! [ -s out ]
check $? "each of its hunks has one place in the file, and only one$(sed 's/^/ /' out | tr '\n' ,)"

# --- The tool.

# The tool with FILE and options: its output in out and err. What the folder of
# the file holds, and what the file holds, is compared by those who call.
mkdir -p vendor && cp "$stock" vendor/sqlite3.c && chmod 640 vendor/sqlite3.c || exit 2
run() { TMPDIR=$scratch/tmp "$tool" "$@" >out 2>err; }
mkdir tmp

run vendor/sqlite3.c
[ $? = 0 ] && grep -q "SQLite $release\$" out && grep -q "patch for $release, " out
check $? "it says of stock that the series applies: $(tail -n 1 out)"
run -o vendor/new.c vendor/sqlite3.c
[ $? = 0 ] && cmp -s vendor/new.c sqlite3.c && cmp -s vendor/sqlite3.c "$stock"
check $? "-o writes the patched file and leaves the other as it was"
mv vendor/new.c applied.c
cp vendor/sqlite3.c crlf.c
sed "s/\$/$(printf '\r')/" "$stock" >crlf.c
run --in-place crlf.c
tr -d '\r' <crlf.c >lf.c
[ "$(grep -c "$(printf '\r')\$" crlf.c)" = "$(wc -l <crlf.c)" ] && cmp -s lf.c sqlite3.c
check $? "a file whose lines end in CR LF is patched and keeps them"
sed 's/^#define SQLITE_VERSION  .*/#define SQLITE_VERSION "3.54.0"/' "$stock" >newer.c
run --untested newer.c
check $? "a newer release is taken when asked for: $(tail -n 1 out)"

# refused STATUS WHAT ARGUMENT...: exit STATUS, one line on stderr, and no file in
# vendor/ is another or new.
refused() {
  want=$1
  what=$2
  shift 2
  rm -rf before && cp -Rp vendor before || exit 2
  run "$@"
  status=$?
  [ $status = "$want" ] && [ "$(wc -l <err)" = 1 ] && diff -r before vendor &&
    [ -z "$(ls -A tmp)" ]
  check $? "$what: $(sed 's/.*apply-amalgamation: //' err | cut -c 1-90)"
}
refused 2 "no argument"
refused 2 "an unknown option" --force vendor/sqlite3.c
refused 2 "a file that is not there" vendor/none.c
refused 2 "a folder" vendor
usual=${CC:-cc}
export CC=none
refused 2 "a compiler that is not there" --verify --in-place vendor/sqlite3.c
CC=$usual
refused 2 "an output file that exists" -o vendor/sqlite3.c vendor/sqlite3.c
refused 2 "an output folder that is not there" -o none/sqlite3.c vendor/sqlite3.c
refused 2 "a walbench that is not there" --walbench none vendor/sqlite3.c
ln -s sqlite3.c vendor/link.c
refused 2 "a symbolic link in place" --in-place vendor/link.c
rm vendor/link.c
cp applied.c vendor/sqlite3.c
refused 2 "a patched file" --in-place vendor/sqlite3.c
cp newer.c vendor/sqlite3.c
refused 2 "a release that is too new" --in-place vendor/sqlite3.c
sed 's/^#define SQLITE_VERSION  .*/#define SQLITE_VERSION "3.39.4"/' "$stock" >vendor/sqlite3.c
refused 2 "a release that is too old" --in-place vendor/sqlite3.c
head -n 200000 "$stock" >vendor/sqlite3.c
refused 2 "a file that is cut off" --in-place vendor/sqlite3.c
cp "$build/patched/src/src/pager.c" vendor/sqlite3.c
refused 2 "a file of another kind" --in-place vendor/sqlite3.c
sed 's/PAGER_STAT_SPILL\]++/PAGER_STAT_SPILL]+=1/' "$stock" >vendor/sqlite3.c
refused 1 "a file that a hunk does not fit" --in-place vendor/sqlite3.c
grep -q 'Hunk #[0-9]* FAILED' out
check $? "which is told: $(grep FAILED out | head -n 1)"

# --- What it verifies. The second file frees pages without marking them, which
# no patch of ours can notice.

cp "$stock" vendor/sqlite3.c
run --verify --in-place vendor/sqlite3.c
[ $? = 0 ] && cmp -s vendor/sqlite3.c sqlite3.c &&
  [ "$(stat -c %a vendor/sqlite3.c)" = 640 ] &&
  [ "$(ls -A vendor)" = sqlite3.c ] && [ -z "$(ls -A tmp)" ]
check $? "--verify, then in place: $(grep frames out)"
grep -q ': 533 before, 8 after, same content (e1.c)' out
check $? "533 frames become 8"
patch -R -s -p1 --no-backup-if-mismatch vendor/sqlite3.c \
  <"$top/patches/amalgamation/sqlite3-$release.patch" &&
  cmp -s vendor/sqlite3.c "$stock" && [ "$(ls -A vendor)" = sqlite3.c ]
check $? "patch -R takes it back"
cp "$stock" vendor/sqlite3.c
run --verify --walbench "$build/walbench" vendor/sqlite3.c
[ $? = 0 ] && grep -q ': 533 before, 8 after, same content (walbench)' out
check $? "walbench says so, too: $(grep frames out)"
sed 's/^ *sqlite3PagerDontWrite(pPage->pDbPage);/;/' "$stock" >vendor/sqlite3.c
! cmp -s vendor/sqlite3.c "$stock"
check $? "a library without marks can be made"
refused 1 "it fails verification" --verify --in-place vendor/sqlite3.c
finish
