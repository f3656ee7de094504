#!/bin/sh
# Faults, for about half a minute: calls to the operating system and to the
# allocator fail, and an arm is right afterwards wherever that happens. Stock
# is wrong after a ROLLBACK TO that fails, and nowhere else. Each wrong build that
# faults can give away is caught.
#
# usage: fault.sh BUILD [ARM [SERIES]]
#
# BUILD holds fault, stock/ and ARM/, by default patched/, and the wrong builds of
# SERIES, NAME/libsqlite3.so.0 in wrong/ for core and wrong-SERIES/ for another.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

take_arm "$@"
stock=$build/stock/libsqlite3.so.0
tested=$build/$arm/libsqlite3.so.0
for file in "$build/fault" "$stock" "$tested"; do
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

fault "$tested" --every 97
status=$?
check "$status" "every 97th point of all scenarios: $(tail -n 1 "$scratch/out")"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
for scenario in $("$build/fault" --list | grep '^rollback-to-'); do
  fault "$tested" --scenario "$scenario" --fault read --lasts once
  status=$?
  check "$status" "$scenario: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
  [ -n "$(wrong_in stock)" ]
  check $? "$scenario is wrong in stock, so that the search is known to bite"
done

for name in $(names_of_wrong); do
  place=$(takes fault "$name" never)
  [ "$place" != never ] || continue
  # shellcheck disable=SC2086 # three words
  set -- $place
  fault "$wrong/$name/libsqlite3.so.0" --scenario "$1" --fault "$2" --lasts "$3" \
    --then rollback --every 3
  status=$?
  [ "$status" -eq 1 ] && [ -n "$(wrong_in other)" ]
  check $? "$name is caught: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
done

finish
