/** Amounts of an MPT with decimal places as readers see them: tokens, not its smallest units, exact to the last digit. */

import { beforeAll, describe, expect, test } from 'bun:test';
import type { Engine } from '../../engine/engine.ts';
import { xrpDepth } from '../../engine/market/xrp-depth.ts';
import { tokenRow } from '../../support/token-row.ts';
import { Views } from '../../views/views.ts';
import { askerOf, engineOf } from '../embedded.ts';
import { entryIndex, type Made, madeLedger, person, poolNodes, taken } from '../engine/market/made.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';
import type { TestAccount } from '../sandbox/rig.ts';
import { newEngine } from './world.ts';

const ISSUER = person(5);
const HOLDER = person(6);
const POOL = person(7);
const SCALE = 6;
const ID = `00000009${'05'.repeat(20)}`;
const mpt = (value: string) => ({ mpt_issuance_id: ID, value });

const issuance = (OutstandingAmount: string): object => ({
  CreatedNode: {
    LedgerEntryType: 'MPTokenIssuance',
    LedgerIndex: entryIndex(9),
    NewFields: { Issuer: ISSUER, Sequence: 9, AssetScale: SCALE, Flags: 0x7e, OutstandingAmount },
  },
});
const holding = (Account: string, MPTAmount: string, n: number): object => ({
  CreatedNode: {
    LedgerEntryType: 'MPToken',
    LedgerIndex: entryIndex(n),
    NewFields: { Account, MPTokenIssuanceID: ID, MPTAmount },
  },
});
/** An offer at a rate of so many drops for a smallest unit. */
const offer = (n: number, TakerPays: unknown, TakerGets: unknown, quality: string): object => ({
  CreatedNode: {
    LedgerEntryType: 'Offer',
    LedgerIndex: entryIndex(n),
    NewFields: {
      Account: HOLDER,
      BookDirectory: `${'0'.repeat(48)}${quality}`,
      Sequence: n,
      TakerPays,
      TakerGets,
    },
  },
});
const account = (Account: string, n: number): object => ({
  CreatedNode: {
    LedgerEntryType: 'AccountRoot',
    LedgerIndex: entryIndex(n),
    NewFields: { Account, Balance: '100000000000', Sequence: 1 },
  },
});
/** Mantissa 10^15, exponents -14 and -16: ten drops for a unit, and ten units for a drop. */
const TEN = `${(100 - 14).toString(16)}038D7EA4C68000`.toUpperCase();
const TENTH = `${(100 - 16).toString(16)}038D7EA4C68000`.toUpperCase();

const ledgers: readonly Made[][] = [
  [{ tx: { TransactionType: 'MPTokenIssuanceCreate' }, nodes: [issuance('9223372036854775807')] }],
  [
    {
      tx: { TransactionType: 'Payment', Destination: HOLDER, Amount: mpt('1') },
      nodes: [holding(HOLDER, '9007199254740993', 10), account(HOLDER, 12)],
    },
  ],
  // 3 XRP for 1.5 tokens.
  [taken(50, person(8), '3000000', mpt('1500000'))],
  [
    {
      tx: { TransactionType: 'AMMCreate', Amount: '2000000000', Amount2: mpt('500000001'), TradingFee: 500 },
      nodes: poolNodes(POOL, 2_000_000_000, mpt('500000001'), 1000),
    },
  ],
  [
    {
      tx: { TransactionType: 'OfferCreate', TakerPays: '77', TakerGets: mpt('7') },
      nodes: [offer(60, '70', mpt('7'), TEN), offer(61, mpt('25'), '250', TENTH)],
    },
  ],
];

