-- Retention: the 500 newest entries come, the 500 oldest go, in one transaction.
-- For `walbench sql --txn`; :n is the number of the transaction, from 1, and :text is
-- random, of --value-bytes.

INSERT INTO log(id, at, message)
  WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM k WHERE i<500)
  SELECT 50000+(:n-1)*500+i, 1700050000+(:n-1)*500+i,
         substr(:text, 1+i%50)||substr(printf('%0100x', i), 1, 50+(i*37)%50)
    FROM k;

DELETE FROM log WHERE id<=:n*500;
