# Functions and folders shared by the tests of walbench, which are POSIX sh and
# report in the Test Anything Protocol. To be sourced, with the first four arguments
#
#   WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# SHELL is a sqlite3 shell; it reads the JSON and computes from it. A script ends with
# `finish`. Its temporary folder is $top; databases are to be made in $scratch.

if [ $# -lt 4 ]; then
    echo "usage: $0 WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL" >&2
    exit 2
fi
for file; do
    if [ ! -f "$file" ]; then
        echo "$0: $file: not there" >&2
        exit 2
    fi
done
# Some of the tests change the folder.
absolute() {
    echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
}
walbench=$(absolute "$1") stock=$(absolute "$2") patched=$(absolute "$3") shell=$(absolute "$4")

top=$(mktemp -d "${TMPDIR:-/var/tmp}/walbench-test-XXXXXX") || exit 2
trap 'rm -rf "$top"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
scratch=$top/scratch
mkdir "$scratch"

count=0
failed=0
ok() { # STATUS NAME: status 0 is a pass
    count=$((count + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $count - $2"
    else
        failed=$((failed + 1))
        echo "not ok $count - $2"
        sed 's/^/# /' "$top/err" "$top/out" 2>/dev/null | head -20
    fi
}

run() { # walbench with its output in $top/out and $top/err, its status in $status
    "$walbench" "$@" >"$top/out" 2>"$top/err" </dev/null
    status=$?
}

is() { # NAME HAVE WANT
    [ "$2" = "$3" ]
    result=$?
    [ $result -eq 0 ] || echo "# have '$2', want '$3'"
    ok $result "$1"
}

clean() { # nothing is left in the scratch directory
    [ -z "$(ls -A "$scratch")" ]
}

query() { # JSON-FILE SQL: the lines of the file are the rows of table lines(j)
    "$shell" -batch :memory: "CREATE TABLE raw(t TEXT)" ".mode ascii" \
        ".separator \"\\001\" \"\\n\"" ".import '$1' raw" ".mode list" \
        "CREATE VIEW lines AS SELECT t AS j, t->>'experiment' AS experiment, t->>'arm' AS arm,
           t->>'metric' AS metric, t->'samples' AS samples, t->'parameters' AS p FROM raw" \
        "$2" 2>&1
}

mkdir "$top/empty"
bad() { # NAME WORD ARGUMENT...: status 2, one line with WORD on stderr, nothing else
    name=$1 word=$2
    shift 2
    (cd "$top/empty" && TMPDIR="$scratch" "$walbench" "$@" >"$top/out" 2>"$top/err" </dev/null)
    status=$?
    [ "$status" -eq 2 ] && [ "$(wc -l <"$top/err")" -eq 1 ] && grep -q -e "$word" "$top/err" &&
        [ ! -s "$top/out" ] && clean && [ -z "$(ls -A "$top/empty")" ]
    ok $? "bad input: $name"
}

finish() {
    echo "1..$count"
    [ $failed -eq 0 ]
    exit
}

arms="--lib stock=$stock --lib patched=$patched"
