#!/bin/sh
# Makes BUILD/submission anew: what is submitted to upstream, with evidence.md,
# the counts of this tree on this machine.
#
#   test/evidence.sh BUILD SQLITE_SRC CC
#
# BUILD/submitted-pair holds stock/ and patched/, the latter upstream's tree with
# the submission applied. What "make check-submission" has said is quoted, if it
# was about this tree.
#
# Exit status: 0 done, 1 a count is not as it should be, 2 something is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=$(cd "$1" && pwd)
sqlite_src=$2
compiler=$3
newest=$(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$top/sqlite-src/releases" | head -n 1)
if [ "$(cat "$sqlite_src/VERSION")" != "$newest" ]; then
  echo "evidence.sh: upstream gets what applies to its newest release: configure --with-sqlite=$newest" >&2
  exit 2
fi
work=$(mktemp -d "$build/.submission.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
pair=$build/submitted-pair
"$top/patches/generate-submission" "$sqlite_src" "$work/out" || exit 2

{
  echo "# Evidence"
  echo
  echo "SQLite $newest, $("$pair/stock/sqlite3" :memory: 'SELECT sqlite_source_id()'),"
  echo "and the same with all.diff. $($compiler --version | head -n 1), $(uname -sm),"
  echo "$(date -u +%Y-%m-%d)."
  echo
  echo "## Frames"
  echo
  echo "\`sh e1.sh SHELL\`, stock and changed: $(sh "$work/out/e1.sh" "$pair/stock/sqlite3"), $(
    sh "$work/out/e1.sh" "$pair/patched/sqlite3")."
  echo
  echo "## Instructions"
  echo
  echo "speedtest1 --size 10 --testset main, compiled with -O2 and the library with the"
  echo "flags of upstream's configure, counted by cachegrind."
  echo
} >"$work/out/evidence.md"
grep -q 'changed: 533 frames, 8 frames' "$work/out/evidence.md" || {
  echo "evidence.sh: e1.sh does not count 533 and 8 frames" >&2
  exit 1
}
"$here/cost.sh" "$pair" "$compiler" >"$work/cost" || {
  cat "$work/cost" >&2
  exit 1
}
sed -n 's/^ok [0-9]* - /- /p' "$work/cost" >>"$work/out/evidence.md"
{
  echo
  echo "## Suites, coverage and warnings"
  echo
  if [ -n "$(find "$pair/check.log" -newer "$build/submitted/.tree" 2>/dev/null)" ]; then
    sed -n -e 's/^ok [0-9]* - /- /p' -e 's/^not ok [0-9]* - /- FAILED: /p' "$pair/check.log"
  else
    echo "Not run with this tree: \`make check-submission\`."
  fi
} >>"$work/out/evidence.md"
rm -rf "$build/submission" && mv "$work/out" "$build/submission" || exit 2
echo "$build/submission:" "$(cd "$build/submission" && echo *)"
