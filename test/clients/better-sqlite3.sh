#!/bin/sh
# better-sqlite3 12, a module for Node.js, built from source with our amalgamation
# by its own option --sqlite3. Its packages come without its tests since 7.5, so it
# runs the tests of 7.4.4, and better-sqlite3.js, ours, which calls all that it
# documents, in WAL mode.
#
# Needs: g++ make python3
. "$(dirname "$0")/lib.sh"
release=12.11.1 with_tests=7.4.4
grep -q xIntegrity "$build/stock/sqlite3.h" || {
  check 0 "# SKIP better-sqlite3 $release does not compile with SQLite before 3.44; configure --with-sqlite=3.53.4"
  finish
}
for tool in node npm; do
  command -v $tool >/dev/null 2>&1 || refuse "$tool is missing; install Node.js 20 or newer, and npm"
done
node_bin=$(dirname "$(command -v node)")
headers=${node_bin%/bin}
[ -f "$headers/include/node/node.h" ] ||
  refuse "the headers of Node.js are missing: $headers/include/node/node.h"

built=$build/clients/better-sqlite3-$release

# install FOLDER PACKAGE...: with npm, into FOLDER/node_modules.
install() {
  rm -rf "${1:?}" && mkdir -p "$1" && echo '{"private":true}' >"$1/package.json" || return
  folder=$1
  shift
  (cd "$folder" && npm_config_nodedir="$headers" npm install --no-audit --no-fund "$@") \
    >"$results/$arm.npm" 2>&1 || {
    tail -n 5 "$results/$arm.npm" >&2
    rm -rf "$folder"
    return 1
  }
}
prepare() {
  # Building takes minutes, so it is done again only for another library.
  if ! cmp -s "$build/$arm/sqlite3.c" "$built/$arm/sqlite3.c"; then
    install "$built/$arm" "better-sqlite3@$release" --build-from-source \
      --sqlite3="$build/$arm" &&
      cp "$build/$arm/sqlite3.c" "$built/$arm/sqlite3.c" || return
  fi
  # Its tests, and what they need in the versions that they name.
  [ -d "$built/tests/node_modules/mocha" ] ||
    install "$built/tests" --ignore-scripts "better-sqlite3@$with_tests" \
      mocha@^8.3.2 chai@^4.3.4 fs-extra@^10.0.0 || return
  # They ask for the module in the folder above theirs.
  own=$scratch/run/own
  cp -R "$built/$arm/node_modules/better-sqlite3" "$own" &&
    cp -R "$built/tests/node_modules" "$own/node_modules" &&
    rm -rf "$own/node_modules/better-sqlite3" &&
    cp -R "$built/tests/node_modules/better-sqlite3/test" "$own/test" &&
    cp "$clients/better-sqlite3.js" "$scratch/run/" &&
    ln -s "$built/$arm/node_modules" "$scratch/run/node_modules"
}
uses_library() {
  with_arm "$node_bin/node" -p "['better-sqlite3', './own'].map((m) => require(m)(':memory:').prepare(
    \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").pluck().get()).join()" |
    sed 's/^\([01]\),\1$/\1/'
}
tests_of_client() {
  with_arm "$node_bin/node" better-sqlite3.js >"$results/$arm.results" 2>"$results/$arm.out"
  check $? "$arm: better-sqlite3.js got to its end"
  # Its exit status is the number of failures.
  with_arm sh -c "cd own && exec '$node_bin/node' node_modules/mocha/bin/mocha --exit \
    --timeout=60000 --reporter=json" >"$results/$arm.json" 2>>"$results/$arm.out"
  # What it says begins with the first brace: a test may have printed something.
  with_arm "$node_bin/node" -e "
    const out = require('fs').readFileSync('$results/$arm.json', 'utf8');
    const said = JSON.parse(out.slice(out.indexOf('{')));
    for (const [list, status] of [['passes', 'ok'], ['failures', 'FAIL'], ['pending', 'skipped']])
      for (const test of said[list]) console.log(status, 'own', test.fullTitle);" \
    >>"$results/$arm.results" 2>>"$results/$arm.out"
  check $? "$arm: its own tests got to their end"
}
for_each_arm
compare "better-sqlite3, its own tests of 7.4.4, and ours" "$release" 250
finish
