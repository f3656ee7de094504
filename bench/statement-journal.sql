-- What a statement journal writes, for the sqlite3 shell, on Linux:
--
--   rm -f x.db*; build/subjournal/sqlite3 x.db <bench/statement-journal.sql
--
-- One UPDATE of 200,000 rows within BEGIN, with a function in its WHERE clause. Prints
-- how many bytes the process has written before it and after it, and its time. The
-- cache is large enough, so that all of it goes to the statement journal.
.output /dev/null
PRAGMA journal_mode=WAL;
PRAGMA synchronous=OFF;
PRAGMA cache_size=-200000;
PRAGMA temp_store=FILE;
CREATE TABLE t(id INTEGER PRIMARY KEY, n INT, time TEXT, body TEXT);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<200000)
  INSERT INTO t SELECT i, 0, '2026-01-01', hex(randomblob(90)) FROM c;
PRAGMA wal_checkpoint(TRUNCATE);
BEGIN;
.output
.system grep wchar /proc/$PPID/io
.timer on
UPDATE t SET n=n+1 WHERE time<datetime('now');
.timer off
.system grep wchar /proc/$PPID/io
ROLLBACK;
