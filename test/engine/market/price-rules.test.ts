/** Which trades set a price: the rules of prices.ts and reference-assets.ts, one by one. */
import { describe, expect, test } from 'bun:test';
import { Window } from '../../../engine/market/figures.ts';
import { type Made, madeLedger, person, poolLine, poolNodes, taken } from './made.ts';
import { Rig } from './rig.ts';

const DAY = 86_400;
const BITSTAMP = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const FAKER = person(66);
const usd = (value: string) => ({ currency: 'USD', issuer: BITSTAMP, value });
const fake = (value: string) => ({ currency: 'FKE', issuer: FAKER, value });
const land = (value: string) => ({ currency: 'LND', issuer: person(77), value });
const maker = person(9);
const pooled = (n: number, drops: number, asset: Readonly<Record<string, string>>): Made => ({
  tx: { TransactionType: 'AMMCreate', Amount: `${drops}`, Amount2: asset, TradingFee: 500 },
  nodes: poolNodes(person(n), drops, asset, n * 100),
});

type Step = readonly [time: number, ...made: Made[]];

/** Applies ledgers, each of one time and some transactions, and returns prices by ticker. */
function applied(...ledgers: readonly Step[]) {
  const rig = new Rig();
  for (const [i, [time, ...made]] of ledgers.entries()) {
    const sample = madeLedger(1000 + i, 700_000_000 + time, made);
    rig.apply(sample.packed, sample.changes);
  }
  const token = (name: string): number => {
    for (let id = 1; id < rig.state.tokens.count; id++) if (rig.state.tokens.name(id) === name) return id;
    throw new Error(name);
  };
  return {
    rig,
    token,
    price: (name: string) => rig.market.prices.price(token(name)),
    volume: (name: string) => rig.market.windows.volumeDrops(token(name), Window.h24),
  };
}

