/** An address whose account was deleted and funded again: what is shown is of the account that is there now. */
import { expect, test } from 'bun:test';
import { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { XrpDistribution } from '../../views/xrp-distribution.ts';
import { asker } from '../api/routes/ask.ts';
import { entryIndex, type Made, madeLedger, person } from '../engine/market/made.ts';
import { quiet } from '../live-rig.ts';

const [START, INTERVAL] = [800_000_000, 10];
const [FUNDER, AGAIN] = [person(1), person(2)];

const root = (kind: 'CreatedNode' | 'ModifiedNode' | 'DeletedNode'): object => ({
  [kind]: {
    LedgerEntryType: 'AccountRoot',
    LedgerIndex: entryIndex(2),
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
      Account: AGAIN,
      Balance: '50000000',
      OwnerCount: 0,
      Sequence: 1,
      Flags: 0,
    },
  },
});
const funded: Made = {
  tx: { TransactionType: 'Payment', Account: FUNDER, Destination: AGAIN, Amount: '50000000' },
  nodes: [root('CreatedNode')],
};
const deleted: Made = {
  tx: { TransactionType: 'AccountDelete', Account: AGAIN, Destination: FUNDER },
  nodes: [root('DeletedNode')],
};
const sent: Made = { tx: { TransactionType: 'AccountSet', Account: AGAIN }, nodes: [root('ModifiedNode')] };

test('an account that was funded again is not last active before its inception', async () => {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const ask = asker(engine);
  const shown: unknown[] = [];
  const silent: unknown[] = [];
  for (const [i, made] of [funded, sent, deleted, funded, sent].entries()) {
    const { packed, changes } = madeLedger(10 + i, START + i * INTERVAL, [made]);
    await engine.applyLedger({ packed, changes: changes.words }, true);
    const { known, unknown } = await new XrpDistribution(engine).inactive(0);
    silent.push([known.accounts, unknown.accounts]);
    const { status, body } = await ask.get(`/account/info/${AGAIN}`);
    const holders = (await ask.get('/holders/list/XRP')).body.richList as { account: string }[];
    const row = holders.find(({ account }) => account === AGAIN) as { lastActive?: number } | undefined;
    shown.push(
      status === 200 ? [body.inception, body.lastActive, row?.lastActive] : [status, row?.lastActive],
    );
  }
  await engine.drain();
  // Who sent nothing, by the last that was sent at any time, and of which that is not known.
  expect(silent).toEqual([
    [0, 1],
    [1, 0],
    [0, 0],
    [0, 1],
    [1, 0],
  ]);
  const at = (i: number) => unixMs(START + i * INTERVAL);
  expect(shown).toEqual([
    [at(0), null, null],
    [at(0), at(1), at(1)],
    [404, undefined],
    [at(3), null, null],
    [at(3), at(4), at(4)],
  ]);
});
