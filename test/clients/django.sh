#!/bin/sh
# Those of Django's tests that work most with transactions, savepoints and
# deletions, with its settings for SQLite.
#
# Needs: python3 python3-django python3-jinja2 dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of python-django) || exit 2
suites="transactions transaction_hooks atomic delete delete_regress basic
  bulk_create update update_only_fields get_or_create many_to_many many_to_one
  many_to_many many_to_one one_to_one force_insert_update fixtures fixtures_regress
  backends migrations schema queries test_utils save_delete_hooks select_for_update
  raw_query constraints db_functions expressions aggregation m2m_regress
  model_inheritance ordering cache sessions_tests"

prepare() {
  cp -R "$source/tests" "$source/django" "$scratch/run/"
}
uses_library() {
  with_arm python3 -c "import sqlite3
print(*sqlite3.connect(':memory:').execute(
  \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").fetchone())"
}
tests_of_client() {
  chosen=
  for suite in $suites; do
    [ ! -d "$scratch/run/tests/$suite" ] || chosen="$chosen $suite"
  done
  # shellcheck disable=SC2086
  with_arm env PYTHONPATH="$scratch/run" python3 tests/runtests.py -v 2 --noinput \
    --parallel 1 --settings test_sqlite $chosen >"$results/$arm.out" 2>&1
  unittest_results "$results/$arm.out"
}
for_each_arm
compare "Django, suites about transactions, deletions and models" \
  "$(unpacked "$source")" 1000
finish
