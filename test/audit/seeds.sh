#!/bin/sh
# Makes inputs for the audit's fuzzer out of small databases and logs of all kinds.
#
# usage: seeds.sh SHELL FOLDER
#
# SHELL is the stock sqlite3 shell. FOLDER is made, and filled with files NAME.FLAGS;
# see fuzz_audit.c for what is in them.
set -u
shell=${1:?usage: seeds.sh SHELL FOLDER}
folder=${2:?usage: seeds.sh SHELL FOLDER}
mkdir -p "$folder" || exit 2
work=$(mktemp -d "${TMPDIR:-/var/tmp}/audit-seeds-XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM

# The four bytes of a number, the least significant first.
bytes() {
  for shift in 0 8 16 24; do
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf '%03o' $(($1 >> shift & 255)))"
  done
}

# seed NAME: puts the copies together, as they are and mended; flags are octal.
seed() {
  if [ ! -s "$work/copy" ] || [ ! -s "$work/copy-wal" ]; then
    echo "seeds.sh: $1: no log was made" >&2
    exit 1
  fi
  size=$(wc -c <"$work/copy")
  for flags in 0 1 3 7 21; do
    # shellcheck disable=SC2059 # the format is the byte
    { printf "\\0$flags" && bytes "$size" && cat "$work/copy" "$work/copy-wal"; } \
      >"$folder/$1.$flags" || exit 1
  done
  rm -f "$work"/*
}

# make NAME PAGE-SIZE PRAGMAS SQL: a table of 40 rows in the database, the SQL in the log.
make() {
  "$shell" "$work/db" >/dev/null 2>"$work/err" <<END
PRAGMA page_size=$2;
$3
PRAGMA journal_mode=WAL;
PRAGMA wal_autocheckpoint=0;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<40)
INSERT INTO t SELECT i, printf('%0.*d', $2/5, i) FROM c;
PRAGMA wal_checkpoint(TRUNCATE);
$4
.shell cp '$work/db' '$work/copy'; cp '$work/db-wal' '$work/copy-wal'
END
  [ ! -s "$work/err" ] || cat "$work/err" >&2
  seed "$1"
}

make delete 512 "" "DELETE FROM t WHERE a<=30;"
make commits 512 "" "DELETE FROM t WHERE a<=10; INSERT INTO t VALUES(50,'x');
  DELETE FROM t WHERE a<=20; INSERT INTO t VALUES(51, printf('%01000d', 0)); DELETE FROM t;"
make secure 512 "PRAGMA secure_delete=ON;" "DELETE FROM t WHERE a<=30;"
make full 512 "PRAGMA auto_vacuum=FULL;" "DELETE FROM t WHERE a<=10; DELETE FROM t;"
make incremental 512 "PRAGMA auto_vacuum=INCREMENTAL;" \
  "DELETE FROM t WHERE a<=30; PRAGMA incremental_vacuum(5); INSERT INTO t VALUES(1,2);"
make spill 512 "PRAGMA cache_size=3;" "BEGIN; UPDATE t SET b=b||'x'; DELETE FROM t WHERE a<=20;
  UPDATE t SET b='y'; COMMIT;"
make savepoint 512 "" "BEGIN; SAVEPOINT s; DELETE FROM t WHERE a<=20; SAVEPOINT r;
  DELETE FROM t; ROLLBACK TO r; COMMIT;"
make vacuum 512 "" "DELETE FROM t WHERE a<=30; VACUUM; INSERT INTO t VALUES(1,2);"
make copied 512 "" "DELETE FROM t WHERE a<=10; DELETE FROM t WHERE a<=20;
  INSERT INTO t VALUES(1, printf('%02000d', 0)); PRAGMA wal_checkpoint;"
make partly 512 "" "DELETE FROM t WHERE a<=10;
.connection 1
.open $work/db
BEGIN; SELECT count(*) FROM t;
.connection 0
DELETE FROM t WHERE a<=20; INSERT INTO t VALUES(1, printf('%02000d', 0));
PRAGMA wal_checkpoint;"
make again 512 "" "DELETE FROM t WHERE a<=30; PRAGMA wal_checkpoint;
  INSERT INTO t VALUES(1,2); INSERT INTO t VALUES(2,3);"
make open 512 "PRAGMA cache_size=3;" "DELETE FROM t WHERE a<=10; BEGIN; UPDATE t SET b='y'||b;"
make new 512 "" "BEGIN; CREATE TABLE u(x); INSERT INTO u SELECT b FROM t; DROP TABLE u; COMMIT;"
make update 512 "" "UPDATE t SET b='z' WHERE a=1; UPDATE t SET b='z' WHERE a=2;"
make large 1024 "" "DELETE FROM t WHERE a<=30; UPDATE t SET b='z';"
# More than one trunk page: each holds up to 120 leaves.
make trunks 512 "" "CREATE TABLE big(x); INSERT INTO big VALUES(zeroblob(100000));
  DELETE FROM big; PRAGMA wal_checkpoint(TRUNCATE);
  INSERT INTO big VALUES(zeroblob(3000)); INSERT INTO big VALUES(zeroblob(20000));
  DELETE FROM big; INSERT INTO t VALUES(60,61);"