describe('rules of prices', () => {
  const faked = taken(1, maker, fake('0.00001'), '1000'); // FKE at 100 XRP, in a trade of one account with itself
  test('a worthless token with a price of its own making prices and values nothing', () => {
    const { price, volume } = applied([0, faked], [4, taken(2, maker, usd('0.0097'), fake('0.0135'))]);
    expect(price('FKE')).toBeCloseTo(100, 9);
    expect(price('USD')).toBeUndefined();
    expect(volume('USD')).toBe(0);
  });

  test('nor does it once the token trades against XRP', () => {
    const market = taken(1, maker, usd('10'), '20000000');
    const { price } = applied([0, market, faked], [4, taken(2, maker, usd('0.0097'), fake('100'))]);
    expect(price('USD')).toBe(2);
  });

  test('an anchor that trades against XRP sets the price of a token that does not', () => {
    const market = taken(1, maker, usd('10'), '20000000');
    const trade = taken(2, maker, usd('30'), land('5'));
    expect(applied([0, market], [4, trade]).price('LND')).toBe(12);
    expect(applied([0, market], [4, trade]).volume('LND')).toBe(60_000_000);
    expect(applied([0, market], [4, taken(2, maker, usd('0.3'), land('5'))]).price('LND')).toBeUndefined();
    expect(applied([0, market], [DAY + 1, trade]).price('LND')).toBeUndefined();
    expect(applied([0, market], [DAY, trade]).price('LND')).toBe(12);
  });

  test('... not while the token has a market of its own, and again when that has been dead for 30 days', () => {
    const own = taken(1, maker, land('1'), '3000000');
    const market = taken(2, maker, usd('10'), '20000000');
    const trade = taken(3, maker, usd('30'), land('5'));
    expect(applied([0, own], [30 * DAY - 4, market], [30 * DAY, trade]).price('LND')).toBe(3);
    expect(applied([0, own], [30 * DAY - 4, market], [30 * DAY + 1, trade]).price('LND')).toBe(12);
    expect(
      applied([0, pooled(40, 100e6, land('50'))], [40 * DAY, market], [40 * DAY, trade]).price('LND'),
    ).toBe(2);
  });

  test('a token with a deep XRP pool is a reference asset, with a shallow one it is not', () => {
    const trade = taken(3, maker, fake('30'), land('5'));
    expect(applied([0, pooled(40, 10_000e6, fake('5000'))], [4, trade]).price('LND')).toBe(12);
    expect(applied([0, pooled(40, 9_999e6, fake('5000'))], [4, trade]).price('LND')).toBeUndefined();
    expect(applied([0, pooled(40, 10_000e6, fake('5000'))], [9 * DAY, trade]).price('LND')).toBe(12);
  });

  test('a pool sets the price until a trade does, and again when that is a day old', () => {
    const pool = pooled(40, 100e6, land('50'));
    const trade = taken(3, maker, land('2'), '6000000');
    expect(applied([0, pool]).price('LND')).toBe(2);
    expect(applied([0, pooled(40, 9e6, land('50'))]).price('LND')).toBeUndefined();
    expect(applied([0, pool], [4, trade]).price('LND')).toBe(3);
    expect(applied([0, trade], [DAY, pool]).price('LND')).toBe(3);
    const { price, rig, token } = applied([0, trade], [DAY + 1, pool]);
    expect(price('LND')).toBe(2);
    expect(rig.market.windows.change(token('LND'), Window.h24)).toBeCloseTo(-100 / 3, 9);
    expect(rig.market.candles.series({ token: token('LND'), seconds: 60 }).length).toBe(2);
  });

  const between = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): Made => {
    const [amm, account, line] = poolNodes(person(41), 1, other, 900) as [
      { CreatedNode: { NewFields: object } },
      object,
      object,
    ];
    const { value: _, ...Asset } = one;
    Object.assign(amm.CreatedNode.NewFields, { Asset });
    const tx = { TransactionType: 'AMMCreate', Amount: one, Amount2: other, TradingFee: 500 };
    return { tx, nodes: [amm, account, line, poolLine(person(41), one, 950)] };
  };

  test('what pools between tokens lock counts only at prices of reference assets', () => {
    const market = taken(1, maker, usd('10'), '20000000');
    const tvl = (made: Made) =>
      applied([0, market, faked, made], [60, made]).rig.market.globals.global().gTVL;
    expect(tvl(between(fake('1000'), land('5')))).toBe(0);
    expect(tvl(between(usd('30'), land('5')))).toBe(60);
  });

  test("a token whose pool has another value by the other token's price is repriced, not changed", () => {
    const pool = between(usd('30'), land('5'));
    const market = (drops: string) => taken(1, maker, usd('10'), drops);
    const start: Step = [0, market('20000000'), pool];
    const after = (...ledgers: readonly Step[]) => {
      const { rig, token } = applied(...ledgers);
      const { tokens, repriced } = rig.state.changed;
      const [usd, land] = [token('USD'), token('LND')];
      return [rig.market.totals.lockedOf(land), tokens.has(usd), tokens.has(land), repriced.has(land)];
    };
    expect(after(start)).toEqual([60, true, true, true]);
    expect(after(start, [60, market('30000000')])).toEqual([90, true, false, true]);
    // At an unchanged price nothing differs, until the price of a day ago does.
    expect(after(start, [60, market('30000000')], [64, market('30000000')])).toEqual([
      90,
      true,
      false,
      false,
    ]);
    const day: Step[] = [start, [60, market('30000000')], [64, market('30000000')]];
    // What went into the pool is then a day old: that does change the token.
    expect(after(...day, [DAY])).toEqual([90, true, true, false]);
    expect(after(...day, [DAY], [DAY + 60])).toEqual([90, true, false, true]);
  });

  test('books of permissioned domains count as volume and set no price', () => {
    const trade = taken(3, maker, land('2'), '6000000', { DomainID: 'D0'.repeat(32) });
    const { price, volume } = applied([0, trade]);
    expect([price('LND'), volume('LND')]).toEqual([undefined, 6_000_000]);
    const market = taken(1, maker, usd('10'), '20000000');
    const derived = taken(2, maker, usd('30'), land('5'), { DomainID: 'D0'.repeat(32) });
    expect(applied([0, market], [4, derived]).price('LND')).toBeUndefined();
  });

  test('dust, nothing for something, and amounts at the ends of the range give no infinite or missing number', () => {
    const most = land('9999999999999999e80');
    const least = land('1000000000000000e-96');
    const { price, rig, token } = applied(
      [0, taken(1, maker, land('1'), '999')],
      [4, taken(2, maker, most, '100000000000000000'), taken(3, maker, least, '100000000000000000')],
      [8, taken(4, maker, most, usd('1')), taken(5, maker, usd('1'), most)],
      [12, taken(6, maker, usd('9999999999999999e80'), '1000000'), taken(7, maker, usd('1'), '1000000')],
      [16, taken(8, maker, most, usd('9999999999999999e80'))],
    );
    expect(price('LND')).toBe(1); // one USD a LND, and one XRP a USD
    const { market } = rig;
    for (const name of ['LND', 'USD'])
      for (const figure of [
        market.windows.tokenVolume(token(name)),
        market.windows.volumeDrops(token(name), Window.h24),
        market.windows.change(token(name), Window.h24) ?? 0,
        ...market.candles.series({ token: token(name), seconds: 3600 }).rows,
      ])
        expect(Number.isFinite(figure)).toBe(true);
    expect(rig.market.digest()).not.toContain('NaN');
  });
});
