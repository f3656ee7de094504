#!/bin/sh
# better-sqlite3 12, a module for Node.js, built from source with our amalgamation
# by its own option --sqlite3. Its package comes without its tests, so these are
# ours: better-sqlite3.js calls all that it documents.
#
# Needs: g++ make python3
. "$(dirname "$0")/lib.sh"
release=12.11.1
for tool in node npm; do
  command -v $tool >/dev/null 2>&1 || refuse "$tool is missing; install Node.js 20 or newer, and npm"
done
node_bin=$(dirname "$(command -v node)")
headers=${node_bin%/bin}
[ -f "$headers/include/node/node.h" ] ||
  refuse "the headers of Node.js are missing: $headers/include/node/node.h"

built=$build/clients/better-sqlite3-$release
prepare() {
  # Building takes minutes, so it is done again only for another library.
  if ! cmp -s "$build/$arm/sqlite3.c" "$built/$arm/sqlite3.c"; then
    rm -rf "${built:?}/$arm"
    mkdir -p "$built/$arm" && echo '{"private":true}' >"$built/$arm/package.json" || return
    (cd "$built/$arm" && npm_config_nodedir="$headers" npm install --no-audit --no-fund \
      "better-sqlite3@$release" --build-from-source --sqlite3="$build/$arm") \
      >"$results/$arm.npm" 2>&1 || {
      tail -n 5 "$results/$arm.npm" >&2
      return 1
    }
    cp "$build/$arm/sqlite3.c" "$built/$arm/sqlite3.c" || return
  fi
  cp "$clients/better-sqlite3.js" "$scratch/run/" &&
    ln -s "$built/$arm/node_modules" "$scratch/run/node_modules"
}
uses_library() {
  with_arm "$node_bin/node" -p "require('better-sqlite3')(':memory:').prepare(
    \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").pluck().get()"
}
tests_of_client() {
  with_arm "$node_bin/node" better-sqlite3.js >"$results/$arm.results" 2>"$results/$arm.out"
  check $? "$arm: better-sqlite3.js got to its end"
}
for_each_arm
compare "better-sqlite3, our test of its API" "$release" 30
finish
