/** Series of a token's figures against what the engine showed at the end of each hour and day, and against raw trades. */
import { beforeAll, describe, expect, test } from 'bun:test';
import { Engine } from '../../../engine/engine.ts';
import { TRADE_BYTES, TradeReader } from '../../../engine/market/trade-record.ts';
import { unixMs } from '../../../engine/ripple-time.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { quiet } from '../../live-rig.ts';
import { World } from '../../sandbox/population/world.ts';
import { applyAll } from '../../views/world.ts';
import { type Asker, asker, type Json } from './ask.ts';

const STEP = 3600;
const [HOUR, DAY] = [3600, 86_400];
const HOURS = 2.25 * 24;

interface Shown {
  readonly price: number | undefined;
  readonly supply: number;
  readonly holders: number;
  readonly lines: number;
  readonly locked: number | undefined;
}

const store = new MemoryStore();
let engine = new Engine({ store, log: quiet });
let ask: Asker;
/** By length of the interval and its start: what each token was after its last ledger. */
const ends = new Map<string, Map<number, Shown>>();

beforeAll(async () => {
  const world = new World({ seed: 'series' });
  for (let ledger = 0; ledger < (HOURS * HOUR) / STEP; ledger++) {
    const packed = world.step(STEP).packed();
    await applyAll(engine, [packed]);
    const { lines, tokens } = engine.state;
    const { totals } = engine.market;
    const shown = new Map<number, Shown>();
    for (let token = 1; token < tokens.count; token++)
      shown.set(token, {
        price: totals.price(token),
        supply: lines.supplyNumber(token),
        holders: lines.holdersCount(token),
        lines: lines.lineCount(token),
        locked: totals.lockedOf(token),
      });
    for (const seconds of [HOUR, DAY])
      ends.set(`${seconds}/${Math.floor(packed.closeTime / seconds) * seconds}`, shown);
  }
  await engine.drain();
  ask = asker(engine);
});

const traded = (): number[] => {
  const { tokens } = engine.state;
  const { windows } = engine.market;
  return Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).filter(
    (token) => tokens.pools[token] === 0 && windows.trades(token, 3) > 0,
  );
};

/** XRP and number of the trades of a token that closed in an interval. */
function tradesOf(token: number, start: number, seconds: number): { xrp: number; count: number } {
  const reader = new TradeReader(new Uint8Array(TRADE_BYTES));
  let [drops, count] = [0, 0];
  store.trades({}, (_, bytes) => {
    const { closeTime, isLiquidity, paidToken, gotToken, valueDrops } = reader.load(bytes);
    if (isLiquidity || closeTime < start || closeTime >= start + seconds) return true;
    if (paidToken !== token && gotToken !== token) return true;
    drops += valueDrops;
    count++;
    return true;
  });
  return { xrp: drops / 1e6, count };
}

function hasTokenPools(token: number): boolean {
  const { pools } = engine.state;
  return [...pools.of(token)].some((pool) => pools.asset1(pool) !== 0 && pools.asset2(pool) !== 0);
}

const intervalsOf = (seconds: number) =>
  [...ends.keys()].filter((key) => key.startsWith(`${seconds}/`)).length;

const startOf = ({ time }: Json) => time / 1000 - 946_684_800;
const md5 = (token: number) => engine.state.tokens.md5(token);

