/**
 * Makes api/transaction-examples.json: a signed, successful transaction of every type that is relayed, of the embedded
 * network, so that nothing in it can be played on another one. Run it when a type is added:
 * `node_modules/.bin/bun test/api/transaction-examples.ts`.
 */
import { encode } from 'ripple-binary-codec';
import { transactionText } from '../../explain/text.ts';
import { WeekRun } from '../sandbox/population/week-run.ts';

const PATH = new URL('../../api/transaction-examples.json', import.meta.url).pathname;
const TYPES = 62;

interface Example {
  readonly json: object;
  readonly txid: string;
  readonly summary: string;
}

const { transactions } = new WeekRun({ seed: 'a seed', week: 0, days: 6.75 });
const found = new Map<string, Example>();
for (const { hash, tx, meta } of transactions.values()) {
  const type = String(tx.TransactionType);
  if (meta.TransactionResult !== 'tesSUCCESS' || !tx.TxnSignature) continue;
  const before = found.get(type);
  // The shortest of those that are seen: an example is read by people.
  if (before && encode(before.json as never).length <= encode(tx as never).length) continue;
  const summary = transactionText(tx, meta);
  found.set(type, { json: tx, txid: hash, summary });
}
if (found.size < TYPES) throw new Error(`only ${found.size} types`);
const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
await Bun.write(PATH, `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`);
console.log(`${found.size} types`);
