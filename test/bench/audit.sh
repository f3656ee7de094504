#!/bin/sh
# audit.sh: tests of `walbench audit`: logs that the stock and the patched shell have
# written, held against each other; logs in every state; files that are no good.
#
# usage: audit.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
#
# The patched shell is looked for beside the patched library.
# Reports in the Test Anything Protocol; exit status 1 if a test failed.

# Numbers are split into words, and the names of files are ours.
# shellcheck disable=SC2012,SC2046,SC2086

set -u

# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"
patched_shell=$(dirname "$patched")/sqlite3
db=$scratch/db

shell_of() { # ARM
    case $1 in patched) echo "$patched_shell" ;; *) echo "$shell" ;; esac
}

# The start of every database: 200 rows of a fifth of a page, none of it in the log.
start() { # PAGE-SIZE PRAGMAS
    cat <<END
PRAGMA page_size=$1;
$2
PRAGMA journal_mode=WAL;
PRAGMA wal_autocheckpoint=0;
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<200)
INSERT INTO t SELECT i, printf('%0.*d', $1/5, i) FROM c;
PRAGMA wal_checkpoint(TRUNCATE);
END
}

# make ARM FILE PAGE-SIZE PRAGMAS SQL: a database and its log, as they are after the SQL.
make() {
    {
        start "$3" "$4"
        echo "$5"
        echo ".shell cp '$db' '$2'; cp '$db-wal' '$2-wal'"
    } | "$(shell_of "$1")" "$db" >"$top/shell" 2>&1 || sed 's/^/# /' "$top/shell"
    rm -f "$db" "$db-wal" "$db-shm"
}

audit() { # FILE [OPTION...]: what it finds becomes FILE.json
    audited=$1
    shift
    rm -f "$audited.json"
    run audit "$audited" --json "$audited.json" "$@"
}

sum() { # FILE METRIC...
    file=$1 sums=
    shift
    for metric; do
        sums="$sums $(query "$file.json" "SELECT sum(value) FROM lines, json_each(samples)
            WHERE metric='$metric'")"
    done
    echo "${sums# }"
}

list() { # FILE METRIC: its samples
    query "$1.json" "SELECT samples FROM lines WHERE metric='$2'"
}

# Frames that are left, commit by commit, if those are left out that are free.
left() { # FILE
    query "$1.json" "SELECT json_group_array(a.value-b.value) FROM lines x, lines y,
        json_each(x.samples) a, json_each(y.samples) b
        WHERE x.metric='frames' AND y.metric='free' AND a.key=b.key"
}

# both NAME PAGE-SIZE PRAGMAS SQL: the log of the patched library has what the audit of
# stock's says would be left, and nothing that is free.
both() {
    for arm in stock patched; do
        make $arm "$scratch/$arm" "$2" "$3" "$4"
        audit "$scratch/$arm"
        ok $status "$1: the log of $arm can be read"
    done
    is "$1: the log of patched is what is left of stock's, commit by commit" \
        "$(list "$scratch/patched" frames)" "$(left "$scratch/stock")"
    is "$1: nothing is free in the log of patched, and all is known" \
        "$(sum "$scratch/patched" free free_early unknown)" "0 0 0"
    is "$1: each frame is of one kind" "$(sum "$scratch/stock" frames)" \
        "$(($(sum "$scratch/stock" needed free free_early zeroed new_free superseded cut \
            unknown | tr ' ' '+')))"
}

# --- stock against patched ----------------------------------------------------

sql="DELETE FROM t WHERE a<=100; INSERT INTO t VALUES(1,2); UPDATE t SET b='x' WHERE a=150;
  DELETE FROM t WHERE a<=140; INSERT INTO t VALUES(2,3);"
for size in 512 1024 4096 8192 65536; do
    both "delete, page size $size" $size "" "$sql"
    set -- $(sum "$scratch/stock" frames needed free commits)
    [ "$4" -eq 5 ] && [ "$3" -ge 15 ] && [ $(($2 + $3)) -eq "$1" ]
    ok $? "delete, page size $size: needed and free are all there is: $*"
    is "delete, page size $size: needed is what patched logged" \
        "$(list "$scratch/stock" needed)" "$(list "$scratch/patched" frames)"