describe.each(['after its ledgers', 'after a restart'])('%s', (when) => {
  beforeAll(() => {
    if (when === 'after its ledgers') return;
    engine = new Engine({ store, log: quiet });
    engine.restore();
    ask = asker(engine);
  });

  test('a day shows what the token was at its end', async () => {
    let compared = 0;
    expect(traded().length).toBeGreaterThan(5);
    for (const token of traded()) {
      const { body } = await ask.get(`/token/${md5(token)}/series?interval=day`);
      expect(body.count).toBe(intervalsOf(DAY));
      for (const point of body.series) {
        const was = ends.get(`${DAY}/${startOf(point)}`)!.get(token);
        if (was === undefined || was.lines === 0) continue;
        expect(point).toMatchObject({ supply: was.supply, holders: was.holders, trustlines: was.lines });
        expect(point.exch).toBe(was.price);
        if (was.price !== undefined) expect(point.marketcap).toBe(was.price * was.supply);
        // On past days pools between two tokens are worth what they were when they changed last.
        if (was.locked !== undefined && !hasTokenPools(token))
          expect(point.tvl / was.locked).toBeCloseTo(1, 9);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(15);
  });

  test('an interval shows what was traded in it, and an hour the price at its end', async () => {
    let prices = 0;
    for (const token of traded().slice(0, 4))
      for (const [interval, seconds] of [
        ['hour', HOUR],
        ['day', DAY],
      ] as const) {
        const { body } = await ask.get(`/token/${md5(token)}/series?interval=${interval}&limit=1000`);
        expect(body.count).toBe(intervalsOf(seconds));
        for (const point of body.series) {
          const { xrp, count } = tradesOf(token, startOf(point), seconds);
          expect(point.trades).toBe(count);
          expect(point.volxrp).toBeCloseTo(xrp, 6);
          const was = ends.get(`${seconds}/${startOf(point)}`)!.get(token)?.price;
          if (interval === 'day' || was === undefined || point.exch === undefined) continue;
          expect(point.exch).toBe(was);
          prices++;
        }
      }
    expect(prices).toBeGreaterThan(50);
  });
});

test('the running hour shows what pools lock, at its very beginning too', async () => {
  expect(engine.head!.closeTime % HOUR).toBe(0);
  let compared = 0;
  for (const token of traded()) {
    const locked = engine.market.totals.lockedOf(token);
    if (locked === undefined) continue;
    const { body } = await ask.get(`/token/${md5(token)}/series?interval=hour&limit=2&metrics=tvl`);
    expect(body.series.at(-1).tvl).toBe(locked);
    compared++;
  }
  expect(compared).toBeGreaterThan(5);
});

test('shares of the largest holders are those of the chart of holders', async () => {
  let compared = 0;
  for (const token of traded()) {
    const { history } = (await ask.get(`/holders/graph/${md5(token)}?range=ALL`)).body;
    const { series } = (await ask.get(`/token/${md5(token)}/series?interval=hour&limit=1000`)).body;
    for (const { time, top10, top20, top50, top100 } of series.slice(0, -1)) {
      const row = history.findLast((point: Json) => point.time < time + HOUR * 1000);
      expect([top10, top20, top50, top100]).toEqual([row?.top10, row?.top20, row?.top50, row?.top100]);
      if (row) compared++;
    }
  }
  expect(compared).toBeGreaterThan(20);
});

test('times before the first and after the last ledger are no fault', async () => {
  const path = `/token/${md5(traded()[0]!)}/series?interval=day`;
  for (const when of ['to=0', 'from=0&to=0', 'at=0', 'to=1000000000000', 'from=9000000000000', 'from=0'])
    expect([when, (await ask.get(`${path}&${when}`)).status]).toEqual([when, 200]);
});

test('from, to, limit and at choose intervals; metrics chooses figures', async () => {
  const id = md5(traded()[0]!);
  const all: Json[] = (await ask.get(`/token/${id}/series?interval=hour&limit=1000`)).body.series;
  const get = async (query: string): Promise<Json> =>
    (await ask.get(`/token/${id}/series?interval=hour&${query}`)).body;
  expect((await get('limit=5')).series).toEqual(all.slice(-5));
  expect((await get(`from=${all[10].time}&to=${all[14].time}`)).series).toEqual(all.slice(10, 15));
  expect((await get(`from=${all[10].time + 1}&to=${all[14].time - 1}`)).series).toEqual(all.slice(11, 14));
  // At the very moment an hour ends it has ended.
  expect((await get(`at=${all[20].time}`)).series).toEqual(all.slice(19, 20));
  expect((await get(`at=${all[20].time - 1}`)).series).toEqual(all.slice(18, 19));
  expect((await get('at=2001-01-01')).series).toEqual([]);
  const { metrics, series } = await get('limit=3&metrics=holders,exch,nonsense');
  expect(metrics).toEqual(['exch', 'holders']);
  for (const point of series)
    for (const name of Object.keys(point)) expect(['time', 'exch', 'holders']).toContain(name);
  expect((await ask.get('/token/XRP/series?interval=day&metrics=exch,usd')).body.series.at(-1)).toMatchObject(
    {
      time: unixMs(Math.floor(engine.head!.closeTime / DAY) * DAY),
      exch: 1,
    },
  );
});

test('a series begins with the network, whose first ledger has no close time', async () => {
  const world = new World({ seed: 'series' });
  const own = new Engine({ store: new MemoryStore(), log: quiet });
  const ledgers = [1, 2].map((index) => world.store.ledger(index)!);
  for (let ledger = 0; ledger < 3; ledger++) ledgers.push(world.step(STEP).packed());
  expect(ledgers[0]!.closeTime).toBe(0);
  await applyAll(own, ledgers);
  await own.drain();
  for (const [interval, seconds] of Object.entries({ hour: HOUR, day: DAY })) {
    const { body } = await asker(own).get(`/token/XRP/series?interval=${interval}&limit=1000`);
    const began = Math.floor(ledgers[1]!.closeTime / seconds) * seconds;
    expect(body.series[0].time).toBe(unixMs(began));
  }
});
