#!/bin/sh
# Tests `walbench trace`: the calls that it records are those that strace sees, call by
# call; they are the published ones; and what it says of them adds up.
#
# usage: trace.sh WALBENCH STOCK-LIBRARY PATCHED-LIBRARY SHELL
set -u
# shellcheck source=test/bench/lib.sh
. "$(dirname "$0")/lib.sh"

# What strace saw of the arm processes, in the words of walbench: a line for each of the
# transactions. An arm says progress, "p DONE TOTAL", before and after each of them, and its
# process is one that does. A directory is opened for nothing but the sync that follows.
watched() {
    awk -v database="$(sed -n 's/.*"path=\(.*\)", "journal_mode=.*/\1/p' "$1" | head -n 1)" '
        function file(path) {
            if (path == database) return "database"
            if (path == database "-journal") return "journal"
            if (path == database "-wal") return "wal"
            if (path == database "-shm") return "shm"
            if (path == directory) return "directory"
            if (index(path, directory "/") == 1) return "other"
            return ""
        }
        function add(what) { list[pid] = list[pid] (list[pid] == "" ? "" : "; ") what }
        BEGIN { directory = database; sub(/\/[^\/]*$/, "", directory) }
        {
            pid = $1
            line = $0
            sub(/^[0-9]+ +/, "", line)
            result = line
            sub(/.* = /, "", result)
            call = line
            sub(/\(.*/, "", call)
        }
        call == "write" && line ~ /["n]p [0-9]+ 2\\n", / {
            if (line ~ /p 0 2\\n", / || (line ~ /p 1 2\\n", / && ended[pid])) {
                list[pid] = ""
                begun[pid] = 1
            } else {
                print list[pid]
                begun[pid] = 0
                ended[pid] = 1
            }
            next
        }
        !begun[pid] || result ~ /^-1/ { next }
        call == "openat" {
            split(line, part, "\"")
            name = file(part[2])
            if (name != "" && name != "directory") add("open " name)
            next
        }
        call == "unlink" {
            split(line, part, "\"")
            if (file(part[2]) != "") add("unlink " file(part[2]))
            next
        }
        call == "write" || call == "pwrite64" || call == "ftruncate" || call == "fdatasync" || call == "fsync" {
            path = line
            sub(/^[a-z0-9]+\([0-9]+</, "", path)
            sub(/>.*/, "", path)
            name = file(path)
            if (name == "") next
            tail = line
            sub(/\) *= [0-9]+$/, "", tail)
            n = split(tail, part, ", ")
            if (call == "pwrite64") add("write " name " " result "@" part[n])
            else if (call == "ftruncate") add("ftruncate " name " " part[n])
            else add(call " " name)
        }' "$1"
}

command -v strace >/dev/null 2>&1
ok $? "strace is there (./configure --install-deps installs it)"

different=
lines=0
for journal in delete truncate persist wal off; do
    for synchronous in off normal full extra; do
        strace -f -y -s 4096 -o "$top/strace" \
            -e trace=execve,openat,pwrite64,write,ftruncate,fdatasync,fsync,unlink \
            "$walbench" trace --journal-modes $journal --synchronous $synchronous --trials 0 \
            --dir "$scratch" --json "$top/t.json" --lib stock="$stock" --lib patched="$patched" \
            >"$top/out" 2>"$top/err" || different="$different $journal/$synchronous:failed"
        # Two rotated arms; both must have what the JSON says, in any order.
        watched "$top/strace" | sort >"$top/seen"
        query "$top/t.json" "SELECT p->>'calls' FROM lines WHERE metric='syncs'" | sort >"$top/said"
        cmp -s "$top/seen" "$top/said" && [ "$(wc -l <"$top/seen")" -eq 4 ] ||
            different="$different $journal/$synchronous"
        lines=$((lines + $(wc -l <"$top/said")))
        rm -f "$top/t.json"
    done
done
diff "$top/said" "$top/seen" >"$top/out" 2>&1
is "the calls of 20 modes, two libraries and two transactions are what strace sees" \
    "$different $lines" " 80"

# shellcheck disable=SC2086
run trace --trials 0 --check $arms --dir "$scratch" --json "$top/c.json"
is "bounds: they hold, the published calls among them" \
    "$status $(grep -c '^holds .*published calls' "$top/out") $(grep -c '^holds' "$top/out")" "0 4 24"
[ ! -s "$top/err" ] && clean
ok $? "nothing is left behind or said on stderr"
grep -q "synchronous=off: the published calls, but no 'write journal 12@0': the journal is never synced" \
    "$top/out"
ok $? "the one call that synchronous=OFF leaves out is named, with the reason"
cells="CREATE VIEW f AS SELECT arm, metric, samples->>0 AS n, p->>'case_journal_mode' AS journal,
    p->>'case_synchronous' AS sync, p->>'transaction' AS w, p->>'calls' AS calls,
    j->'pragmas'->>'synchronous' AS s, j->'pragmas'->>'journal_mode' AS read FROM lines
    WHERE arm IN('stock','patched');"
is "published: the syncs of DELETE" "$(query "$top/c.json" "$cells
    SELECT group_concat(n, ' ') FROM (SELECT n FROM f WHERE arm='stock' AND journal='delete'
    AND w='first' AND metric='syncs' ORDER BY s)")" "0 3 4 5"
is "WAL: syncs of the first and of the next transaction" "$(query "$top/c.json" "$cells
    SELECT group_concat(n, ' ') FROM (SELECT n FROM f WHERE arm='patched' AND journal='wal'
    AND metric='syncs' ORDER BY w, s)")" "0 2 3 3 0 0 1 1"
is "WAL: one frame a transaction, synced at FULL" "$(query "$top/c.json" "$cells
    SELECT calls FROM f WHERE arm='patched' AND journal='wal' AND metric='syncs' AND sync='full'
    AND w='next'")" "write wal 24@4152; write wal 4096@4176; fdatasync wal"
is "pragmas are as asked" "$(query "$top/c.json" "$cells
    SELECT count(*), sum(read<>journal OR s<>CASE sync WHEN 'off' THEN '0' WHEN 'normal' THEN '1'
    WHEN 'full' THEN '2' ELSE '3' END) FROM f")" "160|0"
is "bytes are the sum of the writes" "$(query "$top/c.json" "$cells
    SELECT n FROM f WHERE arm='stock' AND journal='delete' AND sync='full' AND w='first'
    AND metric='bytes_written'")" $((512 + 4 + 4096 + 4 + 4 + 4096 + 4 + 12 + 2 * 4096))

# shellcheck disable=SC2086
run trace --journal-modes delete,wal --synchronous off,full --trials 2 --transactions 5 \
    --transactions-off 20 --idle 50 $arms --dir "$scratch" --json "$top/r.json" --csv "$top/r.csv"
ok $status "rates: runs"
is "rates: one sample a trial, and no published rate of another number of transactions" \
    "$(query "$top/r.json" "SELECT count(*), sum(json_array_length(samples)),
    group_concat(DISTINCT j->>'published') FROM lines WHERE metric='rate'")" "8|16|"
run trace --journal-modes delete --synchronous off --trials 1 --idle 0 --lib a="$stock" \
    --dir "$scratch" --json "$top/p.json"
is "rates: the published one stands beside 5,000 transactions of OFF" "$status $(query \
    "$top/p.json" "SELECT j->>'published' FROM lines WHERE metric='rate'")" "0 33,436"
is "rates: ratios of pairs" "$(query "$top/r.json" "SELECT count(*), min(j->>'unit') FROM lines
    WHERE metric='rate.ratio' AND arm='patched'")" "4|of stock"
# The disk's counters, or why there are none.
disk=$(query "$top/r.json" "SELECT DISTINCT p->>'disk' FROM lines")
if [ -n "$disk" ]; then
    grep -q "^ *[0-9]* *[0-9]* $disk " /proc/diskstats
    ok $? "flushes: the disk is one that the kernel counts"
    is "flushes: counted for each trial" "$(query "$top/r.json" "
        SELECT sum(json_array_length(samples)) FROM lines WHERE metric='flushes_counted'")" 16
else
    grep -q '^Flushes of the disk are not counted: .' "$top/out"
    ok $? "flushes: it says why there are none"
fi
if [ -d /dev/shm ] && [ -w /dev/shm ]; then
    run trace --journal-modes off --synchronous off --trials 1 --timed off --transactions-off 5 \
        --lib a="$stock" --dir /dev/shm
    grep -q '^Flushes of the disk are not counted: the file system is not on one block device' "$top/out"
    ok $? "flushes: it says that a file system in memory has no disk"
fi
run trace --trials 0 --page-size 512 --journal-modes wal --synchronous full --check \
    --lib stock="$stock" --lib patched="$patched" --dir "$scratch"
[ $status -eq 0 ] && grep -q 'write wal 24@568, 512@592; fdatasync wal' "$top/out"
ok $? "page size 512"

# A library that does not sync at all in the place of patched.
source=$(dirname "$stock")/sqlite3.c
if [ -f "$source" ]; then
    ${CC:-cc} -O0 -w -fPIC -shared -DSQLITE_NO_SYNC -o "$top/nosync.so" "$source" -ldl -lpthread \
        -lm >"$top/out" 2>"$top/err"
    ok $? "a library without syncs builds"
    run trace --trials 0 --journal-modes delete --synchronous full --dir "$scratch" \
        --lib a="$top/nosync.so"
    [ $status -eq 1 ] && grep -q 'asked of the VFS.*SQLITE_NO_SYNC' "$top/err" && clean
    ok $? "a library whose syncs do not reach the system fails the run"
    ${CC:-cc} -O0 -w -fPIC -shared -DSQLITE_DISABLE_DIRSYNC -DHAVE_FDATASYNC=1 \
        -DHAVE_USLEEP=1 -o "$top/nodir.so" "$source" -ldl -lpthread -lm >"$top/out" 2>"$top/err"
    ok $? "a library that syncs no directory builds"
    run trace --trials 0 --journal-modes delete --synchronous normal,full --dir "$scratch" --check \
        --lib stock="$stock" --lib patched="$top/nodir.so"
    is "other calls than those of stock fail a bound" \
        "$status $(grep -c '^FAILS .*patched.*calls of stock' "$top/out")" "1 2"
    rm -f "$top"/*.so
fi

touch "$top/exists"
bad "no such journal mode" "'half' is not known" trace --journal-modes delete,half
bad "no such synchronous" "'some' is not known" trace --synchronous some
bad "an empty list" "'' is not known" trace --timed delete,
bad "page size" "power of two" trace --page-size 5000
bad "trials" "out of range" trace --trials -1
# shellcheck disable=SC2086
bad "JSON file that exists" "exists already" trace --json "$top/exists" $arms
run trace --help
[ $status -eq 0 ] && [ "$(grep -c '^  --' "$top/out")" -ge 12 ] &&
    [ "$(grep -c '^        Default: ' "$top/out")" -eq $(($(grep -c '^  --' "$top/out") - 1)) ] &&
    [ "$(awk 'length > 100' "$top/out" | wc -l)" -eq 0 ]
ok $? "help: every option with its default"

finish