describe('an MPT with six decimal places', () => {
  let engine: Engine;
  let views: Views;
  let token: number;

  beforeAll(async () => {
    engine = newEngine();
    views = new Views(engine);
    for (const [i, made] of ledgers.entries()) {
      const { packed, changes } = madeLedger(100 + i, 800_000_000 + i * 4, made);
      await engine.applyLedger({ packed, changes: changes.words }, true);
    }
    await engine.drain();
    token = engine.state.tokens.byMptId(ID)!;
  });

  test('its row: supply, price, volume', () => {
    const row = tokenRow(views, token);
    expect([row.amount, row.supply]).toEqual(['9223372036854.775807', '9223372036854.775807']);
    expect(Number(row.exch)).toBe(2);
    expect([row.maxMin24h, row.vol24h, row.vol24hxrp]).toEqual([[2, 2], 1.5, 3]);
    expect(row.marketcap).toBeCloseTo(2 * Number(row.amount), 0);
    expect([row.tvl, row.assetScale]).toEqual([4000, SCALE]);
  });

  test('its holders, to the last digit', () => {
    const { richList } = views.holders.list(token, {
      offset: 0,
      limit: 10,
      ascending: false,
      frozen: false,
    });
    expect(richList.map(({ account: holder, balance }) => [holder, balance])).toEqual([
      [HOLDER, '9007199254.740993'],
      [POOL, '500.000001'],
    ]);
  });

  test('its trades and liquidity', async () => {
    const { data } = await views.history.page({
      token,
      limit: 10,
      offset: 0,
      type: 'all',
      xrpOnly: false,
      direction: 'asc',
    });
    expect(data.map(({ paid, got, price }) => [paid, got, price])).toMatchObject([
      [{ name: 'XRP', value: '3' }, { currency: ID, value: '1.5' }, '2'],
      [{ name: 'XRP', value: '2000' }, { currency: ID, value: '500.000001' }, undefined],
    ]);
  });

  test('its book: price, amount and total of offers either way', () => {
    const { asks, bids } = views.books.book(token, 0, 10);
    // 70 drops for 7 units: 10 XRP a token; 25 units for 250 drops, at the rate it was placed: ten units for a drop.
    expect(asks).toMatchObject([{ price: '10', amount: '0.000007', total: '0.00007', funded: '0.000007' }]);
    expect(bids).toMatchObject([{ price: '10', amount: '0.000025', total: '0.00025', funded: '0.000025' }]);
  });

  test('the XRP offered for it near its price', () => {
    // The bid at 10 XRP a token, where that is the price, and where it is too far below.
    expect([10, 11].map((price) => xrpDepth(engine.state, token, price, 0, 0))).toEqual([0.00025, 0]);
  });

  test('its pool and its candles', async () => {
    const { pools } = await views.pools.list({ sort: 'volume', active: false, limit: 5, offset: 0 });
    expect(pools[0]).toMatchObject({ currentLiquidity: { asset1Amount: 2000, asset2Amount: 500.000001 } });
    expect(views.pools.byAccount(POOL)).toMatchObject({ amount2: { value: '500.000001' } });
    const { rows } = engine.market.candles.series({ token, seconds: 60 });
    expect([...rows.slice(1, 5)]).toEqual([2, 2, 2, 2]);
  });
});

describe('a holder that was paid after it had allowed the MPT', () => {
  const change = (MPTAmount: string, PreviousFields: object, tx: object): Made => ({
    tx: { TransactionType: 'Payment', ...tx },
    nodes: [
      {
        ModifiedNode: {
          LedgerEntryType: 'MPToken',
          LedgerIndex: entryIndex(10),
          FinalFields: { Account: HOLDER, Flags: 0, MPTokenIssuanceID: ID, MPTAmount },
          PreviousFields,
        },
      },
    ],
  });
  const allowed = {
    LedgerEntryType: 'MPToken',
    LedgerIndex: entryIndex(10),
    NewFields: { Account: HOLDER, MPTokenIssuanceID: ID },
  };
  const made: readonly Made[][] = [
    ledgers[0]!.concat({ tx: { TransactionType: 'Payment' }, nodes: [account(HOLDER, 12)] }),
    [{ tx: { TransactionType: 'MPTokenAuthorize', Account: HOLDER }, nodes: [{ CreatedNode: allowed }] }],
    // Its amount was zero, which is no field: previous fields do not name it.
    [change('2500001', {}, { Account: ISSUER, Destination: HOLDER, Amount: mpt('2500001') })],
    [
      change(
        '1500000',
        { MPTAmount: '2500001' },
        { Account: HOLDER, Destination: ISSUER, Amount: mpt('1000001') },
      ),
    ],
  ];
  let views: Views;

  beforeAll(async () => {
    const engine = newEngine();
    views = new Views(engine);
    for (const [i, one] of made.entries()) {
      const { packed, changes } = madeLedger(100 + i, 800_000_000 + i * 4, one);
      await engine.applyLedger({ packed, changes: changes.words }, true);
    }
    await engine.drain();
  });

  test('what it held after each ledger', async () => {
    const id = views.accounts.balances.find(HOLDER)!;
    const held = [];
    for (const ledger of [100, 101, 102, 103]) {
      const found = await views.accounts.snapshots.of(id, ledger);
      if (typeof found === 'string') throw new Error(found);
      held.push(found.tokens.map(({ balance }) => balance));
    }
    expect(held).toEqual([[], [], ['2.500001'], ['1.5']]);
  });

  test('its holding in tokens, and as the ledger has it', async () => {
    const account = views.accounts.balances.find(HOLDER)!;
    const query = { account, byValue: false, includeZero: false, search: '', lightweight: false };
    const rowOf = async (format: 'default' | 'raw') =>
      (await views.accounts.lines.page({ ...query, format, offset: 0, limit: 10 })).lines;
    expect(await rowOf('default')).toMatchObject([{ currency: ID, balance: '1.5' }]);
    expect(await rowOf('raw')).toMatchObject([{ MPTokenIssuanceID: ID, MPTAmount: '1500000' }]);
  });

  test('by how much its transactions changed what it holds', async () => {
    const { stats } = await views.accounts.profiles.of(views.accounts.balances.find(HOLDER)!, []);
    expect(stats.tokens).toMatchObject([{ currency: ID, issuer: ISSUER, net: '1.5', count: 2 }]);
  });

  test('its transactions in words', async () => {
    const { recent } = await views.accounts.profiles.of(views.accounts.balances.find(HOLDER)!, []);
    const [newest, before] = recent.map(({ text }) => text);
    expect(newest).toStartWith(`This account paid 1.000001 MPT ${ID} to `);
    expect(before).toEndWith(` paid 2.500001 MPT ${ID} to this account.`);
  });
});

