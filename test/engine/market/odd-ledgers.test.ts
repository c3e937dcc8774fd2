/** What recorded ledgers do not show: transactions that cannot be read, faults while applying, and too many records. */
import { describe, expect, test } from 'bun:test';
import { rawText } from '../../../engine/codec/amount.ts';
import { Changes, RESULT_UNREAD, Tx } from '../../../engine/codec/changes.ts';
import { extractChanges } from '../../../engine/codec/extract.ts';
import { type LedgerHeader, writeHeader } from '../../../engine/codec/header.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { packLedger } from '../../../engine/codec/packed.ts';
import { Counters } from '../../../engine/counters.ts';
import { Engine } from '../../../engine/engine.ts';
import { CANDLE_COLUMNS, Candle } from '../../../engine/market/figures.ts';
import { TradeReader } from '../../../engine/market/trade-record.ts';
import { RECORDS_MAX } from '../../../engine/market/trades.ts';
import { TableFullError } from '../../../engine/state/table.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { packAny } from '../codec/packing.ts';
import { type Made, madeBlobs, madeLedger, person, poolLine, poolNodes, taken } from './made.ts';
import { Rig, SMALL } from './rig.ts';

const token = (value: string) => ({ currency: 'TKN', issuer: person(3), value });
const quiet = { debug() {}, info() {}, warn() {}, error() {} };

/** A ledger as the engine takes it: packed, with its changes. */
function prepared(index: number, made: readonly Made[]): { packed: PackedLedger; changes: Uint32Array } {
  const blobs = made
    .map(madeBlobs)
    .map(({ tx, meta }) => ({ tx: Uint8Array.fromHex(tx), meta: Uint8Array.fromHex(meta) }));
  const header: LedgerHeader = {
    index,
    totalDrops: 99n,
    parentHash: new Uint8Array(32),
    transactionHash: new Uint8Array(32),
    accountHash: new Uint8Array(32),
    parentCloseTime: 700_000_000 + index - 1,
    closeTime: 700_000_000 + index,
    closeResolution: 10,
    closeFlags: 0,
  };
  const packed = packLedger(writeHeader(header), new Uint8Array(32).fill(index), blobs);
  return { packed, changes: extractChanges(packed) };
}

describe('a transaction that cannot be read', () => {
  test('its whole nodes are applied; trades, windows and the rest of the ledger are as they would be', () => {
    const readable = madeLedger(10, 700_000_000, [taken(1, person(9), token('2'), '4000000')]);
    const root = (Balance: string): Made => ({
      tx: { TransactionType: 'AccountSet' },
      nodes: [
        {
          ModifiedNode: {
            LedgerEntryType: 'AccountRoot',
            LedgerIndex: 'AB'.repeat(32),
            FinalFields: { Account: person(4), Balance, Flags: 0, OwnerCount: 0, Sequence: 2 },
          },
        },
      ],
    });
    const unread = madeBlobs(root('777'), 0);
    const after = madeBlobs(taken(2, person(9), token('2'), '6000000'), 1);
    const bytes = (hex: string) => Uint8Array.fromHex(hex);
    const packed = packAny([
      { tx: bytes(`${unread.tx}011D00`), meta: bytes(unread.meta) }, // a field of a type that nothing defines
      { tx: bytes(after.tx), meta: bytes(after.meta) },
    ]);
    packed.view.setUint32(40, 11);
    packed.view.setUint32(40 + 112, 700_000_004);
    const changes = new Changes(extractChanges(packed));
    expect([changes.words[3], changes.tx(0, Tx.result)]).toEqual([1, RESULT_UNREAD]);
    const rig = new Rig();
    rig.apply(readable.packed, readable.changes);
    rig.apply(packed, changes);
    const account = rig.state.accounts.findText(person(4))!;
    expect(rig.state.accounts.balanceDrops(account)).toBe(777n);
    expect(rig.state.accounts.lastActive[account]).toBe(0);
    expect(rig.market.tradeCount).toBe(1);
    expect(rig.market.prices.price(rig.state.tokens.find(person(3), 'TKN')!)).toBe(3);
    expect(rig.market.activity.transactions).toBe(3);
  });
});

