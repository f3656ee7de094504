#!/bin/sh
# Crash states, for about half a minute: whatever a power failure may leave of a
# workload of an arm, stock finds what was committed; and the search finds it where
# something is wrong.
#
# usage: crash.sh BUILD [ARM [SERIES]]
#
# BUILD holds crash, stock/ and ARM/, by default patched/, and the wrong builds of
# SERIES, NAME/libsqlite3.so.0 in wrong/ for core and wrong-SERIES/ for another.
# What a wrong build loses has to be found within a fixed number of workloads. So
# does a sync that does nothing; but that, and what is known of stock, is checked
# with patched only.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

take_arm "$@"
stock=$build/stock/libsqlite3.so.0
tested=$build/$arm/libsqlite3.so.0
for file in "$build/crash" "$stock" "$tested"; do
  if [ ! -f "$file" ]; then
    echo "crash.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch
mkdir "$scratch/work" "$scratch/kept" || exit 2

# crash LIBRARY [OPTION...]: states of a workload of that library.
crash() {
  library=$1
  shift
  "$build/crash" --dir "$scratch/work" --reader "$stock" --other "$tested" \
    --lib "library=$library" "$@" >"$scratch/out" 2>&1 </dev/null
}

# report STATUS WHAT: a check, with what the program said if it failed.
report() {
  check "$1" "$2$(sed -n 's/^library fails, /: /p' "$scratch/out" | head -n 1)"
  [ "$1" -eq 0 ] || sed 's/^/# /' "$scratch/out"
}

crash "$tested" --seeds 1..10 --states 400
status=$?
check "$status" "nothing is lost: $(tail -n 1 "$scratch/out")"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"

# of_the_search: what stock loses, and what the search has to find.
of_the_search() {
  crash "$stock" --seeds 1..6 --states 200 --all
  status=$?
  case $("$build/stock/sqlite3" --version) in
    3.40.* | 3.46.*)
      # They lose commits after a ROLLBACK, which later releases do not.
      [ "$status" -eq 1 ]
      check $? "of stock it is known: $(tail -n 1 "$scratch/out")"
      ;;
    *) check "$status" "nor with stock: $(tail -n 1 "$scratch/out")" ;;
  esac

  # The model bites: a sync that does nothing is found, and so is a promise that
  # nobody gave, that of synchronous=FULL for synchronous=NORMAL.
  for which in database log journal folder; do
    crash "$tested" --seeds 1..8 --states 200 --lie-sync "$which"
    [ $? -eq 1 ]
    report $? "no sync of the $which is found"
  done
  crash "$tested" --seeds 1..6 --states 200 --strict
  [ $? -eq 1 ]
  report $? "synchronous=NORMAL is not FULL"

  # One state, again, and its files.
  replay=$(sed -n 's/^replay: crash \(.*\) --ops .*/\1/p' "$scratch/out")
  found=$(sed -n 's/^library fails, .* distinct states: //p' "$scratch/out")
  # shellcheck disable=SC2086 # options
  crash "$tested" $replay --states 200 --strict
  [ $? -eq 1 ] && [ -n "$found" ] && grep -q -F "1 distinct states: $found" "$scratch/out"
  report $? "the one state fails again"
  # shellcheck disable=SC2086 # options
  crash "$tested" $replay --states 200 --strict --keep "$scratch/kept" &&
    [ -f "$scratch/kept/a.db" ]
  report $? "its files can be kept"

  for arguments in "--state 1" "--seed 1 --keep $scratch/kept" "--seeds 9..1" "--ops 0" \
    "--lie-sync never" "--reader $scratch/none" "nonsense"; do
    # shellcheck disable=SC2086 # arguments
    crash "$tested" $arguments
    [ $? -eq 2 ] && [ "$(wc -l <"$scratch/out")" -eq 1 ]
    report $? "refused: $arguments"
  done
}
[ "$arm" != patched ] || of_the_search
[ -z "$(ls "$scratch/work")" ]
check $? "nothing is left behind"

for name in $(names_of_wrong); do
  most=$(takes crash "$name" 16)
  [ "$most" != never ] || continue
  crash "$wrong/$name/libsqlite3.so.0" --seeds "1..$most" --states 200
  [ $? -eq 1 ]
  report $? "$name is caught within $most workloads"
done

finish
