/**
 * Started by nft-crash.long.test.ts: follows recorded ledgers as fast as it can, from where its store ends, until it is killed or there
 * are no more. Prints the index of the newest that its store has, and of each that becomes durable.
 *
 *     file: length 4 | packed ledger | length 4 | packed ledger | ...
 */
import { readFileSync } from 'node:fs';
import { openStore } from '../../data/store.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { quiet } from '../live-rig.ts';

const [dir, file] = process.argv.slice(2) as [string, string];
const store = await openStore({ dir, network: 'test' });
const engine = new Engine({ store, log: quiet });
engine.restore();
process.stdout.write(`${engine.head?.index ?? 0}\n`);
const recorded = readFileSync(file);
for (let at = 0; at < recorded.length; ) {
  const length = recorded.readUInt32LE(at);
  const packed = new PackedLedger(new Uint8Array(recorded.subarray(at + 4, at + 4 + length)));
  at += 4 + length;
  if (engine.head && packed.ledgerIndex <= engine.head.index) continue;
  const answer = prepare(packed.bytes, false);
  if ('fault' in answer) throw new Error(answer.fault);
  await engine.applyLedger(prepared(packed, answer), false);
  // Some ledgers in flight at a kill.
  if (packed.ledgerIndex % 3 > 0) continue;
  await engine.drain();
  process.stdout.write(`${packed.ledgerIndex}\n`);
}
await new Promise(() => setInterval(() => undefined, 1000));