describe('nodes that look like trades and are not', () => {
  const trades = (made: Made): number => {
    const rig = new Rig();
    const sample = madeLedger(1, 700_000_000, [made]);
    rig.apply(sample.packed, sample.changes);
    return rig.market.tradeCount;
  };
  const whole = taken(1, person(9), token('2'), '4000000');
  test('of a tec result', () => {
    expect(trades(whole)).toBe(1);
    expect(trades({ ...whole, result: 'tecKILLED' })).toBe(0);
  });

  test('offers that grew (2013 knew negative amounts)', () => {
    const grown = JSON.parse(JSON.stringify(whole)) as {
      nodes: Record<string, Record<string, Record<string, unknown>>>[];
    };
    const { FinalFields, PreviousFields } = grown.nodes[0]!.DeletedNode!;
    FinalFields!.TakerPays = token('5');
    expect([trades({ ...whole, nodes: grown.nodes }), PreviousFields!.TakerGets]).toEqual([0, '4000000']);
  });

  test('offers that were only taken back, or whose other fields changed', () => {
    const [{ DeletedNode }] = whole.nodes as [{ DeletedNode: { FinalFields: object } }];
    const { FinalFields, ...rest } = DeletedNode;
    const cancelled = { DeletedNode: { ...rest, FinalFields, PreviousFields: {} } };
    const threaded = { ModifiedNode: { ...rest, FinalFields, PreviousFields: { Flags: 0x20000 } } };
    for (const node of [cancelled, threaded]) expect(trades({ ...whole, nodes: [node] })).toBe(0);
  });
});

describe('swaps in a pool that is known by its account', () => {
  const XRP_BEFORE = 100_000_000;
  /** A pool of XRP and 50 tokens of an issuer below or above its account, then a payment that moves both sides. */
  function swapped(issuer: number, xrpAfter: number, tokensAfter: string, flags: number) {
    const pool = person(40);
    const asset = { currency: 'TKN', issuer: person(issuer), value: '50' };
    const poolIsLow = issuer > 40;
    const line = (value: string) => ({
      currency: 'TKN',
      issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji',
      value: poolIsLow || value === '0' ? value : `-${value}`,
    });
    const ends = [
      { ...asset, value: '0' },
      { ...asset, issuer: pool, value: '0' },
    ];
    if (poolIsLow) ends.reverse();
    const root = { Account: pool, AMMID: 'AA'.repeat(32), Balance: `${xrpAfter}`, Flags: 0, Sequence: 1 };
    const swap: Made = {
      tx: { TransactionType: 'Payment', Destination: person(1), Amount: { ...asset, value: '10' } },
      nodes: [
        {
          ModifiedNode: {
            LedgerEntryType: 'AccountRoot',
            LedgerIndex: 'A2'.repeat(32),
            FinalFields: root,
            PreviousFields: { Balance: `${XRP_BEFORE}` },
          },
        },
        {
          ModifiedNode: {
            LedgerEntryType: 'RippleState',
            LedgerIndex: 'A3'.repeat(32),
            FinalFields: { Balance: line(tokensAfter), Flags: flags, LowLimit: ends[0], HighLimit: ends[1] },
            ...(tokensAfter === '50' ? {} : { PreviousFields: { Balance: line('50') } }),
          },
        },
      ],
    };
    const create = { TransactionType: 'AMMCreate', Amount: `${XRP_BEFORE}`, Amount2: asset, TradingFee: 500 };
    const rig = new Rig();
    const nodes = poolNodes(pool, XRP_BEFORE, asset, 400);
    for (const [i, made] of [{ tx: create, nodes }, swap].entries()) {
      const sample = madeLedger(i + 1, 700_000_000 + i, [made]);
      rig.apply(sample.packed, sample.changes);
    }
    const id = rig.state.tokens.find(person(issuer), 'TKN')!;
    expect(rig.market.tradeCount).toBe(1);
    const record = new TradeReader(rig.market.trades).at(0);
    expect([record.isAMM, record.pool, record.paidToken, record.gotToken, record.gotLo]).toEqual([
      true,
      rig.state.pools.byAssets(0, id),
      id,
      0,
      xrpAfter - XRP_BEFORE,
    ]);
    return { paid: rawText(1, record.paidHi, record.paidLo), price: rig.market.prices.price(id) };
  }

  test('lines that lost their flag when the pool was emptied and filled again, on either side', () => {
    for (const issuer of [3, 50])
      expect(swapped(issuer, 130_000_000, '40', 0x00020000)).toEqual({ paid: '10', price: 3 });
  });

  test('a side that is taken to the last unit', () => {
    for (const issuer of [3, 50])
      expect(swapped(issuer, 200_000_000, '0', 0x01000000)).toEqual({ paid: '50', price: 2 });
  });

  test('a side too small to show: the trade counts, with zero on that side and the price of the pool', () => {
    for (const issuer of [3, 50])
      expect(swapped(issuer, 100_000_007, '50', 0x01000000)).toEqual({ paid: '0', price: 2.00000014 });
  });
});

