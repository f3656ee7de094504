#!/bin/sh
# The packages of "make deb" in a system of their own: installed over the
# distribution's, used by what depends on them, and replaced by these again. The
# system is a minimal one that mmdebstrap makes, so this needs root and the
# archive.
#
#   test/deb.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
build=$(cd "$1" && pwd)
deb=$build/deb
refuse() {
  echo "deb.sh: $1" >&2
  exit 2
}
[ "$(id -u)" = 0 ] || refuse "has to be run by root, for a system of its own"
for tool in mmdebstrap chroot abidiff; do
  command -v $tool >/dev/null 2>&1 ||
    refuse "$tool is missing; install it, or run configure --install-deps=deb"
done
[ -n "$(ls "$deb"/libsqlite3-0_*.deb 2>/dev/null)" ] || refuse "no packages; make deb first"
make_scratch
root=$scratch/root
cd "$scratch" || exit 2

# --- The packages.

version=$(dpkg-deb -f "$deb"/libsqlite3-0_*.deb Version)
case $version in *+dontwrite[0-9]*) true ;; *) false ;; esac
check $? "the version says what is in it: $version"
for package in libsqlite3-0 libsqlite3-dev sqlite3; do
  [ "$(dpkg-deb -f "$deb"/${package}_*.deb Version)" = "$version" ]
  check $? "$package was built"
done
dpkg --compare-versions "$version" gt "${version%+dontwrite*}"
check $? "it replaces ${version%+dontwrite*}"
case $version in
  *+deb[0-9]*u[0-9]*+dontwrite*)
    next=$(echo "${version%+dontwrite*}" | awk -F u '{ $NF += 1; OFS = "u"; $1 = $1; print }')
    dpkg --compare-versions "$version" lt "$next"
    check $? "and the distribution's next, $next, replaces it"
    ;;
esac

# --- A system.

# From the archive that this system has, whatever the format of its sources.
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
  /etc/apt/sources.list.d/*.sources; do
  if [ -s "$f" ] && grep -q '^[^#]' "$f"; then sources="${sources:-} $f"; fi
done
# shellcheck disable=SC2086
mmdebstrap --quiet --variant=minbase \
  --include=python3,python3-apsw,libdbd-sqlite3-perl,sqlite3 \
  '' "$root" ${sources:-} >mmdebstrap.log 2>&1 </dev/null
check $? "a system with the distribution's packages"
[ -x "$root/usr/bin/sqlite3" ] || {
  sed 's/^/# /' mmdebstrap.log | tail -n 20
  exit 1
}
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
  PYTHONDONTWRITEBYTECODE=1 DEBIAN_FRONTEND=noninteractive "$@" </dev/null; }

sql="SELECT sqlite_compileoption_used('WAL_DONTWRITE')"
# asked VALUE WHEN: what each of the dependants says: 1 if it runs with ours.
asked() {
  [ "$(inside python3 -c "import sqlite3
print(*sqlite3.connect(':memory:').execute(\"$sql\").fetchone())")" = "$1" ]
  check $? "$2, Python's sqlite3 says $1"
  [ "$(inside python3 -c "import apsw
print(*next(apsw.Connection(':memory:').cursor().execute(\"$sql\")))")" = "$1" ]
  check $? "$2, APSW says $1"
  [ "$(inside perl -MDBI -e 'print DBI->connect("dbi:SQLite:dbname=:memory:")
    ->selectrow_array($ARGV[0])' "$sql")" = "$1" ]
  check $? "$2, DBD::SQLite says $1"
  [ "$(inside sqlite3 :memory: "$sql")" = "$1" ]
  check $? "$2, the shell says $1"
}
# Frames that one DELETE logs.
frames() {
  inside sh -c "rm -f /tmp/f.db*; sqlite3 /tmp/f.db \"PRAGMA journal_mode=WAL; PRAGMA secure_delete=$1;
    CREATE TABLE t(a INTEGER PRIMARY KEY, b);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<20000)
      INSERT INTO t SELECT i, zeroblob(200) FROM c;
    PRAGMA wal_checkpoint(TRUNCATE); DELETE FROM t WHERE a<=10000;\" \
    '.shell stat -c %s /tmp/f.db-wal >/tmp/f.db.size' >/tmp/f.db.out; cat /tmp/f.db.size
    rm -f /tmp/f.db*" |
    awk '{ print ($1-32)/4120 }'
}
listed() { (cd "$root" && find . -xdev ! -type d ! -path './var/log/*' ! -path './var/cache/*' \
  ! -path './var/lib/dpkg/*' ! -path './var/lib/apt/*' ! -path './tmp/*' \
  ! -path './proc/*' ! -path './sys/*' ! -path './dev/*' ! -path './run/*' \
  ! -name '*.pyc' | LC_ALL=C sort); }
library() { echo "$root"/usr/lib/*/libsqlite3.so.0; }
exported() { nm -D --defined-only "$(readlink -f "$(library)")" | awk '{ print $3 }' | LC_ALL=C sort; }

