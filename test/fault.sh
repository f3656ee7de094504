#!/bin/sh
# Faults, for about half a minute: calls to the operating system and to the
# allocator fail, and patched is right afterwards wherever that happens. Stock
# is wrong after a ROLLBACK TO that fails, and nowhere else. Each wrong build that
# faults can give away is caught.
#
# usage: fault.sh BUILD [WRONG]
#
# BUILD holds fault, stock/ and patched/; WRONG holds NAME/libsqlite3.so.0 for
# each wrong build.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

build=${1:?usage: fault.sh BUILD [WRONG]}
wrong=${2:-}
stock=$build/stock/libsqlite3.so.0
patched=$build/patched/libsqlite3.so.0
for file in "$build/fault" "$stock" "$patched"; do
  if [ ! -f "$file" ]; then
    echo "fault.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch

# fault LIBRARY [OPTION...]: stock and another library.
fault() {
  other=$1
  shift
  "$build/fault" --dir "$scratch" --lib "stock=$stock" --lib "other=$other" "$@" \
    >"$scratch/out" 2>&1 </dev/null
}

# wrong_in NAME: the scenarios in which that library is wrong somewhere.
wrong_in() {
  awk -v name="$1" '$2==name && $3=="all" && $(NF-1)>0 { print $1 }' "$scratch/out"
}

fault "$patched" --every 97
status=$?
check "$status" "every 97th point of all scenarios: $(tail -n 1 "$scratch/out")"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
for scenario in $("$build/fault" --list | grep '^rollback-to-'); do
  fault "$patched" --scenario "$scenario" --fault read --lasts once
  status=$?
  check "$status" "$scenario: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
  [ -n "$(wrong_in stock)" ]
  check $? "$scenario is wrong in stock, so that the search is known to bite"
done

# Where a wrong build is caught at many points of failure. The others lose no
# content, or lose it without any failure as well, which the searches find sooner.
where() {
  case $1 in
    undo-first) echo rollback-to-modified read once ;;
    mark-despite-failure) echo savepoint-drop write once ;;
    rollback-to-keeps-mark) echo savepoint-drop write once ;;
    mark-not-cleared) echo overflow read once ;;
  esac
}

if [ -n "$wrong" ]; then
  for library in "$wrong"/*/libsqlite3.so.0; do
    [ -f "$library" ] || continue
    name=$(basename "$(dirname "$library")")
    place=$(where "$name")
    [ -n "$place" ] || continue
    # shellcheck disable=SC2086 # three words
    set -- $place
    fault "$library" --scenario "$1" --fault "$2" --lasts "$3" --then rollback --every 3
    status=$?
    [ "$status" -eq 1 ] && [ -n "$(wrong_in other)" ]
    check $? "$name is caught: $(tail -n 1 "$scratch/out")"
    [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
  done
fi

finish
