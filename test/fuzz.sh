#!/bin/sh
# The differential fuzzer, for about a minute: stock and patched give the same
# answers, and each wrong build that content, files or counts can give away is
# caught.
#
# usage: fuzz.sh BUILD [WRONG]
#
# BUILD holds fuzz, stock/ and patched/; WRONG holds NAME/libsqlite3.so.0 for
# each wrong build. What a wrong build loses has to be found within a fixed
# number of sequences, which also shows that the search of the first check bites.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

build=${1:?usage: fuzz.sh BUILD [WRONG]}
wrong=${2:-}
stock=$build/stock/libsqlite3.so.0
patched=$build/patched/libsqlite3.so.0
for file in "$build/fuzz" "$stock" "$patched"; do
  if [ ! -f "$file" ]; then
    echo "fuzz.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch

# fuzz SEEDS LIBRARY [OPTION...]: stock against another library.
fuzz() {
  seeds=$1
  other=$2
  shift 2
  "$build/fuzz" --dir "$scratch" --seeds "$seeds" --lib "stock=$stock" \
    --lib "other=$other" "$@" >"$scratch/out" 2>&1 </dev/null
}

fuzz 1..40 "$patched"
status=$?
check "$status" "stock and patched agree: $(tail -n 1 "$scratch/out")"
[ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
grep -q '^both wrong' "$scratch/out"
check $((1 - $?)) "the two are never wrong in the same way"
stock_alone "$build" "$scratch/out" "stock is never wrong by itself"

# What these lose, they lose only when reading, writing or allocating fails, which
# nothing here makes happen.
invisible="mark-despite-failure undo-first"

# Sequences that are allowed, well above what it takes.
allowed() {
  case $1 in
    old-end-off-by-one | mark-zeroed-page) echo 120 ;;
    new-pages-omitted) echo 60 ;;
    *) echo 25 ;;
  esac
}

if [ -n "$wrong" ]; then
  for library in "$wrong"/*/libsqlite3.so.0; do
    [ -f "$library" ] || continue
    name=$(basename "$(dirname "$library")")
    case " $invisible " in *" $name "*) continue ;; esac
    most=$(allowed "$name")
    fuzz "1..$most" "$library" --no-shrink
    status=$?
    [ "$status" -eq 1 ]
    check $? "$name is caught within $most sequences: $(tail -n 1 "$scratch/out")"
    [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
  done
fi

finish