asked 0 "before"
# A package of a later suite can be installed, too, if it could be built; but then
# it has other files and functions than the one it replaces.
theirs=$(inside dpkg-query -W -f '${Version}' libsqlite3-0)
[ "$theirs" = "${version%+dontwrite*}" ] && comparable=yes || comparable=no
echo "# replaces $theirs; comparable: $comparable"
before_frames=$(frames FAST)
default=$(inside sqlite3 :memory: 'PRAGMA secure_delete')
listed >before
exported >before.symbols
cp "$(readlink -f "$(library)")" theirs.so
mkdir "$root/tmp/theirs" "$root/tmp/ours" &&
  cp "$deb"/libsqlite3-0_*.deb "$deb"/sqlite3_*.deb "$root/tmp/ours/" || exit 2
(cd "$root/tmp/theirs" && apt-get -q download "libsqlite3-0=$theirs" \
  "sqlite3=$theirs") >download.log 2>&1
check $? "the distribution's packages, to go back to"

# --- Ours.

inside sh -c 'dpkg -i /tmp/ours/*.deb' >dpkg.log 2>&1
check $? "dpkg installs ours over them"
[ -z "$(inside dpkg --audit)" ] && inside apt-get -q check >apt.log 2>&1
check $? "dpkg and apt find nothing broken"
asked 1 "with ours"
[ "$(inside sqlite3 :memory: 'PRAGMA secure_delete')" = "$default" ]
check $? "secure_delete has the same default: $default"
after_frames=$(frames FAST)
[ "$before_frames" -gt 400 ] && [ "$after_frames" -lt 60 ]
check $? "frames of a DELETE with secure_delete=FAST: $before_frames before, $after_frames with ours"
on_frames=$(frames ON)
[ "$on_frames" -ge "$before_frames" ]
check $? "with ON no fewer than before: $on_frames"
if [ $comparable = yes ]; then
  exported >after.symbols
  LC_ALL=C comm -23 before.symbols after.symbols >missing
  ! [ -s missing ]
  check $? "no symbol is missing: $(wc -l <before.symbols) before, $(wc -l <after.symbols) now"
  abidiff --no-added-syms theirs.so "$(readlink -f "$(library)")" >abi 2>&1
  check $? "abidiff finds no difference but additions"
  listed >now
  same before now "the same files are installed"
fi

# --- Back.

inside sh -c 'dpkg -r sqlite3 && dpkg -i /tmp/theirs/*.deb' >dpkg.log 2>&1
check $? "ours is removed, and the distribution's is there again"
[ -z "$(inside dpkg --audit)" ] && inside apt-get -q check >apt.log 2>&1
check $? "dpkg and apt find nothing broken"
asked 0 "back"
listed >now
same before now "nothing of ours is left"
cmp -s theirs.so "$(readlink -f "$(library)")"
check $? "the library is the distribution's"
finish
