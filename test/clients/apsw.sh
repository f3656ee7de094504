#!/bin/sh
# APSW's tests, which its package installs.
#
# Needs: python3 python3-apsw
. "$(dirname "$0")/lib.sh"
distribution_features

prepare() { :; }
uses_library() {
  with_arm python3 -c "import apsw
print(*next(apsw.Connection(':memory:').cursor().execute(
  \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\")))"
}
tests_of_client() {
  with_arm python3 -m apsw.tests -v >"$results/$arm.out" 2>&1
  unittest_results "$results/$arm.out"
}
for_each_arm
compare "APSW, apsw.tests" "$(installed python3-apsw)" 80
finish
