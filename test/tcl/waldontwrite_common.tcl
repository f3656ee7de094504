# 2026 November 30
#
# The author disclaims copyright to this source code.
#
#***********************************************************************
#
# Procedures for the tests of free pages in WAL mode: to see which pages are
# in the log and which of them are leaves of the free-list.
#

source $testdir/wal_common.tcl

# Open test.db. The default of secure_delete is a compile-time option.
#
proc open_db {args} {
  sqlite3 db test.db {*}$args
  execsql { PRAGMA secure_delete = OFF ; PRAGMA wal_autocheckpoint = 0 }
}

# Start with an empty database in WAL mode, with pages of $pgsz bytes, the
# auto_vacuum mode $av, and table t1(a,b) of $nRow rows, a page holding about
# four of them. The log is empty.
#
proc reset {pgsz av nRow} {
  db close
  forcedelete test.db test.db-wal
  open_db
  set nPad [expr {$pgsz/5}]
  execsql "
    PRAGMA page_size = $pgsz;
    PRAGMA auto_vacuum = $av;
    PRAGMA journal_mode = wal;
    CREATE TABLE t1(a INTEGER PRIMARY KEY, b);
    WITH s(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM s WHERE i<$nRow)
      INSERT INTO t1 SELECT i, substr(printf('%d-%.*c', i, $nPad, 'x'),1,$nPad)
      FROM s;
    PRAGMA wal_checkpoint = TRUNCATE;
  "
}

# Return the number and a checksum of the rows of t1 for which $where is true.
#
proc sig {{where 1} {handle db}} {
  $handle one "SELECT count(*)||'-'||md5sum(a,b) FROM t1 WHERE $where"
}

# Return the page number of each frame in the log of test.db, or only of those
# frames that hold nothing but zeros.
#
proc logged_pages {{onlyzero {}}} {
  if {![file exists test.db-wal]} { return [list] }
  set pgsz [db one {PRAGMA page_size}]
  set ret [list]
  set fd [open test.db-wal rb]
  for {set i 0} {$i<[wal_frame_count test.db-wal $pgsz]} {incr i} {
    seek $fd [wal_file_size $i $pgsz]
    binary scan [read $fd 4] I pgno
    if {$onlyzero==""} {
      lappend ret $pgno
    } else {
      seek $fd 20 current
      if {[string trim [read $fd $pgsz] "\000"]==""} { lappend ret $pgno }
    }
  }
  close $fd
  return $ret
}

# Copy test.db and its log, without the -shm file, as they are left by a
# power failure. Recover the copy, run an integrity check, move the content
# of the log into the copied database file, and leave it open as db2.
#
proc recover_copy {} {
  catch { db2 close }
  forcedelete test2.db test2.db-wal test2.db-shm
  forcecopy test.db test2.db
  forcecopy test.db-wal test2.db-wal
  sqlite3 db2 test2.db
  set res [db2 one {PRAGMA integrity_check}]
  db2 eval {PRAGMA wal_checkpoint}
  return $res
}

# Return the free-list of database file $file: a list of the leaves. The
# global variable free_trunks is set to the list of trunks.
#
proc free_leaves {file} {
  global free_trunks
  set free_trunks [list]
  set leaves [list]
  set fd [open $file rb]
  seek $fd 16
  binary scan [read $fd 2] Su pgsz
  if {$pgsz==1} { set pgsz 65536 }
  seek $fd 32
  binary scan [read $fd 4] I trunk
  while {$trunk} {
    lappend free_trunks $trunk
    seek $fd [expr {wide($trunk-1)*$pgsz}]
    binary scan [read $fd 8] II trunk n
    binary scan [read $fd [expr {4*$n}]] I* l
    lappend leaves {*}$l
  }
  close $fd
  return $leaves
}

# The log holds exactly one transaction, which began with a database of
# $nOrig pages. Recover a copy and return a list of three:
#
#    * The number of leaves of the free-list that have been logged, though
#      they were part of the database when the transaction began.
#    * The number of pages added to the database that have not been logged.
#    * The result of the integrity check of the copy.
#
proc log_check {nOrig} {
  set res [recover_copy]
  set nPage [db2 one {PRAGMA page_count}]
  foreach pgno [logged_pages] { set logged($pgno) 1 }
  set nLeaf 0
  foreach pgno [free_leaves test2.db] {
    if {[info exists logged($pgno)] && $pgno<=$nOrig} { incr nLeaf }
  }
  set nLost 0
  set pending [expr {$::sqlite_pending_byte / [db2 one {PRAGMA page_size}] + 1}]
  for {set i [expr $nOrig+1]} {$i<=$nPage} {incr i} {
    if {![info exists logged($i)] && $i!=$pending} { incr nLost }
  }
  list $nLeaf $nLost $res
}

proc db_stat {what {reset 0}} {
  lindex [sqlite3_db_status db $what $reset] 1
}
