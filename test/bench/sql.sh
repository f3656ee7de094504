#!/bin/sh
# Tests `walbench sql`: counts of a user's own SQL, what its parameters are, and that each
# mistake in it is one clear line.
#
# usage: sql.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
set -u
# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"
examples=$(cd "$(dirname "$0")/../../bench/examples" && pwd)

# --- the example --------------------------------------------------------------

sql="sql --setup $examples/log-setup.sql --txn $examples/log-txn.sql --value-bytes 200"
total="CREATE VIEW f AS SELECT arm, metric, (SELECT sum(value) FROM json_each(samples)) AS n,
    json_array_length(samples) AS c FROM lines;"
# shellcheck disable=SC2086
run $sql --commits 20 --trials 0 --check $arms --dir "$scratch" --json "$top/a.json" --csv "$top/a.csv"
ok $status "example: runs, and its bounds hold"
clean && [ ! -s "$top/err" ] && [ "$(grep -c '^holds' "$top/out")" -eq 2 ]
ok $? "example: nothing is left behind or said on stderr"
is "example: the same pages are needed, in each transaction" "$(query "$top/a.json" "
    SELECT count(DISTINCT samples), count(*), min(json_array_length(samples)) FROM lines
    WHERE metric='needed'")" "1|2|20"
is "example: patched logs what is needed, stock half as much again" "$(query "$top/a.json" "$total
    SELECT max(n) FILTER(WHERE arm='patched' AND metric='written') <=
           1.05*max(n) FILTER(WHERE metric='needed'),
           max(n) FILTER(WHERE arm='stock' AND metric='written') >
           1.4*max(n) FILTER(WHERE metric='needed') FROM f")" "1|1"
is "example: the frames are accounted for" "$(query "$top/a.json" "$total
    SELECT arm, sum(n) FILTER(WHERE metric='written')-sum(n) FILTER(WHERE metric='needed' OR
    metric GLOB 'frames_*') FROM f WHERE arm<>'all' GROUP BY arm ORDER BY arm")" "$(printf 'patched|0\nstock|0')"
is "example: a frame is 24 bytes and a page, and the header of a log 32" "$(query "$top/a.json" "$total
    SELECT sum(w.n)-4120*sum(p.n), count(*) FROM f w JOIN f p USING(arm)
    WHERE w.metric='commit.wal.bytes' AND p.metric='written'")" $((2 * 20 * 32))"|2"
is "example: the record says what was run" "$(query "$top/a.json" "
    SELECT DISTINCT p->>'wrapped', p->>'checkpoint', length(p->>'txn_hash'),
    j->'pragmas'->>'journal_mode', j->'pragmas'->>'synchronous',
    j->'pragmas'->>'wal_autocheckpoint' FROM lines WHERE metric='written'")" \
    "yes|every transaction|32|wal|1|0"
# shellcheck disable=SC2086
run $sql --commits 20 --trials 2 --sample 5 --autocheckpoint $arms --dir "$scratch" --json "$top/b.json"
ok $status "autocheckpoint: runs"
is "autocheckpoint: the same frames; needed for every fifth transaction" "$(query "$top/b.json" "$total
    SELECT group_concat(n, ' ') FILTER(WHERE metric='written'),
    group_concat(c, ' ') FILTER(WHERE metric='needed') FROM f")" \
    "$(query "$top/a.json" "$total SELECT group_concat(n, ' ') FROM f WHERE metric='written'")|4 4"
is "autocheckpoint: the same needed pages" "$(query "$top/b.json" "
    SELECT DISTINCT samples FROM lines WHERE metric='needed'")" "$(query "$top/a.json" "
    SELECT DISTINCT json_array(samples->>4, samples->>9, samples->>14, samples->>19) FROM lines
    WHERE metric='needed'")"
is "autocheckpoint: some pages are copied once for many transactions" "$(query "$top/b.json" "$total
    SELECT max(n) < 4096*20*60 FROM f WHERE metric='commit.database.bytes'")" 1