describe('a swap too small to give a price', () => {
  test('uses the price of the pool where the last trade is old, and no price otherwise', () => {
    const pool = person(40);
    const shown = (name: string, fields: object, previous: object): object => ({
      ModifiedNode: {
        LedgerEntryType: name,
        LedgerIndex: (name === 'AccountRoot' ? 'A2' : 'A3').repeat(32),
        FinalFields: fields,
        PreviousFields: previous,
      },
    });
    const line = (value: string) => ({ currency: 'TKN', issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value });
    const root = { Account: pool, AMMID: 'AA'.repeat(32), Balance: '100000001', Flags: 0, Sequence: 1 };
    const ends = { LowLimit: token('0'), HighLimit: { ...token('0'), issuer: pool } };
    const dust: Made = {
      tx: { TransactionType: 'Payment', Destination: person(1), Amount: token('10') },
      nodes: [
        shown('AccountRoot', root, { Balance: '100000000' }),
        shown(
          'RippleState',
          { ...ends, Balance: line('-50'), Flags: 0x01000000 },
          { Balance: line('-50.0000007') },
        ),
      ],
    };
    const priceAfter = (seconds: number) => {
      const rig = new Rig();
      const old = taken(1, person(9), token('2'), '278000000');
      for (const [i, [time, made]] of (
        [
          [0, old],
          [seconds, dust],
        ] as const
      ).entries()) {
        const sample = madeLedger(i + 1, 700_000_000 + time, [made]);
        rig.apply(sample.packed, sample.changes);
      }
      expect(rig.market.tradeCount).toBe(1);
      return rig.market.prices.price(rig.state.tokens.find(person(3), 'TKN')!);
    };
    expect([priceAfter(86_400), priceAfter(86_401)]).toEqual([139, 2.00000002]);
  });
});

describe('candles of ledgers on their way to the store', () => {
  test('stay readable until their own ledger is durable', () => {
    const rig = new Rig();
    for (const i of [1, 2, 3, 4]) {
      const sample = madeLedger(i, 700_000_000 + i * 60, [taken(i, person(9), token('1'), `${i}000000`)]);
      rig.apply(sample.packed, sample.changes);
    }
    const id = rig.state.tokens.find(person(3), 'TKN')!;
    const closes = () => {
      const { rows, length } = rig.market.candles.series({ token: id, seconds: 60 });
      return Array.from({ length }, (_, i) => rows[i * CANDLE_COLUMNS + Candle.close]);
    };
    expect(closes()).toEqual([1, 2, 3, 4]);
    rig.market.durable(2); // the store of this test never got it: those of ledgers 1 and 2 are let go
    expect(closes()).toEqual([3, 4]);
  });
});

describe('a thousand offers in one transaction', () => {
  test('come out best rate first, in a blink', () => {
    const offers = Array.from({ length: 1000 }, (_, i) =>
      taken(i + 1, person(9), token('2'), `${((i * 7919) % 1000) + 1}000`),
    );
    const many: Made = { tx: offers[0]!.tx, nodes: offers.flatMap((offer) => offer.nodes) };
    const sample = madeLedger(1, 700_000_000, [many]);
    const rig = new Rig();
    rig.apply(sample.packed, sample.changes);
    const got = Array.from({ length: 1000 }, (_, i) => new TradeReader(rig.market.trades).at(i).gotLo);
    expect(got).toEqual(got.toSorted((a, b) => b - a));
    expect(new Set(got).size).toBe(1000);
  });
});

describe('the fiat rate', () => {
  test('does not take a pool’s spot price for a trade, before and after a restart', async () => {
    const rlusd = {
      currency: '524C555344000000000000000000000000000000',
      issuer: 'rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De',
    };
    const pool = poolNodes(person(40), 100_000_000, { ...rlusd, value: '50' }, 400);
    const rig = new Rig();
    const create = {
      TransactionType: 'AMMCreate',
      Amount: '100000000',
      Amount2: { ...rlusd, value: '50' },
      TradingFee: 500,
    };
    const sample = madeLedger(1, 700_000_000, [{ tx: create, nodes: pool }]);
    rig.apply(sample.packed, sample.changes);
    const { NewFields, ...line } = (
      poolLine(person(40), { ...rlusd, value: '50' }, 401) as {
        CreatedNode: { NewFields: { Balance: { value: string } } };
      }
    ).CreatedNode;
    const { Balance } = NewFields;
    const value = `${Balance.value}.0000007`; // before: a little more, on either side of zero
    const root = { Account: person(40), AMMID: 'AA'.repeat(32), Balance: '100000001', Flags: 0, Sequence: 1 };
    const dust: Made = {
      tx: { TransactionType: 'Payment', Destination: person(1), Amount: '1' },
      nodes: [
        {
          ModifiedNode: {
            LedgerEntryType: 'AccountRoot',
            LedgerIndex: 'A2'.repeat(32),
            FinalFields: root,
            PreviousFields: { Balance: '100000000' },
          },
        },
        {
          ModifiedNode: {
            ...line,
            FinalFields: NewFields,
            PreviousFields: { Balance: { ...Balance, value } },
          },
        },
      ],
    };
    const swap = madeLedger(2, 700_000_002, [dust]);
    rig.apply(swap.packed, swap.changes);
    const id = rig.state.tokens.find(rlusd.issuer, rlusd.currency)!;
    expect([rig.market.tradeCount, rig.market.prices.price(id)]).toEqual([1, 2.00000002]);
    expect(rig.market.rates.exch()).toEqual({});
    await rig.commit();
    const again = rig.restarted();
    for (const one of [rig, again]) {
      const next = madeLedger(3, 700_000_004, []);
      one.apply(next.packed, next.changes);
      expect(one.market.rates.exch()).toEqual({});
    }
    expect(again.market.digest()).toBe(rig.market.digest());
  });
});

