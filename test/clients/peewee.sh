#!/bin/sh
# Peewee's tests, an ORM whose atomic() makes nested savepoints, with the modules
# of Python and, where that is installed, of APSW.
#
# Needs: python3 python3-apsw dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of peewee) || exit 2

prepare() { cp -R "$source/." "$scratch/run/"; }
uses_library() {
  with_arm python3 -c "import peewee
print(*peewee.SqliteDatabase(':memory:').execute_sql(
  \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").fetchone())"
}
tests_of_client() {
  with_arm python3 runtests.py -v 2 >"$results/$arm.out" 2>&1
  unittest_results "$results/$arm.out"
}
for_each_arm
compare "Peewee, runtests.py" "$(unpacked "$source")" 800
finish
