// Calls what better-sqlite3 documents, in WAL mode, with transactions in
// transactions, which it makes of savepoints. Prints a line for each test,
// "ok NAME RESULT" or "FAIL NAME ERROR", that has to be the same whatever library
// was built in. Works in the current folder.
'use strict';
const fs = require('fs');
const { createHash } = require('crypto');
const Database = require('better-sqlite3');

const tests = [];
const test = (name, f) => tests.push([name, f]);
const failing = (f) => {
  try {
    f();
  } catch (e) {
    return `${e.constructor.name} ${e.code || ''} ${e.message}`;
  }
  throw new Error('did not throw');
};
// What a database holds, by its rows and not by its pages.
const content = (db) => {
  const hash = createHash('sha256');
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type='table' ORDER BY 1").all())
    for (const row of db.prepare(`SELECT * FROM "${name}" ORDER BY 1`).raw().iterate())
      hash.update(JSON.stringify(row, (k, v) => (Buffer.isBuffer(v) ? v.toString('hex') : v)));
  return `${hash.digest('hex')} ${db.pragma('integrity_check', { simple: true })}`;
};

const file = 'test.db';
const db = new Database(file);
test('journal_mode', () => db.pragma('journal_mode = WAL', { simple: true }));
test('exec', () => db.exec('CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB); CREATE INDEX i ON t(b)').name);
let insert;
let fill;
test('prepare', () => {
  insert = db.prepare('INSERT INTO t VALUES(?, ?, ?)');
  fill = db.transaction((from, to) => {
    for (let i = from; i <= to; i++) insert.run(i, `row ${i % 97}`, Buffer.alloc(180, i & 255));
  });
  return [insert.source, insert.reader, insert.readonly];
});
test('transaction', () => String(fill(1, 20000)));
test('run', () => insert.run(20001, 'last', null));
test('get', () => db.prepare('SELECT a, b FROM t WHERE a=?').get(77));
test('get undefined', () => String(db.prepare('SELECT a FROM t WHERE a=?').get(-1)));
test('all', () => db.prepare('SELECT a FROM t WHERE b=@b ORDER BY a LIMIT 5').all({ b: 'row 3' }));
test('iterate', () => {
  let sum = 0;
  for (const { a } of db.prepare('SELECT a FROM t').iterate()) sum += a;
  return sum;
});
test('pluck, raw, expand', () => [
  db.prepare('SELECT count(*) FROM t').pluck().get(),
  db.prepare('SELECT a, b FROM t LIMIT 1').raw().get(),
  db.prepare('SELECT a FROM t LIMIT 1').expand().get(),
]);
test('bind', () => db.prepare('SELECT ?+1').bind(4).pluck().get());
test('columns', () => db.prepare('SELECT a AS x, b FROM t').columns());
test('safeIntegers', () => String(db.prepare('SELECT 9007199254740993').pluck().safeIntegers().get()));
test('delete the oldest', () => db.prepare('DELETE FROM t WHERE a<=10000').run());
test('content after it', () => content(db));
test('delete by a function of time', () =>
  db.transaction(() => db.prepare("DELETE FROM t WHERE a<=12000 AND datetime('now')>'2000'").run())());
test('nested transaction undone', () => {
  const inner = db.transaction(() => {
    db.prepare('DELETE FROM t WHERE a<=18000').run();
    throw new Error('undo');
  });
  return db.transaction(() => {
    db.prepare('DELETE FROM t WHERE a<=13000').run();
    const said = failing(inner);
    fill(1, 500);
    return [said, db.inTransaction];
  })();
});
test('content after that', () => content(db));
test('three levels, the middle one undone', () => {
  const third = db.transaction(() => db.prepare('DELETE FROM t WHERE a%2').run().changes);
  const second = db.transaction(() => {
    third();
    db.prepare('UPDATE t SET c=zeroblob(3000) WHERE a<100').run();
    throw new Error('undo');
  });
  return db.transaction(() => {
    const said = failing(second);
    return [said, third()];
  })();
});
test('content after these', () => content(db));
test('outer transaction undone', () =>
  failing(db.transaction(() => {
    db.prepare('DELETE FROM t').run();
    db.transaction(() => fill(30000, 31000))();
    throw new Error('undo');
  })));
test('content as before', () => content(db));
['deferred', 'immediate', 'exclusive'].forEach((kind, i) =>
  test(`transaction.${kind}`, () => db.transaction((n) => insert.run(n, kind, null).changes)[kind](40000 + i)));