done
both "secure_delete=ON" 1024 "PRAGMA secure_delete=ON;" "$sql"
is "secure_delete=ON: zeroed, and no free frames" \
    "$(sum "$scratch/stock" free) $(($(sum "$scratch/stock" zeroed) >= 15))" "0 1"
is "secure_delete=ON: patched logs the same" "$(list "$scratch/stock" frames)" \
    "$(list "$scratch/patched" frames)"
both "secure_delete=FAST" 1024 "PRAGMA secure_delete=FAST;" "$sql"
is "secure_delete=FAST: free frames" "$(($(sum "$scratch/stock" free) >= 15))" 1
both "savepoints" 1024 "" "BEGIN; SAVEPOINT s; DELETE FROM t WHERE a<=60; SAVEPOINT r;
  DELETE FROM t WHERE a<=120; RELEASE s; COMMIT;"
is "savepoints: free frames" "$(($(sum "$scratch/stock" free) >= 14))" 1
both "auto_vacuum=FULL" 1024 "PRAGMA auto_vacuum=FULL;" "$sql"
both "auto_vacuum=INCREMENTAL" 1024 "PRAGMA auto_vacuum=INCREMENTAL;" \
    "$sql PRAGMA incremental_vacuum(3); DELETE FROM t WHERE a<190;"
is "auto_vacuum=INCREMENTAL: free frames" "$(($(sum "$scratch/stock" free) >= 15))" 1
both "VACUUM" 1024 "" "$sql VACUUM; INSERT INTO t VALUES(1000,1);"
both "made and dropped" 1024 "" \
    "BEGIN; CREATE TABLE u(x); INSERT INTO u SELECT b FROM t; DROP TABLE u; COMMIT;"
is "made and dropped: free pages past the old end" \
    "$(($(sum "$scratch/stock" new_free) >= 20))" 1
# The list has more than one trunk page (126 leaves each), and is used up again.
both "trunk pages" 512 "" "CREATE TABLE u(x);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<2000)
    INSERT INTO u SELECT zeroblob(80) FROM c;
  DELETE FROM u WHERE rowid<=1600; INSERT INTO u SELECT zeroblob(80) FROM u LIMIT 300;
  DELETE FROM u WHERE rowid<=1900; DELETE FROM t WHERE a<=150; INSERT INTO t VALUES(1,zeroblob(80000));
  DELETE FROM t; INSERT INTO u SELECT zeroblob(80) FROM u; DELETE FROM u WHERE rowid<2200;"
is "trunk pages: four commits free pages, the first more than a trunk page holds" \
    "$(query "$scratch/stock.json" "SELECT sum(value>0), samples->>2>120 FROM lines,
        json_each(samples) WHERE metric='free'")" "4|1"

# With a cache of a few pages there is a range, and the truth is in it.
for cache in 3 5 8; do
    sql_spill="BEGIN; UPDATE t SET b=b||'x'; DELETE FROM t WHERE a<=100; UPDATE t SET b='y'||b;
      DELETE FROM t WHERE a<=150; COMMIT; DELETE FROM t WHERE a<=180;"
    for arm in stock patched; do
        make $arm "$scratch/$arm" 1024 "PRAGMA cache_size=$cache;" "$sql_spill"
        audit "$scratch/$arm"
    done
    frames=$(sum "$scratch/patched" frames)
    set -- $(sum "$scratch/stock" frames saved_frames_least saved_frames_most free_early)
    [ $(($1 - $3)) -le "$frames" ] && [ "$frames" -le $(($1 - $2)) ] && [ "$4" -gt 0 ]
    ok $? "cache of $cache pages: patched has $frames of $1 frames, less $2 to $3"
done
make stock "$scratch/stock" 1024 "PRAGMA cache_size=3;" \
    "BEGIN; UPDATE t SET b=b||'x'; UPDATE t SET b='y'||b; COMMIT;"
audit "$scratch/stock"
is "cache of 3 pages: the last page of a commit is logged twice" \
    "$(sum "$scratch/stock" superseded free)" "1 0"

# --- what is printed ----------------------------------------------------------

make stock "$scratch/stock" 1024 "" "$sql"
audit "$scratch/stock" --csv "$scratch/stock.csv"
set -- $(sum "$scratch/stock" frames needed free saved_bytes_least checkpoint_pages \
    checkpoint_pages_saved)