describe('an MPT that escrows lock', () => {
  const rig = new NetworkRig();
  const ask = askerOf(rig.network);
  const ledgers = [rig.network.closed];
  /** By ledger: what the node had of each account then. */
  const held = new Map<number, ReadonlyMap<string, number>>();
  let holders: readonly TestAccount[] = [];
  let views: Views;

  const close = () => {
    ledgers.push(rig.close());
    const amounts = holders.map(({ address }): [string, number] => {
      const { account_objects } = ask('account_objects', { account: address, type: 'mptoken' });
      const [holding] = account_objects as { MPTAmount?: string }[];
      return [address, Number(holding?.MPTAmount ?? 0)];
    });
    held.set(ledgers.at(-1)!.index, new Map(amounts));
  };

  const send = (account: TestAccount, json: Record<string, unknown>) => {
    expect([json.TransactionType, rig.submit(account, json).result]).toEqual([
      json.TransactionType,
      'tesSUCCESS',
    ]);
    close();
  };

  beforeAll(async () => {
    holders = rig.fund(['escrow issuer', 'escrow owner', 'escrow receiver']);
    ledgers.push(rig.network.closed);
    const [issuer, owner, receiver] = holders as [TestAccount, TestAccount, TestAccount];
    const Sequence = rig.root(issuer.id);
    send(issuer, { TransactionType: 'MPTokenIssuanceCreate', Flags: 0x28 });
    const mpt_issuance_id = `${Sequence.toString(16).padStart(8, '0').toUpperCase()}${issuer.id}`;
    const of = (value: string) => ({ mpt_issuance_id, value });
    for (const holder of [owner, receiver])
      send(holder, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: mpt_issuance_id });
    send(issuer, { TransactionType: 'Payment', Destination: owner.address, Amount: of('100') });
    // What is locked is all, or half, of what there is; it comes back, or goes to a holder, to the owner or to the issuer.
    for (const [amount, { address: Destination }, type] of [
      ['100', receiver, 'EscrowCancel'],
      ['100', owner, 'EscrowFinish'],
      ['50', receiver, 'EscrowCancel'],
      ['50', owner, 'EscrowFinish'],
      ['50', receiver, 'EscrowFinish'],
      ['50', issuer, 'EscrowFinish'],
      ['100', receiver, 'EscrowFinish'],
    ] as const) {
      const OfferSequence = rig.root(owner.id);
      const end = { FinishAfter: rig.time + 5, CancelAfter: rig.time + (type === 'EscrowCancel' ? 6 : 60) };
      send(owner, { TransactionType: 'EscrowCreate', Destination, Amount: of(amount), ...end });
      close();
      close();
      send(owner, { TransactionType: type, Owner: owner.address, OfferSequence });
      const missing = 100 - held.get(ledgers.at(-1)!.index)!.get(owner.address)!;
      if (missing > 0)
        send(issuer, { TransactionType: 'Payment', Destination: owner.address, Amount: of(`${missing}`) });
    }
    views = new Views(await engineOf(ledgers));
  });

  test('is not held while it is locked, and held again once it comes back', async () => {
    for (const [ledger, amounts] of held)
      for (const [address, amount] of amounts) {
        const found = await views.accounts.snapshots.of(views.accounts.balances.find(address)!, ledger);
        if (typeof found === 'string') throw new Error(found);
        const shown = found.tokens.map(({ balance }) => Number(balance));
        expect([ledger, address, shown]).toEqual([ledger, address, amount > 0 ? [amount] : []]);
      }
  });

  test('adds up to what each of them holds', async () => {
    for (const [address, amount] of [...held.values()].at(-1)!) {
      if (address === holders[0]!.address) continue;
      const { stats } = await views.accounts.profiles.of(views.accounts.balances.find(address)!, []);
      expect([address, stats.tokens.map(({ net }) => Number(net))]).toEqual([
        address,
        amount > 0 ? [amount] : [],
      ]);
    }
  });
});