describe('pseudo-transactions', () => {
  test('validators’ own are no active account, before and after a restart', async () => {
    const rig = new Rig();
    const voted = {
      TransactionType: 'EnableAmendment',
      Account: 'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
      Fee: '0',
      Sequence: 0,
      Amendment: 'AA'.repeat(32),
      LedgerSequence: 5,
    };
    const sample = madeLedger(5, 700_000_000, [
      { tx: voted, nodes: [] },
      taken(1, person(9), token('2'), '4000000'),
    ]);
    rig.apply(sample.packed, sample.changes);
    expect(rig.market.activity.activeAccounts).toBe(1);
    await rig.commit();
    expect(rig.restarted().market.activity.activeAccounts).toBe(1);
  });
});

describe('a ledger that cannot be applied', () => {
  test('stops the engine; nothing of it becomes durable, and a new engine continues from there', async () => {
    const store = new MemoryStore();
    const engine = new Engine({ store, log: quiet });
    const ledgers = [1, 2, 3, 4].map((i) => prepared(i, [taken(i, person(9), token('2'), `${i}000000`)]));
    await engine.applyLedger(ledgers[0]!, false);
    await engine.drain();
    const digest = engine.digest();
    await engine.applyLedger(ledgers[1]!, true); // waits in an open batch
    const { market } = engine;
    const apply = market.applyLedger.bind(market);
    market.applyLedger = () => {
      throw new TableFullError('table tokens is full');
    };
    expect(engine.applyLedger(ledgers[2]!, true)).rejects.toThrow('table tokens is full');
    market.applyLedger = apply;
    expect(engine.failed).toBe(true);
    await engine.drain(); // as a stopping service does
    expect(engine.applyLedger(ledgers[3]!, false)).rejects.toThrow('earlier ledger failed');
    expect(store.cursor?.index).toBe(1);
    const again = new Engine({ store, log: quiet });
    again.restore();
    expect(again.digest()).toBe(digest);
    const straight = new Engine({ store: new MemoryStore(), log: quiet });
    for (const ledger of ledgers) {
      if (ledger !== ledgers[0]) await again.applyLedger(ledger, false);
      await straight.applyLedger(ledger, false);
    }
    expect(again.digest()).toBe(straight.digest());
  });
});

describe('more records than fit the keys of a ledger', () => {
  test('complete transactions are left out and counted, the others are kept', async () => {
    const offers = Array.from({ length: 400 }, (_, i) => taken(i + 1, person(9), token('2'), '4000000'));
    const many = madeBlobs({ tx: offers[0]!.tx, nodes: offers.flatMap((offer) => offer.nodes) }, 0);
    const blobs = { tx: Uint8Array.fromHex(many.tx), meta: Uint8Array.fromHex(many.meta) };
    const packed = packAny(Array.from({ length: 165 }, () => blobs));
    packed.view.setUint32(40, 1);
    packed.view.setUint32(40 + 112, 700_000_000);
    const rig = new Rig({ ...SMALL, ticks: 2 ** 17 });
    rig.apply(packed, new Changes(extractChanges(packed, new Uint8Array(32 * 165))));
    expect(rig.market.tradeCount).toBe(163 * 400);
    expect(rig.market.tradeCount).toBeLessThanOrEqual(RECORDS_MAX);
    expect(new TradeReader(rig.market.trades).at(rig.market.tradeCount - 1).number).toBeLessThan(RECORDS_MAX);
    const counters = new Counters();
    rig.market.count(counters);
    expect(counters.tradesLeftOut).toBe(2 * 400);
    // A total is the full count; figures that need every record are absent.
    const total = (query: object) => rig.market.history.total({ limit: 1, ...query }, async () => {});
    const maker = rig.state.accounts.findText(person(9))!;
    for (const of of [{ token: 1 }, { token: 0 }, { account: maker }])
      expect(await total(of)).toBe(163 * 400);
    for (const of of [
      { token: 1, xrpAmount: 1 },
      { account: maker, token: 1 },
      { token: 1, start: 1 },
    ])
      expect(await total(of)).toBeUndefined();
    await rig.commit();
    expect(await total({ token: 1, end: 1 })).toBe(0);
    expect(await total({ token: 1, start: 1 })).toBeUndefined();
  });
});