is "times: a sample for each trial, and ratios" "$(query "$top/b.json" "$total
    SELECT group_concat(arm||' '||metric||' '||c, ', ') FROM f WHERE metric GLOB 'time*'")" \
    "stock time 2, patched time 2, patched time.ratio 2"
# shellcheck disable=SC2086
run $sql --commits 10 --trials 0 --pragma journal_mode=delete --pragma cache_size=-4000 $arms \
    --check --dir "$scratch" --json "$top/c.json"
ok $status "rollback mode: runs"
is "rollback mode: pages, a journal, no log, the same for both" "$(query "$top/c.json" "$total
    SELECT count(DISTINCT n) FILTER(WHERE metric='written'), sum(metric='commit.journal.bytes'),
    sum(metric='commit.wal.bytes'), (SELECT DISTINCT j->'pragmas'->>'cache_size' FROM lines
    WHERE metric='written') FROM f")" "1|2|0|-4000"

# --- parameters and transactions ------------------------------------------------

cat >"$top/setup.sql" <<END
CREATE TABLE t(id INTEGER PRIMARY KEY, r INTEGER, a TEXT, b BLOB);
CREATE TABLE seen(n INTEGER PRIMARY KEY);
END
# Division by a zero that is none gives NULL; abs() of the least integer is an error.
cat >"$top/params.sql" <<END
/* of a trigger: BEGIN; -- and of a comment */
CREATE TEMP TRIGGER IF NOT EXISTS x AFTER INSERT ON t BEGIN INSERT INTO seen VALUES(new.id); END;
INSERT INTO t VALUES(:n, :random, :text, :blob);
SELECT CASE WHEN length(a)<>37 OR length(b)<>37 OR typeof(a)<>'text' OR typeof(b)<>'blob'
  OR typeof(r)<>'integer' OR :n<>(SELECT count(*) FROM t) OR :n<>(SELECT count(*) FROM seen)
  OR (SELECT count(DISTINCT r)+count(DISTINCT a)+count(DISTINCT b) FROM t)<>3*:n
  THEN abs(-9223372036854775808) END FROM t;
END
small="--dir $scratch --setup $top/setup.sql --trials 0"
# shellcheck disable=SC2086
run sql $small --txn "$top/params.sql" --commits 7 --value-bytes 37 $arms --json "$top/d.json"
ok $status "parameters: :n counts from 1; the others are fresh and of their types"
is "BEGIN of a trigger or comment does not count" "$(query "$top/d.json" "
    SELECT DISTINCT p->>'wrapped' FROM lines")" yes
cat >"$top/own.sql" <<END
INSERT INTO t(a) VALUES(:text);
begin immediate;
INSERT INTO t(a) VALUES(:text); INSERT INTO t(a) VALUES(:text)
; COMMIT
END
# shellcheck disable=SC2086
run sql $small --txn "$top/own.sql" --commits 3 $arms --json "$top/e.json"
is "a BEGIN of its own: two transactions log the page once each" \
    "$status $(query "$top/e.json" "SELECT DISTINCT p->>'wrapped', samples->>1 FROM lines
    WHERE metric='written'")" "0 no|2"
printf 'INSERT INTO t(a) VALUES(1);\nINSERT INTO t(a) VALUES(2);\n' >"$top/two.sql"
for option in '' --no-wrap; do
    # shellcheck disable=SC2086
    run sql $small --txn "$top/two.sql" --commits 3 $option $arms --json "$top/w$option.json"
done
is "--no-wrap: each statement logs its page" "$(query "$top/w.json" "SELECT DISTINCT samples
    FROM lines WHERE metric='written'")$(query "$top/w--no-wrap.json" "SELECT DISTINCT samples
    FROM lines WHERE metric='written'")" "[1,1,1][2,2,2]"
is "--no-wrap: of two frames of a page the first is superseded" "$(query "$top/w--no-wrap.json" "
    SELECT DISTINCT samples FROM lines WHERE metric='frames_superseded'")" "[1,1,1]"
