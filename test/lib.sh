# Functions shared by the test scripts, which are POSIX sh and report in TAP:
# a line "ok N - what" or "not ok N - what" for each check, and the plan last.

tests=0
failures=0

# check STATUS WHAT: one check, which passed if STATUS is 0.
check() {
  tests=$((tests + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $tests - $2"
  else
    failures=$((failures + 1))
    echo "not ok $tests - $2"
  fi
}

# same FILE1 FILE2 WHAT: one check, which passed if the files are equal. If
# they are not, the difference is shown.
same() {
  if cmp -s "$1" "$2"; then
    check 0 "$3"
  else
    check 1 "$3"
    diff "$1" "$2" | head -n 20 | sed 's/^/# /'
  fi
}

# stock_alone BUILD OUT WHAT: one check, which passed if no line of OUT says that
# stock alone is wrong; or if it is one of the releases of which that is known:
# after a rollback they can leave a log with wrong checksums, of which less is
# recovered.
stock_alone() {
  line=$(grep '^stock alone is wrong' "$2" | head -n 1)
  case $line:$("$1/stock/sqlite3" -version) in
    :*) check 0 "$3" ;;
    *:3.40.* | *:3.46.*) check 0 "$3, but for what is known of it: $line" ;;
    *) check 1 "$3: $line" ;;
  esac
}

# take_tree BUILD SQLITE_SRC: what a script is told that checks the product. Sets
# $build, the build folder, $sqlite_src, the upstream tree it was made from, and $top,
# our own.
take_tree() {
  build=$(cd "$1" && pwd) && sqlite_src=$(cd "$2" && pwd) || exit 2
  top=$(cd "$(dirname "$0")/.." && pwd)
}

# take_arm BUILD [ARM [SERIES]]: what a script is told to test. ARM, by default
# patched, is the name of an arm in BUILD. SERIES is the one whose own tests and wrong
# builds are meant: core, or one beside it that ARM has; without it there are none.
# Sets $build, $arm and $series, and for a series $own_tests, $wrong_patches, $wrong,
# which is where the wrong builds are, and $without, an arm that lacks the series.
# And $compare, an option of the searches that compare pages: an arm with the series
# order chooses free pages otherwise than stock.
take_arm() {
  if [ $# -lt 1 ] || [ $# -gt 3 ]; then
    echo "usage: $(basename "$0") BUILD [ARM [SERIES]]" >&2
    exit 2
  fi
  build=$(cd "$1" && pwd) || exit 2
  arm=${2:-patched}
  series=${3:-}
  folder_of_tests=$(cd "$(dirname "$0")" && pwd)
  case $series in
    core) folder=$folder_of_tests wrong=$build/wrong without=stock ;;
    *) folder=$folder_of_tests/$series wrong=$build/wrong-$series without=patched ;;
  esac
  compare=
  if grep -q -w order "$build/series/$arm" 2>/dev/null; then compare=--other-pages; fi
  own_tests=$folder/tcl
  wrong_patches=$folder/wrong
  if [ ! -d "$build/$arm" ]; then
    echo "$(basename "$0"): there is no $build/$arm" >&2
    exit 2
  fi
}

# names_of_wrong: the wrong builds of the series.
names_of_wrong() {
  [ -n "$series" ] || return 0
  for patch in "$wrong_patches"/*.patch; do
    [ ! -f "$patch" ] || basename "$patch" .patch
  done
}

# takes SEARCH NAME USUAL: what it takes SEARCH to catch the wrong build NAME, which
# is USUAL where the file "searches" beside its patch says nothing else.
takes() {
  words=$(sed -n "s/^$1  *$2  *//p" "$wrong_patches/searches" 2>/dev/null)
  echo "${words:-$3}"
}

# our_tests BUILD ARM: the names of the tests that the suite of that arm has besides
# upstream's.
our_tests() {
  for test in "$1/$2"/src/test/*.test; do
    [ -f "$1/stock/src/test/$(basename "$test")" ] || basename "$test" .test
  done
}

# To be called last.
finish() {
  echo "1..$tests"
  [ "$failures" -eq 0 ]
  exit
}

# Make a scratch folder, $scratch, that goes away when the script ends, and
# that an unprivileged user can reach.
make_scratch() {
  scratch=$(mktemp -d "${TMPDIR:-/var/tmp}/dontwrite.XXXXXX") || exit 2
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' HUP TERM
  chmod 755 "$scratch"
}

# unprivileged COMMAND...: run a command as a user who is not root. SQLite's
# tests refuse to run as root, for whom files cannot be made unreadable.
unprivileged() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
  else
    "$@"
  fi
}

# give_away FOLDER: let that user write there.
give_away() {
  if [ "$(id -u)" = 0 ]; then chown -R 65534:65534 "$1"; fi
}

# run_tcl FIXTURE FOLDER SCRIPT [ARGUMENT...]: run a Tcl test script of
# upstream's kind with a test program in FOLDER/run, which it makes. The
# output is in FOLDER/out, the names of the cases that ran in FOLDER/names,
# and the names of those that failed in FOLDER/failed. A script that did not
# get to its end "failed" the case "(unfinished)", and the one that it was in. While
# it runs its process id is in FOLDER/run/pid.
run_tcl() {
  tcl_fixture=$1
  tcl_at=$2
  shift 2
  mkdir -p "$tcl_at/run" "$tcl_at/tmp" || exit 2
  cp "$tcl_fixture" "$tcl_at/run/testfixture" || exit 2
  if [ -f "$(dirname "$tcl_fixture")/sqlite3" ]; then
    cp "$(dirname "$tcl_fixture")/sqlite3" "$tcl_at/run/sqlite3" || exit 2
  fi
  give_away "$tcl_at/run"
  # Temporary files have the same names in each test program, since its random numbers
  # are always the same. In one folder with another's, a name that is taken costs one
  # more random number, and what follows differs.
  give_away "$tcl_at/tmp"
  # shellcheck disable=SC2016 # expanded by the inner shell
  (cd "$tcl_at/run" && unprivileged env HOME="$tcl_at/run" TMPDIR="$tcl_at/tmp" \
    sh -c 'echo $$ >pid; exec ./testfixture "$@"' sh "$@") \
    >"$tcl_at/out" 2>&1 </dev/null
  LC_ALL=C sed -n 's/^\([A-Za-z0-9_.-]*\)\.\.\..*/\1/p' "$tcl_at/out" |
    LC_ALL=C sort -u >"$tcl_at/names"
  {
    sed -n 's/^!Failures on these tests: //p' "$tcl_at/out" | tr ' ' '\n'
    sed -n 's/^! \([^ ]*\) expected: .*/\1/p' "$tcl_at/out"
    grep -q ' errors out of [0-9]* tests' "$tcl_at/out" || {
      echo "(unfinished)"
      LC_ALL=C sed -n '${/ Ok$/!s/^\([A-Za-z0-9_.-]*\)\.\.\..*/\1/p;}' "$tcl_at/out"
    }
  } | sed '/^$/d' | LC_ALL=C sort -u >"$tcl_at/failed"
}
