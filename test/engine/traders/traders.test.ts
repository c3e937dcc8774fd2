/** Positions, traders, windows and days of the market against a ledger of trades in exact arithmetic. */
import { describe, expect, test } from 'bun:test';
import { decimalNumber } from '../../../engine/codec/amount.ts';
import type { Changes } from '../../../engine/codec/changes.ts';
import { PackedLedger } from '../../../engine/codec/packed.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { TRADE_BYTES, TradeAt } from '../../../engine/market/trade-record.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { totalRoiOf } from '../../../engine/traders/figures.ts';
import { TRADER_LIMITS } from '../../../engine/traders/limits.ts';
import { Positions } from '../../../engine/traders/positions.ts';
import { positionWindow, windowOf } from '../../../engine/traders/rankings.ts';
import { TraderTable } from '../../../engine/traders/trader-table.ts';
import { Traders } from '../../../engine/traders/traders.ts';
import { relaidChain } from '../../../support/chain.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { World } from '../../sandbox/population/world.ts';
import { quietLog as quiet } from '../ledger/quiet.ts';
import { withColumnNamed } from '../with-column-named.ts';
import { TradeLedger } from './trade-ledger.ts';

/** Sums of doubles that round each term: a few units in the last place. */
const AMOUNT_ERROR = 4 * 2 ** -52;
/** Each sale rounds to whole drops; a double may round the other way. */
const DROPS_A_SALE = 1;
/** Of the doubles that a share of a cost is computed with, over all sales of a position. */
const COST_ERROR = 1e-9;

interface Source {
  readonly name: string;
  ledgers(): Generator<Uint8Array>;
}

/** Of the embedded network; TRADER_HOURS=168 is its first week. */
const HOURS = Number(process.env.TRADER_HOURS ?? 4);

function* worldLedgers(): Generator<Uint8Array> {
  const world = new World({ seed: 'traders' });
  const from = world.network.closed.closeTime;
  while (world.network.closed.closeTime < from + HOURS * HOUR) yield world.step(240).packed().bytes;
}

function* chainLedgers(): Generator<Uint8Array> {
  // Two days and more, so that both windows lose rows.
  for (const packed of relaidChain({ ledgers: 120, transactionsPerLedger: 25, interval: 1900 }))
    yield packed.bytes;
}

const SOURCES: Source[] = [
  { name: 'recorded ledgers', ledgers: chainLedgers },
  { name: 'the embedded network', ledgers: worldLedgers },
];

const near = (value: number, exact: number, relative: number, absolute = 0): boolean =>
  Math.abs(value - exact) <= Math.abs(exact) * relative + absolute;