printf 'SELECT 1' >"$top/nothing.sql"
# shellcheck disable=SC2086
run sql $small --txn "$top/nothing.sql" --commits 3 $arms --json "$top/f.json"
is "a transaction that writes nothing" "$status $(query "$top/f.json" "
    SELECT DISTINCT samples FROM lines WHERE metric='written'")" "0 [0,0,0]"
cat >"$top/undone.sql" <<END
SAVEPOINT s; INSERT INTO t(b) VALUES(zeroblob(200000)); ROLLBACK TO s; RELEASE s;
INSERT INTO t(a) VALUES(:text);
END
# shellcheck disable=SC2086
run sql $small --txn "$top/undone.sql" --commits 3 --pragma cache_size=5 $arms --check
ok $status "a cache that spills what is rolled back"
# shellcheck disable=SC2086
run sql $small --txn "$top/two.sql" --pragma page_size=1024 --pragma auto_vacuum=incremental \
    --pragma encoding=UTF-16le $arms --json "$top/g.json"
is "page_size, auto_vacuum and encoding are those of the new database" "$status $(query \
    "$top/g.json" "SELECT DISTINCT j->'pragmas'->>'page_size', j->'pragmas'->>'auto_vacuum',
    j->'pragmas'->>'encoding' FROM lines WHERE metric='written'")" "0 1024|2|UTF-16le"

# --- a database that is there ----------------------------------------------------

# With a log that has not been checkpointed.
"$shell" "$top/live.db" "PRAGMA journal_mode=wal" "CREATE TABLE t(id INTEGER PRIMARY KEY, a)" \
    "INSERT INTO t(a) VALUES('first')" ".shell cp $top/live.db $top/user.db" \
    ".shell cp $top/live.db-wal $top/user.db-wal" >/dev/null
before=$(cksum "$top/user.db" "$top/user.db-wal")
printf 'SELECT CASE WHEN a IS NOT '\''first'\'' THEN abs(-9223372036854775808) END FROM t WHERE id=1;
UPDATE t SET a=a WHERE id=1;INSERT INTO t(a) VALUES(:text);' >"$top/user.sql"
# shellcheck disable=SC2086
run sql --database "$top/user.db" --txn "$top/user.sql" --commits 5 --trials 0 --dir "$scratch" $arms
[ $status -eq 0 ] && clean
ok $? "--database: its log counts"
is "--database: it is as it was" "$(cksum "$top/user.db" "$top/user.db-wal")$(find "$top" -name 'user.db*' | wc -l)" \
    "${before}2"

# --- what is not the same each time ------------------------------------------------

printf 'INSERT INTO t(r) VALUES(random());' >"$top/random.sql"
# shellcheck disable=SC2086
run sql $small --txn "$top/random.sql" --commits 3 $arms --json "$top/x.json"
[ $status -eq 1 ] && [ "$(wc -l <"$top/err")" -eq 1 ] && [ ! -e "$top/x.json" ] && clean &&
    grep -q "patched leaves other content than stock.*random().*datetime('now')" "$top/err"
ok $? "random(): other content fails the run, and the message says why it may be"
# shellcheck disable=SC2086
run $sql --commits 10 --trials 0 --check --dir "$scratch" --lib stock="$patched" --lib patched="$stock"
is "stock in the place of patched fails the bound" \
    "$status $(grep -c '^FAILS .*frames, not more than' "$top/out")" "1 1"

# --- bad input ----------------------------------------------------------------------

s="--setup $top/setup.sql"
wrong() { # NAME WORD SQL [ARGUMENT...]: a transaction with a mistake
    printf '%b' "$3" >"$top/wrong.sql"
    name=$1 word=$2
    shift 3
    # shellcheck disable=SC2086
    bad "$name" "$word" sql $s --txn "$top/wrong.sql" --trials 0 $arms "$@"
}
wrong "syntax, in its line" "wrong.sql:4: near \"t\"" "-- a\n\nSELECT 1;SELECT\n 2 FORM t;\n"
wrong "no such table" "wrong.sql:2: no such table: u (transaction 1)" "SELECT 1;\nINSERT INTO u VALUES(1);"
wrong "constraint" "wrong.sql:1: UNIQUE.*(transaction 1)" "INSERT INTO t(id) VALUES(1),(1);"
wrong "in a later transaction, with the library" "wrong.sql:2: UNIQUE.*(transaction 3) (stock)" \
    "\nINSERT INTO t(id) VALUES(min(:n,2));"
