#!/bin/sh
# Ruby's module sqlite3 with its tests, out of Debian unstable's source package,
# compiled against the header and the shared library of each arm.
#
# Needs: gcc make ruby ruby-dev ruby-minitest dpkg-dev
. "$(dirname "$0")/lib.sh"
distribution_features
source=$(source_of ruby-sqlite3/sid) || exit 2

prepare() {
  cp -R "$source/." "$scratch/run/" && mkdir "$scratch/run/obj" || return
  with_arm sh -c "cd obj && ruby ../ext/sqlite3/extconf.rb \
    --with-opt-include='$build/$arm' --with-opt-lib='$build/$arm' && make &&
    cp -R sqlite3_native.so ../lib/sqlite3/" >"$results/$arm.make" 2>&1 || {
    tail -n 5 "$results/$arm.make" >&2
    return 1
  }
}
uses_library() {
  with_arm ruby -Ilib -e "require 'sqlite3'
    print SQLite3::Database.new(':memory:').get_first_value(
      \"SELECT sqlite_compileoption_used('WAL_DONTWRITE')\")"
}
# Left out is a test that counts how far another thread gets in 0.15 seconds, and
# fails where the machine is busy.
tests_of_client() {
  with_arm ruby -Ilib -Itest -e 'Dir["./test/**/test_*.rb"].sort.each { |f| require f }' \
    -- -v --seed 1 -e /timeout_releases_gvl/ >"$results/$arm.out" 2>&1
  awk -F ' = ' -v OFS=' ' '
    BEGIN { name["."] = "ok"; name["S"] = "skipped"; name["F"] = "FAIL"; name["E"] = "ERROR" }
    $1 ~ /^[A-Z][A-Za-z0-9_:]*#/ && $2 ~ / s$/ { print name[$3], $1 }' \
    "$results/$arm.out" >"$results/$arm.results"
  said=$(sed -n 's/^\([0-9]*\) runs, .*/\1/p' "$results/$arm.out")
  [ "$(wc -l <"$results/$arm.results")" = "${said:-none}" ]
  check $? "$arm: a result was read for each of the ${said:-?} tests"
}
for_each_arm
compare "Ruby's sqlite3, test/test_*.rb" "$(unpacked "$source")" 300
finish
