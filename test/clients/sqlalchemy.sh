#!/bin/sh
# Those of SQLAlchemy's tests that work most with transactions, savepoints and
# deletions, out of Debian unstable's source package, in WAL mode. On SQLite it leaves
# out what is about savepoints unless the program begins its transactions itself, as
# sqlalchemy_savepoints.py does here.
#
# Needs: python3 python3-pytest dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of sqlalchemy/sid) || exit 2
suites="orm/test_transaction engine/test_transaction orm/test_session orm/test_cascade
  orm/test_unitofwork orm/test_unitofworkv2 orm/test_naturalpks"

prepare() {
  cp -R "$source/lib" "$source/test" "$source/pyproject.toml" "$source/setup.cfg" \
    "$clients/sqlalchemy_savepoints.py" "$scratch/run/" || return
  # It wants a newer typing_extensions than Debian 12 has, which is about types only.
  cat >"$scratch/run/typing_extensions.py" <<'END'
from typing import *
from typing import get_args, get_origin


class TypeAliasType:
    pass
END
}
uses_library() {
  with_arm env PYTHONPATH=lib:. python3 -c "import sqlalchemy
with sqlalchemy.create_engine('sqlite://').connect() as c:
  print(c.exec_driver_sql(\"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\").scalar())"
}
tests_of_client() {
  files=
  for suite in $suites; do files="$files test/$suite.py"; done
  # shellcheck disable=SC2086
  with_arm env PYTHONPATH="lib:." python3 -m pytest -p no:cacheprovider \
    --requirements sqlalchemy_savepoints:DefaultRequirements \
    --dburi "sqlite:///$scratch/run/tests.db" $files >"$results/$arm.out" 2>&1
  sed -n -e 's/^\(test[^ ]*\) \(.* \)\{0,1\}\(PASSED\|SKIPPED\|XFAIL\|FAILED\|ERROR\).*/\3 \1/p' \
    "$results/$arm.out" |
    sed -e 's/^PASSED/ok/' -e 's/^SKIPPED/skipped/' -e 's/^XFAIL/expected/' >"$results/$arm.results"
  said=$(sed -n 's/^=* \(.*\) in [0-9.]*s.*/\1/p' "$results/$arm.out" | tail -n 1 | tr ',' '\n' |
    awk '$2 ~ /^(passed|skipped|failed|errors?|xfailed)$/ { n += $1 } END { print n+0 }')
  [ "$(wc -l <"$results/$arm.results")" = "$said" ]
  check $? "$arm: a result was read for each of the $said tests"
}
for_each_arm
compare "SQLAlchemy, suites about transactions, sessions and deletions" \
  "$(unpacked "$source")" 800
finish
