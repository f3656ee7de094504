# Functions shared by the scripts that run the tests of other programs, unchanged,
# with stock and with patched. Each script is called with BUILD, the build folder, names the
# Debian packages that it needs in a comment "Needs:", and leaves in BUILD/clients/NAME
# what each test said for each arm (stock.results, patched.results, a line
# "STATUS TEST" each), all output, and a line of docs/clients.md (row).

name=$(basename "$0" .sh)
clients=$(cd "$(dirname "$0")" && pwd)
. "$clients/../lib.sh"
[ $# = 1 ] || {
  echo "$name: takes the build folder" >&2
  exit 2
}
build=$(cd "$1" && pwd) || exit 2
results=$build/clients/$name

refuse() {
  echo "$name: $1" >&2
  exit 2
}

for arm in stock patched; do
  [ -s "$build/$arm/libsqlite3.so.0" ] || refuse "$build/$arm has no library; make it first"
done
lacking=
for package in $(sed -n 's/^# Needs: //p' "$0"); do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' ||
    lacking="$lacking $package"
done
[ -z "$lacking" ] ||
  refuse "missing:$lacking; install with: apt-get install$lacking, or run configure --install-deps=clients"
make_scratch
rm -rf "$results"
mkdir -p "$results" || exit 2

# distribution_features: the clients of a distribution are compiled for its features.
distribution_features() {
  for option in ENABLE_COLUMN_METADATA ENABLE_FTS3 ENABLE_RTREE ENABLE_UNLOCK_NOTIFY; do
    grep -q -e "-DSQLITE_$option" "$build/settings" ||
      refuse "needs the distribution's features; run configure with --with-features=distro"
  done
}

# source_of PACKAGE: the folder with its source, as the distribution has it.
source_of() {
  "$clients/../../sqlite-src/obtain" --into "$build/clients/source" --source "$1" ||
    exit 2
}

# installed PACKAGE: its version.
installed() {
  dpkg-query -W -f '${Version}' "$1"
}

# unpacked FOLDER: the version of the source package that FOLDER holds. The archive
# may give another revision than the one that is installed.
unpacked() {
  sed -n '1s/^[^(]*(\([^)]*\)).*/\1/p' "$1/debian/changelog"
}

# with_arm COMMAND...: run it in $scratch/run with the library of $arm, in an
# environment that has nothing of the user in it.
with_arm() {
  (cd "$scratch/run" && env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME="$scratch/run" \
    TMPDIR="$scratch/tmp" TZ=UTC LC_ALL=C.UTF-8 PYTHONHASHSEED=0 \
    PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH="$build/$arm" "$@" </dev/null)
}

# for_each_arm: calls prepare, which puts what is needed into $scratch/run, asks
# which library it has, by uses_library, which prints the compile option of the
# patched one, and calls tests_of_client, which leaves $results/ARM.results.
# Both arms work in a folder of the same name.
for_each_arm() {
  for arm in stock patched; do
    rm -rf "$scratch/run" "$scratch/tmp"
    mkdir -p "$scratch/run" "$scratch/tmp" || exit 2
    prepare || refuse "cannot prepare the tests"
    expected=0
    [ $arm = stock ] || expected=1
    [ "$(uses_library 2>"$scratch/err")" = $expected ]
    check $? "$name runs with the library of $arm"
    sed 's/^/# /' "$scratch/err" | head -n 5
    tests_of_client
    LC_ALL=C sort -o "$results/$arm.results" "$results/$arm.results"
  done
}

# compare WHAT VERSION LEAST: as many tests as LEAST ran, and all said the same.
compare() {
  ran=$(wc -l <"$results/stock.results")
  [ "$ran" -ge "$3" ]
  check $? "$1 $2 ran: $ran tests, $3 or more expected"
  for arm in stock patched; do
    grep -v -E '^(ok|skipped|expected) ' "$results/$arm.results" >"$results/$arm.failed"
    eval "failed_$arm=$(wc -l <"$results/$arm.failed")"
  done
  same "$results/stock.results" "$results/patched.results" \
    "each test of $1 has the same result: $failed_stock fail with stock, $failed_patched with patched"
  skipped=$(grep -c '^skipped ' "$results/stock.results")
  echo "| $1 | $2 | $ran | $skipped | $failed_stock | $failed_patched |" >"$results/row"
}

# unittest_results OUT: the results in what Python's unittest says with -v.
# There have to be as many as it says that it ran.
unittest_results() {
  awk '
    /^[A-Za-z_][A-Za-z_0-9]* \([A-Za-z_0-9.]+\)/ {
      if( test!="" ) print "unfinished " test
      test = $1 $2
    }
    test!="" && match($0, /(^|[ .])(ok|FAIL|ERROR|expected failure|unexpected success|skipped .*)$/) {
      status = substr($0, RSTART, RLENGTH)
      sub(/^[ .]/, "", status)
      reason = ""
      if( status ~ /^skipped/ ){ reason = status; sub(/^skipped/, "", reason); status = "skipped" }
      sub(/ .*/, "", status)
      print status " " test reason
      test = ""
    }
    END { if( test!="" ) print "unfinished " test }' "$1" >"$results/$arm.results"
  said=$(sed -n 's/^Ran \([0-9]*\) tests* in .*/\1/p' "$1" | tail -n 1)
  [ "$(wc -l <"$results/$arm.results")" = "${said:-none}" ]
  check $? "$arm: a result was read for each of the ${said:-?} tests"
}
