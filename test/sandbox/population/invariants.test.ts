/**
 * After every ledger of the population, the whole state is checked: owner counts, directories, order books, supplies,
 * NFT pages, and that the XRP of all entries is the initial supply without the fees.
 */
import { expect, test } from 'bun:test';
import { proveLedger } from '../../../engine/ledger/proof.ts';
import { casesOf } from '../../cases.ts';
import { dropsIn } from '../rig.ts';
import { seedOf } from '../seed.ts';
import { wholeLedgerProblems } from '../whole-ledger.ts';
import { World } from './world.ts';

/** The setup takes the first dozen; the catalogue begins after 120. */
const LEDGERS = casesOf(200, 400);
const seed = seedOf(import.meta.file);

const world = new World({ seed: String(seed) });
const faults: string[] = [];
let total = world.network.closed.header.totalDrops;
for (let i = 0; i < LEDGERS; i++) {
  const ledger = world.step();
  const entries = Array.from(ledger.state.tree.items(), ({ entry }) => entry);
  const fault = (what: string) => faults.push(`ledger ${ledger.index}: ${what}`);
  for (const problem of wholeLedgerProblems(entries)) fault(problem);
  total -= ledger.transactions.reduce((sum, { fields }) => sum + fields.Fee.drops, 0n);
  if (ledger.header.totalDrops !== total) fault(`${ledger.header.totalDrops} drops, not ${total}`);
  const drops = entries.reduce((sum, entry) => sum + dropsIn(entry), 0n);
  if (drops !== total) fault(`entries hold ${drops} drops of ${total}`);
  if ('fault' in proveLedger(ledger.packed())) fault('does not prove');
}

test(`every ledger of the population is consistent, seed ${seed}`, () => {
  expect(faults).toEqual([]);
  expect(world.made).toBeGreaterThan(LEDGERS);
});