grep -q "left out $3 of $1 frames, $(($3 * 1048 / 1000)),$(printf %03d $(($3 * 1048 % 1000))) bytes" \
    "$top/out" && [ "$4" -eq $(($3 * 1048)) ]
ok $? "totals: frames and bytes that are saved"
# A checkpoint by SQLite says what it copied as frames; the pages are counted by the file.
is "totals: pages of a checkpoint are the pages in the log" "$5" \
    "$(od -An -v -tx1 -j32 -w1048 "$scratch/stock-wal" | cut -c1-12 | sort -u | wc -l)"
is "totals: every free page of these is in no other frame" "$6" "$3"
is "totals: the worst two commits" "$(awk '/with the most/ {t = 1} t && $1+0 > 0 {print $1}' \
    "$top/out" | tr '\n' ' ')" "1 4 "
is "CSV: a line for each metric, and the heading" "$(wc -l <"$scratch/stock.csv")" \
    $(($(wc -l <"$scratch/stock.json") + 1))
run audit "$scratch/stock" --commits
is "--commits: all of them" "$(awk '/^Every/ {t = 1} t && $1+0 > 0 {print $1}' "$top/out" |
    tr '\n' ' ')" "1 2 3 4 5 "
mv "$scratch/stock-wal" "$scratch/other"
run audit "$scratch/stock" --wal "$scratch/other"
[ $status -eq 0 ] && grep -q "left out $3 of $1 frames" "$top/out"
ok $? "--wal: another name"
run audit "$scratch/stock"
[ $status -eq 0 ] && grep -q '^There is no log' "$top/out" && [ ! -s "$top/err" ]
ok $? "no log: that is said"
mv "$scratch/other" "$scratch/stock-wal"
ln -s stock "$scratch/link"
run audit "$scratch/link"
grep -q "left out $3 of $1 frames" "$top/out"
ok $? "link: the log is beside the file that it leads to"
rm -f "$scratch"/*

# --- logs in other states -----------------------------------------------------

# The same log before and after a checkpoint, all of it and part of it: what is still
# known is the same.
copies() { # SQL: the first state is $scratch/a, the second $scratch/b
    {
        start 1024 ""
        printf '%s\n' "$1"
    } | "$shell" "$db" >"$top/shell" 2>&1
    rm -f "$db" "$db-wal" "$db-shm"
    audit "$scratch/a" && before=$status
    audit "$scratch/b"
    [ $before -eq 0 ] && [ $status -eq 0 ]
}
same_where_known="SELECT min(a.value>=b.value), sum(a.value-b.value) FROM a, b
    USING(metric, key) WHERE metric IN ('needed','free','free_early','zeroed','new_free','cut')"
compare() { # what b knows against a, and what it does not know
    cat "$scratch/a.json" >"$top/ab.json"
    sed 's/"command":"audit"/"command":"b"/' "$scratch/b.json" >>"$top/ab.json"
    query "$top/ab.json" "CREATE VIEW f AS SELECT j->>'command' AS c, metric, key, value
          FROM lines, json_each(samples) WHERE experiment='audit';
        CREATE VIEW a AS SELECT * FROM f WHERE c='audit';
        CREATE VIEW b AS SELECT * FROM f WHERE c='b';
        $same_where_known"
}
copies "$sql
.shell cp '$db' '$scratch/a'; cp '$db-wal' '$scratch/a-wal'
PRAGMA wal_checkpoint;
.shell cp '$db' '$scratch/b'; cp '$db-wal' '$scratch/b-wal'"
ok $? "checkpointed: the log can be read"
! cmp -s "$scratch/a" "$scratch/b"
ok $? "checkpointed: the database is another"
is "checkpointed: what is known is right" "$(compare)" "1|$(sum "$scratch/b" unknown)"
is "checkpointed: the first commit wrote the first trunk page, all is known" \
    "$(sum "$scratch/b" unknown unknown_commits free)" "0 0 $(sum "$scratch/a" free)"

# Here the commit that begins the log takes a page off the list, and the trunk page that
# it leaves alone is changed and copied later.
trunks="CREATE TABLE u(x); INSERT INTO u VALUES(zeroblob(600000)); DELETE FROM u;
PRAGMA wal_checkpoint(TRUNCATE);
INSERT INTO u VALUES(zeroblob(5000)); DELETE FROM u; INSERT INTO u VALUES(zeroblob(300000));
DELETE FROM t;"
copies "$trunks
.shell cp '$db' '$scratch/a'; cp '$db-wal' '$scratch/a-wal'
PRAGMA wal_checkpoint;
.shell cp '$db' '$scratch/b'; cp '$db-wal' '$scratch/b-wal'"
ok $? "checkpointed, trunk pages: the log can be read"
is "checkpointed, trunk pages: what is known is right" "$(compare)" \
    "1|$(sum "$scratch/b" unknown)"
[ "$(sum "$scratch/b" unknown)" -gt 0 ] && [ "$(sum "$scratch/a" unknown)" -eq 0 ] &&
    grep -q '^Not known: ' "$top/out"
ok $? "checkpointed, trunk pages: what is not known is said"
copies "$sql
.connection 1
.open $db
BEGIN; SELECT count(*) FROM t;
.connection 0
DELETE FROM t WHERE a<=180; INSERT INTO t VALUES(3,4);
.shell cp '$db' '$scratch/a'; cp '$db-wal' '$scratch/a-wal'
PRAGMA wal_checkpoint;
.shell cp '$db' '$scratch/b'; cp '$db-wal' '$scratch/b-wal'" && ! cmp -s "$scratch/a" "$scratch/b"
ok $? "checkpointed in part: the log can be read"
is "checkpointed in part: what is known is right" "$(compare)" "1|$(sum "$scratch/b" unknown)"
# VACUUM makes the database smaller, and the checkpoint cuts the file.
copies "UPDATE t SET b='x' WHERE a=1; $sql VACUUM;
.shell cp '$db' '$scratch/a'; cp '$db-wal' '$scratch/a-wal'
PRAGMA wal_checkpoint;
.shell cp '$db' '$scratch/b'; cp '$db-wal' '$scratch/b-wal'" && [ "$(wc -c <"$scratch/b")" -lt "$(wc -c <"$scratch/a")" ]
ok $? "checkpointed and cut: the log can be read"
is "checkpointed and cut: what is known is right" "$(compare)" "1|$(sum "$scratch/b" unknown)"
rm -f "$scratch"/*

make stock "$scratch/again" 1024 "" "$sql
PRAGMA wal_checkpoint;
UPDATE t SET b='x' WHERE a=190; UPDATE t SET b='x' WHERE a=191;"
audit "$scratch/again"
frames=$((($(wc -c <"$scratch/again-wal") - 32) / 1048))
is "begun again: two commits, the rest is of an earlier log" \
    "$(sum "$scratch/again" frames commits tail_earlier_log tail_torn)" \
    "2 2 $((frames - 2)) 0"
grep -q "^$((frames - 2)) frames after the last commit: $((frames - 2)) left from an earlier log" \
    "$top/out"
ok $? "begun again: that is said"
make stock "$scratch/open" 1024 "PRAGMA cache_size=3;" "$sql
BEGIN; UPDATE t SET b='y'||b;"
audit "$scratch/open"
[ "$(sum "$scratch/open" commits tail_torn)" = "5 0" ] &&
    [ "$(sum "$scratch/open" tail_uncommitted)" -gt 3 ] && grep -q 'not committed' "$top/out"
ok $? "open transaction: its frames are told from committed ones"
make stock "$scratch/torn" 1024 "" "$sql"
frames=$((($(wc -c <"$scratch/torn-wal") - 32) / 1048))
printf 'x' | dd of="$scratch/torn-wal" bs=1 seek=$((32 + 1048 * (frames - 2) + 500)) conv=notrunc \
    2>/dev/null
audit "$scratch/torn"
[ "$(sum "$scratch/torn" tail_torn tail_earlier_log)" = "2 0" ] && grep -q '2 torn' "$top/out"
ok $? "torn: the frame and what is behind it"
head -c $((32 + 1048 * (frames - 2) + 7)) "$scratch/torn-wal" >"$scratch/short"
run audit "$scratch/torn" --wal "$scratch/short"
[ $status -eq 0 ] && grep -q '^7 bytes of a part of a frame' "$top/out"
ok $? "cut: bytes of a part of a frame"
# The first transaction of a database, with an empty file beside it.
"$shell" "$db" "PRAGMA journal_mode=WAL" "PRAGMA wal_autocheckpoint=0" "VACUUM" \
    "CREATE TABLE t(x)" ".shell cp '$db-wal' '$scratch/new-wal'; : >'$scratch/new'" >"$top/shell"
audit "$scratch/new"
grep -q 'has 0 bytes' "$top/out" && [ "$(sum "$scratch/new" unknown)" = 0 ] &&
    [ "$(sum "$scratch/new" needed)" -gt 0 ]
ok $? "empty database file: the log alone"
rm -f "$scratch"/*

# --- nothing is changed ---------------------------------------------------------

make stock "$scratch/copy" 1024 "" "$sql"
hash_of() { cat "$scratch/copy" "$scratch/copy-wal" | cksum; }
before="$(hash_of) $(ls -l --time-style=full-iso "$scratch")"
chmod 555 "$scratch"
run audit "$scratch/copy"
chmod 755 "$scratch"
is "copy: files and folder are as they were" \
    "$status $(hash_of) $(ls -l --time-style=full-iso "$scratch")" "0 $before"
if command -v strace >/dev/null 2>&1 && strace -o "$top/strace" true 2>/dev/null; then
    strace -f -o "$top/strace" -e trace=file,fcntl,flock,ftruncate,pwrite64,fchown "$walbench" \
        audit "$scratch/copy" >"$top/out" 2>"$top/err"
    is "copy: opened twice, for reading" "$(grep -c "openat.*scratch/copy.*O_RDONLY" \
        "$top/strace")" 2
    is "copy: no lock, nothing written, made or removed" "$(grep -c -e F_SETLK -e flock \
        -e F_OFD -e O_RDWR -e O_WRONLY -e O_CREAT -e unlink -e rename -e truncate -e pwrite \
        -e shm "$top/strace")" 0
fi

# --- live -----------------------------------------------------------------------

mkfifo "$top/fifo"
"$shell" "$db" <"$top/fifo" >"$top/writer" 2>&1 &
writer=$!
exec 3>"$top/fifo"
wait_for() { # the writer has done all it was told
    rm -f "$top/ready"
    echo ".shell touch '$top/ready'" >&3
    tries=0
    while [ ! -e "$top/ready" ] && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
{
    start 1024 "PRAGMA cache_size=3;"
    echo "$sql BEGIN; UPDATE t SET b='y'||b;"
} >&3
wait_for
cat "$db" "$db-wal" "$db-shm" >"$top/before"
ls "$scratch" >"$top/files"
audit "$db" --live
ok $status "live: a writer is in a transaction"
[ "$(sum "$db" commits)" = 5 ] && [ "$(sum "$db" tail_uncommitted)" -gt 3 ]
ok $? "live: what is committed, and what is not"
rm -f "$db.json"
cat "$db" "$db-wal" "$db-shm" | cmp -s - "$top/before" && ls "$scratch" | cmp -s - "$top/files"
ok $? "live: no file has changed, or come or gone"
run audit "$db"
ok $status "live: without the option, while nothing moves"
if [ -s "$top/strace" ]; then
    strace -f -o "$top/strace" -e trace=file,fcntl,flock,ftruncate,pwrite64 "$walbench" \
        audit "$db" --live >"$top/out" 2>"$top/err"
    is "live: all files are opened for reading alone, and none is made" \
        "$(grep "scratch/db" "$top/strace" | grep -c -e O_RDWR -e O_WRONLY -e O_CREAT)" 0
    is "live: no exclusive lock is taken" "$(grep -c 'F_SETLK.*F_WRLCK' "$top/strace")" 0
    is "live: the locks that the help tells of, and no others" "$(sed -n \
        's/.*F_SETLK.*l_type=\(F_[A-Z]*\),.*l_start=\([0-9]*\), l_len=\([0-9]*\).*/\1 \2 \3/p' \
        "$top/strace" | tr '\n' ',')" \
        "F_RDLCK 1073741824 1,F_RDLCK 1073741826 510,F_RDLCK 127 1,F_UNLCK 1073741824 1,"
