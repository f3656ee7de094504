#!/bin/sh
# CPython's test_sqlite3, out of the distribution's source package, with the Python
# that is installed.
#
# Needs: python3.11 dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of python3.11) || exit 2

prepare() {
  # The tests are part of the package "test", next to test.support.
  ln -s "$source/Lib/test" "$scratch/run/test"
}
uses_library() {
  with_arm python3.11 -c "import sqlite3
print(*sqlite3.connect(':memory:').execute(
  \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").fetchone())"
}
tests_of_client() {
  with_arm env PYTHONPATH="$scratch/run" python3.11 -m unittest -v test.test_sqlite3 \
    >"$results/$arm.out" 2>&1
  unittest_results "$results/$arm.out"
}
for_each_arm
compare "CPython, test_sqlite3" "$(installed python3.11), tests of $(unpacked "$source")" 400
finish
