-- A log of 50,000 entries of 150 to 250 bytes. For `walbench sql --setup`.

CREATE TABLE log(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, message TEXT NOT NULL);

-- A random string would differ from library to library; hex() of numbers does not.
INSERT INTO log(id, at, message)
  WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM k WHERE i<50000)
  SELECT i, 1700000000+i,
         substr(printf('%064x%064x%064x%064x', i*7919, i*104729, i*1299709, i*15485863),
                1, 150+(i*37)%101)
    FROM k;