test('constraint', () => failing(() => insert.run(40000, 'twice', null)));
test('syntax error', () => failing(() => db.exec('SELEC')));
test('wrong number of parameters', () => failing(() => insert.run(1)));
test('function', () => {
  db.function('twice', { deterministic: true }, (x) => 2 * x);
  return db.prepare('SELECT twice(21)').pluck().get();
});
test('function in DELETE', () => {
  db.function('old', (a) => (a < 15000 ? 1 : 0));
  return db.prepare('DELETE FROM t WHERE old(a)').run().changes;
});
test('aggregate, window', () => {
  db.aggregate('total_of', { start: 0, step: (t, x) => t + x, inverse: (t, x) => t - x, result: (t) => t });
  return db.prepare('SELECT a, total_of(a) OVER (ORDER BY a ROWS 2 PRECEDING) AS s FROM t LIMIT 4').all();
});
test('virtual table', () => {
  db.table('series', { columns: ['n'], parameters: ['to'], *rows(to) { for (let n = 1; n <= to; n++) yield { n }; } });
  return db.prepare('SELECT sum(n) FROM series(100)').pluck().get();
});
test('RETURNING', () => db.prepare('DELETE FROM t WHERE a IN (SELECT a FROM t ORDER BY a LIMIT 3) RETURNING a').all());
test('a reader on an old snapshot', () => {
  const reader = new Database(file, { readonly: true });
  const count = reader.prepare('SELECT count(*) FROM t').pluck();
  reader.exec('BEGIN');
  const before = count.get();
  db.prepare('DELETE FROM t WHERE a<=17000').run();
  const during = count.get();
  reader.exec('COMMIT');
  const after = count.get();
  reader.close();
  return [before, during, after];
});
test('write to a read-only database', () => {
  const reader = new Database(file, { readonly: true });
  const said = failing(() => reader.exec('DELETE FROM t'));
  reader.close();
  return said;
});
test('busy', () => {
  const other = new Database(file, { timeout: 10 });
  db.exec('BEGIN IMMEDIATE');
  const said = failing(() => other.exec('BEGIN IMMEDIATE'));
  db.exec('ROLLBACK');
  other.close();
  return said;
});
test('checkpoint', () => db.pragma('wal_checkpoint(TRUNCATE)')[0].busy);
// A serialized database cannot be opened in WAL mode.
test('serialize', () => {
  db.pragma('journal_mode = DELETE');
  const copy = new Database(db.serialize());
  const same = content(copy) === content(db);
  copy.close();
  return [same, db.pragma('journal_mode = WAL', { simple: true })];
});
test('backup', async () => {
  await db.backup('copy.db');
  const copy = new Database('copy.db');
  const same = content(copy) === content(db);
  copy.close();
  return same;
});
test('attach and vacuum', () => {
  db.exec("VACUUM INTO 'small.db'");
  db.exec("ATTACH 'small.db' AS small");
  const n = db.prepare('SELECT count(*) FROM (SELECT * FROM t EXCEPT SELECT * FROM small.t)').pluck().get();
  db.exec('DETACH small');
  db.exec('VACUUM');
  return n;
});
test('auto_vacuum', () => {
  const full = new Database('full.db');
  full.pragma('auto_vacuum=FULL');
  full.pragma('journal_mode=WAL');
  full.exec('CREATE TABLE u(x INTEGER PRIMARY KEY, y)');
  full.exec('WITH c(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM c WHERE i<9000) INSERT INTO u SELECT i, zeroblob(200) FROM c');
  full.exec('DELETE FROM u WHERE x<=4500');
  const said = [content(full), full.pragma('page_count', { simple: true })];
  full.close();
  return said;
});
test('unsafe mode', () => db.unsafeMode(true).unsafeMode(false).open);
test('close, and open again', () => {
  const before = content(db);
  db.close();
  const again = new Database(file);
  const same = before === content(again);
  again.close();
  return [same, fs.existsSync(`${file}-wal`)];
});
test('closed', () => failing(() => db.prepare('SELECT 1')));

(async () => {
  for (const [name, f] of tests) {
    try {
      console.log(`ok ${name}: ${JSON.stringify(await f())}`);
    } catch (e) {
      console.log(`FAIL ${name}: ${e.message}`);
    }
  }
})();