describe.each(SOURCES)('$name', ({ ledgers }) => {
  const bytes = [...ledgers()];
  const apply = async (engine: Engine, part: readonly Uint8Array[]): Promise<void> => {
    for (const one of part) {
      const packed = new PackedLedger(one);
      await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    }
    await engine.drain();
  };
  const store = new MemoryStore();
  const engine = new Engine({ store, log: quiet });
  const ready = apply(engine, bytes);

  test('each position is what the trades make of it', async () => {
    await ready;
    const exact = new TradeLedger(engine, store);
    const { positions } = engine.traders;
    expect(exact.events.length).toBeGreaterThan(200);
    expect(positions.table.count - 1).toBe(exact.positions.size);
    let gained = 0;
    for (const one of exact.positions.values()) {
      const row = positions.find(one.account, one.token);
      expect(row).toBeGreaterThan(0);
      const sales = one.gains.length * DROPS_A_SALE;
      const wrong = [
        near(positions.bought[row]!, decimalNumber(one.bought), AMOUNT_ERROR) || 'bought',
        near(positions.sold[row]!, decimalNumber(one.sold), AMOUNT_ERROR) || 'sold',
        positions.spent[row] === Number(one.spent) || 'spent',
        positions.received[row] === Number(one.received) || 'received',
        near(positions.cost[row]!, Number(one.cost), COST_ERROR, sales) || 'cost',
        near(positions.realised[row]!, Number(one.realised), COST_ERROR, sales) || 'realised',
        near(positions.held[row]!, decimalNumber(one.held), COST_ERROR, decimalNumber(one.bought) * 1e-11) ||
          'held',
        near(
          positions.liquidity[row]!,
          decimalNumber(one.liquidity),
          1e-4,
          decimalNumber(one.bought) * 1e-6,
        ) || `liquidity ${positions.liquidity[row]} ${decimalNumber(one.liquidity)}`,
        positions.trades[row] === one.trades || 'trades',
        positions.first[row] === one.first || 'first',
        positions.last[row] === one.last || 'last',
      ].filter((fault) => fault !== true);
      expect([one.account, one.token, wrong]).toEqual([one.account, one.token, []]);
      if (one.realised !== 0n) gained++;
    }
    expect(gained).toBeGreaterThan(5);
  });

  test('each trader is the sum of its trades', async () => {
    await ready;
    const exact = new TradeLedger(engine, store);
    const { traders, positions } = engine.traders;
    for (let row = 1; row < traders.table.count; row++) {
      const account = traders.accounts[row]!;
      const own = exact.trades.filter(({ maker, taker }) => maker === account || taker === account);
      const sum = (isPool: boolean) =>
        Number(own.filter((t) => t.isPool === isPool).reduce((total, { drops }) => total + drops, 0n));
      const held = [...exact.positions.values()].filter((one) => one.account === account);
      const rows: number[] = [];
      for (let at = traders.newest[row]!; at !== 0; at = positions.next[at]!) rows.push(at);
      const realised = rows.map((at) => positions.realised[at]!);
      const gains = held.flatMap((one) => one.gains).length;
      expect({
        trades: traders.trades[row],
        book: traders.bookDrops[row],
        pool: traders.poolDrops[row],
        positions: rows.length,
        tokens: traders.tokens[row],
        cost: traders.cost[row],
        realised: traders.realised(row),
        winning: traders.winningTokens[row],
        losing: traders.losingTokens[row],
        settled: traders.winningTrades[row]! + traders.losingTrades[row]! <= gains,
        spent: traders.spent[row],
      }).toEqual({
        trades: own.length,
        book: sum(false),
        pool: sum(true),
        positions: held.length,
        tokens: held.filter(({ trades }) => trades > 0).length,
        cost: rows.reduce((total, at) => total + positions.cost[at]!, 0),
        realised: realised.reduce((a, b) => a + b, 0),
        winning: realised.filter((gain) => gain > 0).length,
        losing: realised.filter((gain) => gain < 0).length,
        settled: true,
        spent: Number(held.reduce((total, { spent }) => total + spent, 0n)),
      });
    }
  });

  test('the windows hold what was traded in their hours and days', async () => {
    await ready;
    const exact = new TradeLedger(engine, store);
    const { traders, positions, hours, days } = engine.traders;
    const now = engine.head!.closeTime;
    for (const [ring, seconds, latest] of [
      [hours, HOUR, traders.latestHour],
      [days, DAY, traders.latestDay],
    ] as const) {
      const from = ring.firstOf(now, ring.kept);
      const found = new Map<string, number[]>();
      for (let row = 1; row < traders.table.count; row++)
        ring.visit(latest[row]!, from, (at) => {
          const position = ring.positions[at]!;
          expect(positions.accounts[position]).toBe(traders.accounts[row]!);
          const key = `${ring.buckets[at]} ${positions.accounts[position]} ${positions.tokens[position]}`;
          found.set(key, [ring.trades[at]!, ring.spent[at]!, ring.received[at]!]);
        });
      const expected = new Map<string, number[]>();
      for (const { account, token, time, drops, bought } of exact.events) {
        const bucket = Math.floor(time / seconds);
        if (bucket < from) continue;
        const key = `${bucket} ${account} ${token}`;
        const row = expected.get(key) ?? [0, 0, 0];
        row[0]!++;
        row[bought ? 1 : 2]! += Number(drops);
        expected.set(key, row);
      }
      expect([...found].sort()).toEqual([...expected].sort());
      expect(found.size).toBeGreaterThan(0);
    }
  });

  test('sums of tokens over days that hold all trades are those of all time, to the last digit', async () => {
    await ready;
    const parts = engine.traders;
    const { positions, traders } = parts;
    const window = windowOf(parts, '30d')!;
    const wrong: unknown[] = [];
    for (let row = 1; row < positions.table.count; row++) {
      const trader = traders.find(positions.accounts[row]!);
      const latest = traders.latestDay[trader]!;
      const sum = positionWindow(window, row, latest, engine.head!.closeTime);
      const [bought, sold] = [positions.bought[row]!, positions.sold[row]!];
      if (sum.bought !== bought || sum.sold !== sold) wrong.push([row, sum.bought, bought, sum.sold, sold]);
    }
    expect(wrong).toEqual([]);
  });

  test('days of the market and sources count each trade once', async () => {
    await ready;
    const exact = new TradeLedger(engine, store);
    const { marketDays, sources, traders } = engine.traders;
    const days = new Map<number, typeof exact.trades>();
    for (const trade of exact.allTrades) {
      const day = Math.floor(trade.time / DAY);
      days.set(day, [...(days.get(day) ?? []), trade]);
    }
    const isPool = (account: number) => traders.isPool[traders.find(account)] === 1;
    for (const [day, trades] of days) {
      const row = marketDays.row(day * DAY);
      const of = (pool: boolean) => trades.filter((trade) => trade.isPool === pool);
      const drops = (list: typeof trades) => Number(list.reduce((sum, trade) => sum + trade.drops, 0n));
      const people = (list: typeof trades) =>
        new Set(
          list
            .filter(({ maker, taker }) => maker !== taker)
            .flatMap(({ maker, taker }) => [maker, taker])
            .filter((account) => !isPool(account)),
        ).size;
      expect([
        marketDays.poolDrops[row],
        marketDays.bookDrops[row],
        marketDays.poolTrades[row],
        marketDays.bookTrades[row],
        marketDays.poolTraders[row],
        marketDays.bookTraders[row],
        marketDays.traders[row],
      ]).toEqual([
        drops(of(true)),
        drops(of(false)),
        of(true).length,
        of(false).length,
        people(of(true)),
        people(of(false)),
        people(trades),
      ]);
      let [platformTrades, platformDrops] = [0, 0];
      for (let platform = 0; platform < 64; platform++) {
        platformTrades += marketDays.platformTrades[marketDays.platformRow(row, platform)]!;
        platformDrops += marketDays.platformDrops[marketDays.platformRow(row, platform)]!;
      }
      expect([platformTrades, platformDrops]).toEqual([trades.length, drops(trades)]);
    }
    const tags = new Map<number | undefined, [number, Set<number>]>();
    for (const { tag, signer } of exact.trades) {
      const [count, signers] = tags.get(tag) ?? [0, new Set<number>()];
      tags.set(tag, [count + 1, signers.add(signer)]);
    }
    const found = new Map<number | undefined, [number, number]>();
    for (let row = 1; row < sources.table.count; row++)
      if (sources.trades[row]! > 0)
        found.set(sources.tag(row), [sources.trades[row]!, sources.traders[row]!]);
    expect([...found].sort()).toEqual(
      [...tags]
        .map(([tag, [count, { size }]]): [number | undefined, [number, number]] => [tag, [count, size]])
        .sort(),
    );
  });

  test('restarts, sizes of batches and a store without traders give the same', async () => {
    await ready;
    const digest = engine.digest();
    const other = new MemoryStore();
    const half = bytes.length >> 1;
    await apply(new Engine({ store: other, log: quiet, batch: { ledgers: 1 } }), bytes.slice(0, half));
    const next = new Engine({ store: other, log: quiet, batch: { ledgers: 7 } });
    next.restore();
    await apply(next, bytes.slice(half));
    expect(next.digest()).toBe(digest);
    // A program without traders reads and writes the other tables only.
    const ids = new Set(engine.traders.tables.map(({ id }) => id));
    const older = Object.create(store, {
      blocks: {
        value: (id: number, ...rest: unknown[]) =>
          ids.has(id) ? undefined : store.blocks(id, ...(rest as [never, never])),
      },
      value: {
        value: (name: string) =>
          [...ids].some((id) => name.endsWith(` ${id}`)) ? undefined : store.value(name),
      },
      rows: {
        value: (visit: (table: number, row: number, image: Uint8Array) => void) =>
          store.rows((id, row, image) => (ids.has(id) ? undefined : visit(id, row, image))),
      },
    }) as MemoryStore;
    const upgraded = new Engine({ store: older, log: quiet });
    upgraded.restore();
    expect(upgraded.traders.positions.table.count).toBeGreaterThan(1);
    expect(upgraded.digest()).toBe(digest);
    expect(upgraded.traders.since).toBe(engine.traders.since);
  });

  test('tokens of traders are counted again in a store that counted those with liquidity alone, too', async () => {
    await ready;
    const { traders } = engine.traders;
    const older = withColumnNamed(store, traders.table.id, 'tokens', 'positions');
    const upgraded = new Engine({ store: older, log: quiet });
    upgraded.restore();
    expect(upgraded.digest()).toBe(engine.digest());
  });
});

