#!/bin/sh
# How many pages does one UPDATE of 200,000 rows copy into its statement journal,
# and how many frames has a commit after a ROLLBACK TO of 10,000 of them? The
# bytes are those of the process, which Linux counts. A copy takes 4100 bytes.
#
#   sh subjournal.sh [path/to/sqlite3]
#
# As released: 10527 pages copied, 529 frames
# With all.diff: 0 pages copied, 2 frames
d=$(mktemp -d) || exit
trap 'rm -rf "$d"' EXIT
"${1:-sqlite3}" -batch -init /dev/null "$d/x.db" <<'END' | awk '
  $1=="wchar:" { if( n++ ) copied = int(($2-before)/4100); before = $2 }
  /^0[|]/ { split($0, frames, "|") }
  END { if( n<2 || frames[2]=="" ) exit 1
        print copied " pages copied, " frames[2] " frames" }'
PRAGMA page_size=4096;
PRAGMA journal_mode=WAL;
PRAGMA wal_autocheckpoint=0;
PRAGMA cache_size=-200000;
PRAGMA temp_store=FILE;
CREATE TABLE t(id INTEGER PRIMARY KEY, n, v);
WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<200000)
  INSERT INTO t SELECT i, 0, printf('%0200d', i) FROM s;
PRAGMA wal_checkpoint=TRUNCATE;
BEGIN;
.system grep wchar /proc/$PPID/io
UPDATE t SET n=n+1 WHERE v<datetime('now');
.system grep wchar /proc/$PPID/io
ROLLBACK;
BEGIN;
SAVEPOINT a;
UPDATE t SET n=n+1 WHERE id<=10000;
ROLLBACK TO a;
UPDATE t SET n=n+1 WHERE id IN (100000,200000);
COMMIT;
PRAGMA wal_checkpoint;
END