fi
echo "COMMIT; INSERT INTO t VALUES(5000,1);" >&3
wait_for
run audit "$db" --live --json "$top/live.json"
is "live: the writer has gone on" \
    "$status $(query "$top/live.json" "SELECT samples->>0 FROM lines WHERE metric='commits'")" "0 7"
echo "SELECT 'Error' FROM t WHERE a=5000 AND b<>1;" >&3
wait_for
[ "$(grep -c Error "$top/writer")" -eq 0 ] && cp "$db" "$top/left" && cp "$db-wal" "$top/left-wal"
ok $? "live: the writer was not hindered"
kill -9 $writer
wait $writer 2>/dev/null
exec 3>&-
[ -e "$db-shm" ] && [ -e "$db-wal" ]
ok $? "--live: all files are left by a process that was killed"
left=$(ls "$scratch")
run audit "$db" --live
[ $status -eq 2 ] && grep -q "no process shares" "$top/err" && [ "$left" = "$(ls "$scratch")" ]
ok $? "--live: a -shm file without its process is no use"
rm -f "$scratch"/*
bad "--live: nobody is there" "no process shares" audit "$top/left" --live
mv "$top/left-wal" "$top/gone"
run audit "$top/left" --live
[ $status -eq 0 ] && grep -q '^There is no log' "$top/out" && [ ! -e "$top/left-shm" ] &&
    [ ! -e "$top/left-wal" ]
ok $? "--live: no log, and none is made"

# The first part of the log that is read takes long, and meanwhile others commit, want the log begun
# again, and leave, the last of whom would remove it.
slowly() { # OPTION...: audits $db, and has begun to when this returns
    strace -o "$top/strace" -P "$db-wal" -e trace=openat,pread64 \
        -e inject=pread64:delay_exit=8000000:when=1 \
        "$walbench" audit "$db" --json "$top/slow.json" "$@" >"$top/out" 2>"$top/err" 3>&- &
    auditor=$!
    tries=0
    while ! grep -q openat "$top/strace" 2>/dev/null && [ $tries -lt 300 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    sleep 1 # from there to the first part
}
if strace -o "$top/strace" -e inject=pread64:delay_exit=1:when=1 true 2>/dev/null; then
    rm -f "$top/strace" "$top/slow.json"
    "$shell" "$db" <"$top/fifo" >"$top/writer" 2>&1 &
    writer=$!
    exec 3>"$top/fifo"
    { start 1024 "" && echo "$sql"; } >&3
    wait_for
    slowly --live
    echo "PRAGMA wal_checkpoint(RESTART); INSERT INTO t VALUES(5000,1);" >&3
    exec 3>&-
    wait $writer
    kill -0 $auditor 2>/dev/null && [ -s "$db-wal" ]
    ok $? "live, slowly: the last of the others has gone before, and the log is there"
    wait $auditor
    is "live, slowly: what was there at the beginning is found" \
        "$? $(query "$top/slow.json" "SELECT samples->>0 FROM lines WHERE metric='commits'")" "0 5"
    [ "$(tail -n 1 "$top/writer" | cut -d'|' -f1)" = 1 ]
    ok $? "live, slowly: the checkpoint could not have the log begun again"
    rm -f "$top/strace" "$top/slow.json"
    slowly
    "$shell" "$db" "INSERT INTO t VALUES(5001,1)"
    wait $auditor
    is "without --live, slowly: that the files have changed is an error" \
        "$? $(grep -c 'changed while it was read: audit a copy, or use --live' "$top/err")" "1 1"
    [ ! -e "$top/slow.json" ] && [ ! -s "$top/out" ]
    ok $? "without --live, slowly: nothing is written"
    rm -f "$scratch"/*
fi

# Somebody touches the log all the time: it is found out, now or at another try.
make stock "$scratch/copy" 4096 "" "CREATE TABLE u AS SELECT zeroblob(8000000);"
(while [ -e "$scratch/copy-wal" ]; do touch -c "$scratch/copy-wal"; done) 2>/dev/null &
toucher=$!
tries=0
while run audit "$scratch/copy" && [ $status -eq 0 ] && [ $tries -lt 20 ]; do
    tries=$((tries + 1))
done
is "a log that changes meanwhile" "$status $(cat "$top/err")" \
    "1 walbench: the log changed while it was read: audit a copy, or use --live"
kill $toucher 2>/dev/null
wait $toucher 2>/dev/null
rm -f "$scratch"/*

# --- files that are no good -------------------------------------------------------

# The files of a bad call lie outside of the scratch directory, which has to stay clean.
h=$top/hostile
mkdir "$h"
make stock "$h/db" 512 "" "UPDATE t SET b='x' WHERE a=1; UPDATE t SET b='x' WHERE a=9; $sql"
make stock "$h/large" 1024 "" "$sql"
bad "no FILE" "no FILE" audit
bad "two FILEs" "unexpected argument" audit "$h/db" "$h/large"
bad "FILE is not there" "No such file" audit "$h/none"
bad "FILE is a folder" "not a file" audit "$h"
bad "LOG is not there" "No such file" audit "$h/db" --wal "$h/none"
bad "LOG is a folder" "not a file" audit "$h/db" --wal "$h"
bad "--live with --wal" "do not go together" audit "$h/db" --live --wal "$h/db-wal"
bad "the JSON file is there" "exists" audit "$h/db" --json "$h/large"
bad "an unknown option" "unknown option" audit "$h/db" --lib=x=y
mkfifo "$h/fifo"
bad "FILE is a pipe" "not a file" audit "$h/fifo"
bad "LOG is a pipe" "not a file" audit "$h/db" --wal "$h/fifo"
cp "$h/db-wal" "$h/random-wal"
head -c 20000 "$stock" >"$h/random"
bad "FILE is not a database" "not a database file, or an encrypted one" audit "$h/random"
bad "the log of a database with other pages" "not the log of this database" \
    audit "$h/db" --wal "$h/large-wal"
head -c 50 "$h/db" >"$h/short"
bad "FILE is too short" "too short" audit "$h/short" --wal "$h/db-wal"
: >"$h/empty"
run audit "$h/db" --wal "$h/empty"
[ $status -eq 0 ] && grep -q '^The log is empty' "$top/out"
ok $? "a log of 0 bytes: that is said"
for size in 1 31; do
    head -c $size "$h/db-wal" >"$h/short"
    bad "a log of $size bytes" "has $size bytes" audit "$h/db" --wal "$h/short"
done
head -c 32 "$h/db-wal" >"$h/short"
run audit "$h/db" --wal "$h/short"
[ $status -eq 0 ] && grep -q '^No commit' "$top/out"
ok $? "a log of a header alone"
bad "LOG is no log" "does not begin as" audit "$h/db" --wal "$h/db"

# poke FILE OFFSET BYTES: as \ooo
poke() {
    # shellcheck disable=SC2059 # the bytes are the format
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}
# damaged NAME WORD FILE LOG: exit status 1, and one line
damaged() {
    timeout 20 "$walbench" audit "$3" --wal "$4" >"$top/out" 2>"$top/err"
    is "damaged: $1" "$? $(wc -l <"$top/err") $(wc -c <"$top/out") $(grep -c -e "$2" "$top/err")" \
        "1 1 0 1"
}
# A database with two trunk pages and a log that does not hold page 1.
make stock "$h/list" 512 "" "CREATE TABLE u(x); INSERT INTO u VALUES(zeroblob(100000));
  DELETE FROM u; PRAGMA wal_checkpoint(TRUNCATE); UPDATE t SET b='x' WHERE a=1;"
run audit "$h/list"
ok $status "damaged: it is sound before"
word() { od -An -tu1 -j"$2" -N4 "$1" | awk '{print (($1 * 256 + $2) * 256 + $3) * 256 + $4}'; }
trunk=$((($(word "$h/list" 32) - 1) * 512))
second=$((($(word "$h/list" $trunk) - 1) * 512))
[ $second -gt 0 ] && [ "$(word "$h/list" $second)" -eq 0 ]
ok $? "damaged: it has two trunk pages before"
each() { # NAME WORD OFFSET BYTES
    cp "$h/list" "$h/broken"
    poke "$h/broken" "$3" "$4"
    damaged "$1" "$2" "$h/broken" "$h/list-wal"
}
each "count of 0xffffffff" "commit 1 of 1.*4294967295 pages" 36 '\377\377\377\377'
each "count of 0" "holds at least" 36 '\0\0\0\0'
each "trunk page out of range" "names page 2147483647" 32 '\177\377\377\377'
each "trunk page 1" "names page 1 " 32 '\0\0\0\1'
each "no trunk page" "holds 0 pages" 32 '\0\0\0\0'
each "claims too many leaves" "claims 16777215 leaves" $((trunk + 4)) '\0\377\377\377'
each "leaf out of range" "names page 4294967040" $((trunk + 8)) '\377\377\377\0'
each "leaf is page 0" "names page 0" $((trunk + 8)) '\0\0\0\0'
cp "$h/list" "$h/broken"
dd if="$h/list" of="$h/broken" bs=1 skip=32 seek=$second count=4 conv=notrunc 2>/dev/null
damaged "list with a cycle" "twice" "$h/broken" "$h/list-wal"
cp "$h/list" "$h/broken"
dd if="$h/list" of="$h/broken" bs=1 skip=$((trunk + 8)) seek=$((second + 8)) count=4 conv=notrunc \
    2>/dev/null
damaged "leaf that is named twice" "twice" "$h/broken" "$h/list-wal"
damaged "the log of another database" "this is not its log" "$h/list" "$h/db-wal"
# Page 1 is in the log, which is sound, and the database ends before the list.
head -c 5120 "$h/list" >"$h/broken"
damaged "a database that is cut" "neither in the log nor in" "$h/broken" "$h/list-wal"

# survives FILE LOG: ends by itself, says one line if it fails, and none if not
survives() {
    timeout 20 "$walbench" audit "$1" --wal "$2" >"$top/out" 2>"$top/err"
    result=$?
    lines=$(wc -l <"$top/err")
    case $result in
    0) [ "$lines" -eq 0 ] ;;
    1 | 2) [ "$lines" -eq 1 ] && [ ! -s "$top/out" ] ;;
    *) false ;;
    esac || echo "# $3: status $result, $lines lines"
}
# The log cut at every byte of its header and of the first two frames.
complaints=$(
    size=0
    while [ $size -le $((32 + 2 * 536)) ]; do
        head -c $size "$h/db-wal" >"$h/short"
        survives "$h/db" "$h/short" "cut at $size"
        size=$((size + 1))
    done
)
is "hostile: a log cut at any byte" "$complaints" ""
complaints=$(
    size=0
    while [ $size -le 2000 ]; do
        head -c $size "$h/db" >"$h/short"
        survives "$h/short" "$h/db-wal" "database cut at $size"
        size=$((size + 9))
    done
)
is "hostile: a database cut anywhere" "$complaints" ""
# Bits turned over in both headers of the log, in those of frames, and in page 1.
flip() { # FILE OFFSET BIT
    byte=$(od -An -tu1 -j"$2" -N1 "$1")
    poke "$1" "$2" "\\0$(printf '%03o' $((byte ^ 1 << $3)))"
}
complaints=$(
    for range in 0-31 32-55 568-591; do
        at=${range%-*}
        while [ $at -le ${range#*-} ]; do
            for bit in 0 $((at % 6 + 1)) 7; do
                cp "$h/db-wal" "$h/short"
                flip "$h/short" $at $bit
                survives "$h/db" "$h/short" "bit $bit of byte $at of the log"
            done
            at=$((at + 1))
        done
    done
    at=0
    while [ $at -le 99 ]; do
        for bit in 0 $((at % 6 + 1)) 7; do
            cp "$h/list" "$h/short"
            flip "$h/short" $at $bit
            survives "$h/short" "$h/list-wal" "bit $bit of byte $at of the database"
        done
        at=$((at + 1))
    done
)
is "hostile: bits of headers turned over" "$complaints" ""
# Sizes that no disk has: files with holes.
cp "$h/db-wal" "$h/holes"
if truncate -s 4T "$h/holes" 2>/dev/null; then
    timeout 60 "$walbench" audit "$h/db" --wal "$h/holes" >"$top/out" 2>"$top/err"
    is "hostile: a log of 4 TB of holes" "$? $(grep -c 'never written, .* not looked at' "$top/out")" \
        "0 1"
    cp "$h/db" "$h/holes"
    truncate -s 4T "$h/holes"
    survives "$h/holes" "$h/db-wal" "database of 4 TB" >"$top/complaint"
    is "hostile: a database of 4 TB of holes" "$(cat "$top/complaint")" ""
fi

# --- help -------------------------------------------------------------------------

run audit --help
[ $status -eq 0 ] && [ "$(grep -c '^  --' "$top/out")" -eq 6 ] &&
    [ "$(grep -c '^        Default: ' "$top/out")" -eq 5 ] &&
    [ "$(awk 'length > 100' "$top/out" | wc -l)" -eq 0 ]
ok $? "help: every option with its default"

finish