test('a trade of an account with itself counts in the market alone: nothing changes hands', () => {
  const record = new Uint8Array(TRADE_BYTES);
  const view = new DataView(record.buffer);
  const put = (at: number, word: number) => view.setUint32(at, word, true);
  const closeTime = 800_000_000;
  for (const at of [TradeAt.maker, TradeAt.taker, TradeAt.account]) put(at, 7);
  put(TradeAt.closeTime, closeTime);
  put(TradeAt.gotToken, 3);
  view.setFloat64(TradeAt.value, 500, true);
  const totals = { marketcap: 0, unfilteredMarketcap: 0, listed: 0 };
  const state = {
    tokens: { number: () => 10 },
    pools: { fees: new Uint16Array(1) },
    accounts: { find: () => undefined },
  };
  const traders = new Traders(state, { trades: record, tradeCount: 1, totals });
  traders.applyLedger({ closeTime } as PackedLedger, { nodes: 0 } as Changes);
  expect(traders.positions.find(7, 3)).toBe(0);
  expect(traders.traders.table.count).toBe(1);
  const { marketDays } = traders;
  expect(marketDays.bookTrades[marketDays.row(closeTime)]).toBe(1);
  expect(marketDays.bookDrops[marketDays.row(closeTime)]).toBe(500);
});

