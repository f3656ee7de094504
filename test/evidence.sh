#!/bin/sh
# Makes BUILD/submission anew: what is submitted to upstream, with evidence.md,
# the counts of this tree on this machine.
#
#   test/evidence.sh BUILD SQLITE_SRC CC [SERIES]
#
# BUILD/submitted-pair holds stock/ and patched/, the latter upstream's tree with
# the submission applied. What "make check-submission" has said is quoted, if it
# was about this tree. With a SERIES on top of the core one it is
# BUILD/submission-SERIES, and BUILD/submitted-pair-SERIES, where stock/ is the tree
# of the core submission.
#
# Exit status: 0 done, 1 a count is not as it should be, 2 something is missing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
build=$(cd "$1" && pwd)
sqlite_src=$2
compiler=$3
series=${4:-core}
suffix=
[ "$series" = core ] || suffix=-$series
newest=$(sed -n 's/^\([0-9][^ ]*\) .*/\1/p' "$top/sqlite-src/releases" | head -n 1)
if [ "$(cat "$sqlite_src/VERSION")" != "$newest" ]; then
  echo "evidence.sh: upstream gets what applies to its newest release: configure --with-sqlite=$newest" >&2
  exit 2
fi
work=$(mktemp -d "$build/.submission.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
pair=$build/submitted-pair$suffix
"$top/patches/generate-submission" "$sqlite_src" "$work/out" "$series" || exit 2

{
  echo "# Evidence"
  echo
  echo "SQLite $newest, $("$build/stock/sqlite3" :memory: 'SELECT sqlite_source_id()'),"
  if [ "$series" = core ]; then
    echo "and the same with all.diff. $($compiler --version | head -n 1), $(uname -sm),"
  else
    echo "with base.diff, called stock here, and with all.diff on top of it, patched."
    echo "$($compiler --version | head -n 1), $(uname -sm),"
  fi
  echo "$(date -u +%Y-%m-%d)."
  echo
  for script in "$work"/out/*.sh; do
    [ -f "$script" ] || continue
    name=$(basename "$script")
    released=$(sh "$script" "$build/stock/sqlite3")
    changed=$(sh "$script" "$pair/patched/sqlite3")
    if [ "$released" != "$(sed -n 's/^# As released: //p' "$script")" ] ||
      [ "$changed" != "$(sed -n 's/^# With all.diff: //p' "$script")" ]; then
      echo "evidence.sh: $name counts $released; $changed" >&2
      exit 1
    fi
    echo "## Frames"
    echo
    echo "\`sh $name SHELL\`, as released and changed: $released; $changed."
    echo
  done
  echo "## Instructions"
  echo
  echo "speedtest1 --size 10 --testset main, compiled with -O2 and the library with the"
  echo "flags of upstream's configure; 2,000 transactions of one changed row within a"
  echo "savepoint, every second one rolled back; and where other free pages are taken, an"
  echo "INSERT that takes so many. Counted by cachegrind."
  echo
} >"$work/out/evidence.md"
"$here/cost.sh" "$pair" "$compiler" >"$work/cost" || {
  cat "$work/cost" >&2
  exit 1
}
sed -n 's/^ok [0-9]* - /- /p' "$work/cost" >>"$work/out/evidence.md"
{
  echo
  echo "## Suites, coverage and warnings"
  echo
  if [ -n "$(find "$pair/check.log" -newer "$build/submitted$suffix/.tree" 2>/dev/null)" ]; then
    sed -n -e 's/^ok [0-9]* - /- /p' -e 's/^not ok [0-9]* - /- FAILED: /p' "$pair/check.log"
  else
    echo "Not run with this tree: \`make check-submission\`."
  fi
} >>"$work/out/evidence.md"
out=$build/submission$suffix
rm -rf "$out" && mv "$work/out" "$out" || exit 2
echo "$out:" "$(cd "$out" && echo *)"
