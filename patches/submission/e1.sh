#!/bin/sh
# How many frames does one big DELETE leave in the WAL file? Rows 1 to 10,000 of
# 200,000 become 526 free pages, and fewer than ten other pages change.
#
#   sh e1.sh [path/to/sqlite3]
#
# As released: 533 frames
# With all.diff: 8 frames
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
"${1:-sqlite3}" -batch -init /dev/null "$d/e1.db" <<'END' | sed -n '$s/^0|\([0-9]*\)|.*/\1 frames/p' | grep frames
PRAGMA page_size=4096;
PRAGMA journal_mode=WAL;
PRAGMA secure_delete=OFF;
PRAGMA wal_autocheckpoint=0;
CREATE TABLE t(id INTEGER PRIMARY KEY, v);
WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<200000)
  INSERT INTO t SELECT i, printf('%0200d', i) FROM s;
PRAGMA wal_checkpoint=TRUNCATE;
DELETE FROM t WHERE id<=10000;
PRAGMA wal_checkpoint;
END
