#!/bin/sh
# The tests of DBD::SQLite out of its source package, with the installed module,
# which Debian links to the shared library.
#
# Needs: perl libdbd-sqlite3-perl dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of libdbd-sqlite3-perl) || exit 2

prepare() { cp -R "$source/t" "$scratch/run/"; }
uses_library() {
  with_arm perl -MDBI -e 'print DBI->connect("dbi:SQLite:dbname=:memory:")->selectrow_array(
    "SELECT sqlite_compileoption_used(\"WAL_DONTWRITE\")")' | sed 's/[^01]//g'
}
tests_of_client() {
  : >"$results/$arm.results"
  for t in "$scratch"/run/t/*.t; do
    file=$(basename "$t")
    with_arm perl "t/$file" >"$scratch/tap" 2>"$scratch/err"
    status=$?
    { echo "== $file, exit status $status" && cat "$scratch/tap" "$scratch/err"; } \
      >>"$results/$arm.out"
    # A test is known by its number: what it says may hold an address or a time.
    LC_ALL=C sed -n -e "s/^ok \([0-9]*\).*# skip.*/skipped $file \1/Ip;t" \
      -e "s/^ok \([0-9]*\).*/ok $file \1/p" \
      -e "s/^not ok \([0-9]*\).*# todo.*/expected $file \1/Ip;t" \
      -e "s/^not ok \([0-9]*\).*/FAIL $file \1/p" "$scratch/tap" >>"$results/$arm.results"
    grep -q -i '^1[.][.]0 # skip' "$scratch/tap" && echo "skipped $file all" >>"$results/$arm.results"
    [ $status = 0 ] || echo "FAIL $file exit status $status" >>"$results/$arm.results"
  done
}
for_each_arm
compare "DBD::SQLite, t/*.t" "$(installed libdbd-sqlite3-perl)" 3000
finish