describe('the wash score', () => {
  const [first, second, maker] = [1, 2, 3];
  const traders = new TraderTable(256);
  function trade(a: number, b: number, drops: number, isPool = false): void {
    const side = { time: 800_000_000, drops, isPool, buys: true, sells: false, realised: 0 };
    traders.take(traders.findOrAdd(a), { ...side, partner: b });
    traders.take(traders.findOrAdd(b), { ...side, partner: a, buys: false, sells: true });
  }
  const score = (account: number) => traders.washScore(traders.find(account));
  // Back and forth at rising prices, and a trade with somebody else.
  for (let round = 0; round < 48; round++)
    trade(...((round % 2 === 0 ? [first, second] : [second, first]) as [number, number]), 500 + round * 5);
  trade(first, maker, 1000);
  // Customers who buy and sell again, most with that maker alone.
  for (let customer = 10; customer < 60; customer++)
    for (let round = 0; round < 4; round++)
      trade(...((round % 2 === 0 ? [customer, maker] : [maker, customer]) as [number, number]), 800);

  test('is high for two accounts that trade with each other back and forth', () => {
    for (const washer of [first, second]) expect(score(washer)).toBeGreaterThan(80);
  });

  test('is low for makers, and for customers who meet one maker only', () => {
    const people = [maker, ...Array.from({ length: 50 }, (_, i) => 10 + i)];
    expect(people.map(score).filter((points) => points > 10)).toEqual([]);
  });

  test('is 0 for who only buys from one that only sells to him', () => {
    trade(100, 101, 5000);
    expect([score(100), score(101)]).toEqual([0, 0]);
  });
});

test('the return on what was spent follows from whole drops, so that it rounds alike in every answer', () => {
  for (let drops = 1; drops < 200_000; drops += 7)
    expect(totalRoiOf(drops / 1e6, 3_000_017)).toBe((drops / 3_000_017) * 100);
});

describe('a position', () => {
  const positions = new Positions(64);
  test('the example of its description', () => {
    const row = positions.add(1, 2, 0);
    positions.buy(row, 10, 100, false);
    positions.buy(row, 10, 140, true);
    expect([positions.held[row], positions.cost[row]]).toEqual([20, 240]);
    expect(positions.sell(row, 5, 75)).toBe(15);
    expect([positions.held[row], positions.cost[row]]).toEqual([15, 180]);
    expect(positions.sell(row, 40, 600)).toBe(45);
    expect([positions.held[row], positions.cost[row], positions.realised[row]]).toEqual([0, 0, 60]);
    expect([positions.spent[row], positions.received[row], positions.fromPools[row]]).toEqual([240, 675, 10]);
  });

  test('what came by transfer is sold without profit', () => {
    const row = positions.add(1, 3, 0);
    expect(positions.sell(row, 5, 1000)).toBe(0);
    expect([positions.realised[row], positions.received[row], positions.held[row]]).toEqual([0, 1000, 0]);
  });

  test('a trade of unknown value gives no cost, and takes what it sells at its cost', () => {
    const row = positions.add(1, 4, 0);
    positions.buy(row, 10, 0, false);
    expect([positions.held[row], positions.cost[row]]).toEqual([0, 0]);
    positions.buy(row, 10, 100, false);
    expect(positions.sell(row, 4, 0)).toBe(0);
    expect([positions.held[row], positions.cost[row], positions.realised[row]]).toEqual([6, 60, 0]);
  });

  test('a million small purchases add up', () => {
    const row = positions.add(1, 5, 0);
    for (let i = 0; i < 1_000_000; i++) positions.buy(row, 0.1, 1, false);
    // 0.1 as a double is a little more than a tenth: a million of it.
    expect(positions.bought[row]).toBe(0.1 * 1_000_000);
  });

  test('takes 96 bytes', () => {
    expect(positions.table.rowBytes).toBeLessThanOrEqual(96);
    expect(TRADER_LIMITS.positions).toBe(12_000_000);
  });
});
