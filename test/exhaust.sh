#!/bin/sh
# The exhaustive search, for less than a minute: every short sequence of a few
# operations on tiny databases, stock against patched, and each wrong build that
# content, files or counts can give away is caught.
#
# usage: exhaust.sh BUILD [WRONG]
#
# BUILD holds exhaust, stock/ and patched/; WRONG holds NAME/libsqlite3.so.0 for
# each wrong build. A wrong build has to be caught at the depth that is given
# here, which is the least at which it can be: no shorter sequence shows it.
# shellcheck source=test/lib.sh
. "$(dirname "$0")/lib.sh"

build=${1:?usage: exhaust.sh BUILD [WRONG]}
wrong=${2:-}
stock=$build/stock/libsqlite3.so.0
patched=$build/patched/libsqlite3.so.0
for file in "$build/exhaust" "$stock" "$patched"; do
  if [ ! -f "$file" ]; then
    echo "exhaust.sh: there is no $file" >&2
    exit 2
  fi
done
make_scratch

# exhaust CONFIGURATION DEPTH LIBRARY [OPTION...]: stock against another library.
exhaust() {
  config=$1
  depth=$2
  other=$3
  shift 3
  "$build/exhaust" --dir "$scratch" --config "$config" --depth "$depth" \
    --lib "stock=$stock" --lib "other=$other" "$@" >"$scratch/out" 2>&1 </dev/null
}

# agree CONFIGURATION DEPTH [OPTION...]
agree() {
  config=$1
  depth=$2
  shift 2
  exhaust "$config" "$depth" "$patched" "$@"
  status=$?
  check "$status" "stock and patched agree, $config: $(tail -n 1 "$scratch/out")"
  [ "$status" -eq 0 ] || sed 's/^/# /' "$scratch/out"
  stock_alone "$build" "$scratch/out" "stock is never wrong by itself, $config"
}

for config in leaves nofree tiny full incremental secure rollback; do
  agree "$config" 4 --memory
done
agree trunk 3 --memory
agree fast 3 --memory
# In files, as the others could be.
agree leaves 3
agree rollback 3

# Releases up to 3.46 lose this commit unless wal-checksum-after-undo.patch mends
# them; stock happens not to lose it.
agree tiny 8 --sequence bsixdrpx

# What these lose, they lose only when reading, writing or allocating fails, which
# nothing here makes happen.
invisible="mark-despite-failure undo-first"

# The configuration in which a wrong build shows, and at which depth.
shows() {
  case $1 in
    mark-page-1 | omitted-counted) echo leaves 1 ;;
    mark-zeroed-page) echo secure 1 ;;
    mark-trunk) echo nofree 1 ;;
    mark-not-cleared) echo leaves 2 ;;
    mark-in-rollback-mode) echo rollback 2 ;;
    spill-in-rollback-mode) echo rollback 3 ;;
    new-pages-omitted) echo nofree 3 ;;
    old-end-off-by-one) echo nofree 4 --memory ;;
    *) echo leaves 3 ;;
  esac
}

if [ -n "$wrong" ]; then
  for library in "$wrong"/*/libsqlite3.so.0; do
    [ -f "$library" ] || continue
    name=$(basename "$(dirname "$library")")
    case " $invisible " in *" $name "*) continue ;; esac
    # shellcheck disable=SC2046 # words: configuration, depth, options
    set -- $(shows "$name")
    config=$1
    depth=$2
    shift 2
    exhaust "$config" "$depth" "$library" "$@"
    status=$?
    [ "$status" -eq 1 ] && tail -n 1 "$scratch/out" | grep -q "^depth $depth,"
    check $? "$name is caught, $config: $(tail -n 1 "$scratch/out")"
    [ "$status" -eq 1 ] || sed 's/^/# /' "$scratch/out"
  done
fi

finish
