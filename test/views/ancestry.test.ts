/** Whom an account activated, where ledgers named accounts before they existed, and where accounts were created again. */
import { expect, spyOn, test } from 'bun:test';
import { Views } from '../../views/views.ts';
import { entryIndex, type Made, madeLedger, person } from '../engine/market/made.ts';
import { newEngine } from './world.ts';

const START = 800_000_000;
const FUNDER = person(1);

const root = (kind: 'CreatedNode' | 'DeletedNode', n: number) => ({
  [kind]: {
    LedgerEntryType: 'AccountRoot',
    LedgerIndex: entryIndex(100 + n),
    [kind === 'CreatedNode' ? 'NewFields' : 'FinalFields']: {
      Account: person(n),
      Balance: '100000000',
      OwnerCount: 0,
      Sequence: 7,
      Flags: 0,
    },
  },
});
const pay = (n: number, nodes: readonly object[], result = 'tesSUCCESS'): Made => ({
  tx: { TransactionType: 'Payment', Account: FUNDER, Destination: person(n), Amount: '100000000' },
  nodes,
  result,
});
const funded = (n: number) => pay(n, [root('CreatedNode', n)]);
const deleted = (n: number): Made => ({
  tx: { TransactionType: 'AccountDelete', Account: person(n), Destination: FUNDER },
  nodes: [root('DeletedNode', n)],
});

test('children are listed from the one that was activated first', async () => {
  const engine = newEngine();
  const views = new Views(engine);
  // 2 is created, 3 is named by a line before it is created, 4 is created, and 2 is created again.
  const named: Made = {
    tx: { TransactionType: 'TrustSet', Account: FUNDER },
    nodes: [
      {
        CreatedNode: {
          LedgerEntryType: 'RippleState',
          LedgerIndex: entryIndex(9),
          NewFields: {
            Balance: { currency: 'USD', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: '0' },
            LowLimit: { currency: 'USD', issuer: FUNDER, value: '10' },
            HighLimit: { currency: 'USD', issuer: person(3), value: '0' },
            Flags: 0x10000,
          },
        },
      },
    ],
  };
  for (const [i, made] of [funded(2), named, funded(4), funded(3), deleted(2), funded(2)].entries()) {
    const { packed, changes } = madeLedger(100 + i, START + i * 4, [made]);
    await engine.applyLedger({ packed, changes: changes.words }, true);
  }
  await engine.drain();
  const children = async (limit: number) => {
    const account = engine.state.accounts.findText(FUNDER)!;
    const query = { account, direction: 'down', limit, withTokens: false, tokenLimit: 1 } as const;
    const { children, stats } = await views.accounts.ancestry.of(query);
    expect(stats.childrenCount).toBe(3);
    return children.map(({ address }) => address);
  };
  // The accounts of a snapshot have no funder that is known: they are not looked at.
  const { accounts } = engine.state;
  const of = spyOn(engine.traders.funders, 'of');
  expect(await children(200)).toEqual([4, 3, 2].map(person));
  const asked = of.mock.calls.map(([id]) => accounts.text(id));
  // Of its own ancestors.
  expect(asked.filter((one) => one === FUNDER)).toHaveLength(1);
  of.mockRestore();
  expect(await children(2)).toEqual([4, 3].map(person));
  // One that comes after the first question, with an id from before it.
  const { packed, changes } = madeLedger(106, START + 24, [funded(5)]);
  await engine.applyLedger({ packed, changes: changes.words }, true);
  await engine.drain();
  const account = engine.state.accounts.findText(FUNDER)!;
  const query = { account, direction: 'down', limit: 9, withTokens: false, tokenLimit: 1 } as const;
  const { children: all } = await views.accounts.ancestry.of(query);
  expect(all.map(({ address }) => address)).toEqual([4, 3, 2, 5].map(person));
});
