-- For the sqlite3 shell: the oldest 10,000 of 200,000 rows are deleted inside
-- BEGIN ... COMMIT, by a statement whose WHERE clause calls a function and so
-- opens a statement journal. Prints what wal_checkpoint returns: 0, frames in
-- the log, frames copied.
--
--   build/patched/sqlite3 SCRATCH.db <bench/savepoint.sql
.output /dev/null
PRAGMA page_size = 4096;
PRAGMA journal_mode = wal;
PRAGMA wal_autocheckpoint = 0;
PRAGMA secure_delete = off;
CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<200000)
  INSERT INTO t SELECT i, printf('%d%.*c', i, 190, 'x') FROM s;
PRAGMA wal_checkpoint = TRUNCATE;
BEGIN;
DELETE FROM t WHERE id<=abs(10000);
COMMIT;
.output stdout
PRAGMA wal_checkpoint;
