/**
 * Started by index-fill.test.ts with a directory and a number: fills the account index of the stored ledgers backwards while it
 * applies so many further ones, then waits to be killed. Prints the first indexed ledger after each that it applied.
 */
import { openStore } from '../../data/store.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';
import { indexFillChain } from './index-fill-chain.ts';
import { SMALL_HISTORY } from './tools.ts';

const store = await openStore({ dir: process.argv[2]!, network: 0, history: SMALL_HISTORY });
const engine = new Engine({ store, log, batch: { ledgers: 2 } });
engine.restore();
const newest = engine.head!.index;

for (const packed of indexFillChain()) {
  if (packed.ledgerIndex <= newest) continue;
  if (packed.ledgerIndex > newest + Number(process.argv[3])) break;
  for (let i = 0; i < 4; i++) engine.accountIndex.fillStep();
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  process.stdout.write(`${engine.accountIndex.from} ${packed.ledgerIndex}\n`);
}
await Bun.sleep(60_000);
