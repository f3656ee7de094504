#!/bin/sh
# Plays inputs through walbench's audit and its plain counterpart: seeds that are made
# here, parts of them, and what the fuzzer has found.
#
# usage: replay.sh AUDIT-REPLAY SHELL
#
# SHELL is the stock sqlite3 shell. Reports in the Test Anything Protocol.
set -u
replay=${1:?usage: replay.sh AUDIT-REPLAY SHELL}
shell=${2:?usage: replay.sh AUDIT-REPLAY SHELL}
here=$(cd "$(dirname "$0")" && pwd)
top=$(mktemp -d "${TMPDIR:-/var/tmp}/audit-replay-XXXXXX") || exit 2
trap 'rm -rf "$top"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

"$here/seeds.sh" "$shell" "$top/seeds" || exit 2
# Cut anywhere: in the database, in the header of the log, in a frame.
for size in 0 3 5 6 104 105 600 9000 9300 9330 9900; do
  for seed in delete.0 partly.1 vacuum.7; do
    head -c $size "$top/seeds/$seed" >"$top/seeds/$seed.$size"
  done
done

# Found by the fuzzer: a commit that changes the size of the database without page 1. The
# first such commit was found out, a later one was not.
size=$(($(wc -c <"$top/seeds/update.1") - 5 - 32 - 2 * 536))
cp "$top/seeds/update.1" "$top/seeds/size-without-page-1"
printf '\001' | dd of="$top/seeds/size-without-page-1" bs=1 conv=notrunc \
  seek=$((5 + size + 32 + 536 + 6)) 2>/dev/null

found=
for input in "$here"/found/*.input; do
  [ -f "$input" ] && found="$found $input"
done
# shellcheck disable=SC2086 # a list of files
"$replay" "$top"/seeds/* $found
