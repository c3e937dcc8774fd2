/**
 * A node on a loopback port that has the ledgers of an archive and closes one on command: `sized-node <archive>`.
 * Lines in: `close [count]`. Lines out: `node <url>`, `closed <index> <time>` (ms since the epoch with fractions, when
 * the last of them was announced).
 */
import { createInterface } from 'node:readline';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { FakeNode } from '../../support/fake-node.ts';

const reader = ArchiveReader.open(process.argv[2] ?? '');
const ledgers = Array.from(
  { length: reader.last! - reader.first! + 1 },
  (_, i) => reader.read(reader.first! + i)!,
);
reader.close();
const node = new FakeNode({ ledgers, closed: 1 });
console.log(`node ${node.url}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, count = '1'] = line.split(' ');
  if (word !== 'close') continue;
  const time = performance.timeOrigin + performance.now();
  node.advance(Number(count));
  console.log(`closed ${ledgers[node.closed - 1]!.ledgerIndex} ${time}`);
}