wrong "parameter" "wrong.sql:1: parameter :m: there are :n, " "INSERT INTO t(id) VALUES(:m);"
wrong "parameter without a name" "parameter ?" "INSERT INTO t(id) VALUES(?);"
wrong "COMMIT of a transaction that is not one" "COMMIT at the end: .*no transaction" "INSERT INTO t(id) VALUES(:n); COMMIT;"
wrong "transaction left open" "still open at the end" "BEGIN; INSERT INTO t(id) VALUES(:n);"
wrong "no such pragma" "pragma journal_mod=wal: .*no answer" "SELECT 1" --pragma journal_mod=wal
wrong "pragma that is not taken" "pragma page_size=1000: the database has 4096" "SELECT 1" --pragma page_size=1000
wrong "journal mode that is not one" "pragma journal_mode=half: the database has" "SELECT 1" --pragma journal_mode=half
wrong "pragma without a value" "not NAME=VALUE" "SELECT 1" --pragma journal_mode
wrong "pragma with more SQL" "not NAME=VALUE" "SELECT 1" --pragma "a=1;DROP TABLE t"
wrong "pragma named twice" "named twice" "SELECT 1" --pragma cache_size=1 --pragma CACHE_SIZE=2
wrong "byte 0" "wrong.sql:2: a byte 0" "SELECT 1;\n\0000"
# shellcheck disable=SC2086
{
    printf 'CREATE TABLE t(a);\nINSERT INTO t VALUES(:n);' >"$top/bad-setup.sql"
    bad "setup: parameter" "bad-setup.sql:2: parameter :n: there are none here" \
        sql --setup "$top/bad-setup.sql" --txn "$top/two.sql" $arms
    printf 'CREATE TABLE t(a);\nCREATE TABLE t(a);' >"$top/bad-setup.sql"
    bad "setup: SQL" "bad-setup.sql:2: table t already exists" \
        sql --setup "$top/bad-setup.sql" --txn "$top/two.sql" $arms
    printf 'BEGIN; CREATE TABLE t(a);' >"$top/bad-setup.sql"
    bad "setup: left open" "still open at the end" sql --setup "$top/bad-setup.sql" --txn "$top/two.sql" $arms
    bad "no transaction" "--txn is missing" sql $s $arms
    bad "nothing to begin with" "neither --setup nor --database" sql --txn "$top/two.sql" $arms
    bad "file that is missing" "none.sql: No such file" sql $s --txn "$top/none.sql" $arms
    printf -- '-- nothing\n;\n' >"$top/nothing.sql"
    bad "transaction without a statement" "nothing.sql: no statement" sql $s --txn "$top/nothing.sql" $arms
    bad "file that is a directory" "directory" sql $s --txn "$top/empty" $arms
    bad "database that is missing" "none.db.*No such file" sql --database "$top/none.db" --txn "$top/two.sql" $arms
    bad "database that is none" "not a database" sql --database "$top/params.sql" --txn "$top/two.sql" $arms
    bad "database that is a directory" "not a file" sql --database "$top/empty" --txn "$top/two.sql" $arms
    touch "$top/exists"
    bad "JSON file that exists" "exists already" sql $s --txn "$top/two.sql" --json "$top/exists" $arms
}
run sql --help
[ $status -eq 0 ] && [ "$(grep -c '^  --' "$top/out")" -ge 16 ] &&
    [ "$(grep -c '^        Default: ' "$top/out")" -eq $(($(grep -c '^  --' "$top/out") - 1)) ] &&
    [ "$(awk 'length > 100' "$top/out" | wc -l)" -eq 0 ]
ok $? "help: every option with its default"

finish
