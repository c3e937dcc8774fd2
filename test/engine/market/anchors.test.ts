/** Which tokens represent fiat money: the rule of anchors.ts, and attempts to bypass it. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runToEnd } from '../../../engine/event-loop.ts';
import {
  ANCHOR_DEPTH_XRP,
  ANCHOR_HOLDERS,
  ANCHOR_HOURS,
  ANCHOR_MISSES,
  ANCHOR_TOLERANCE,
  ANCHOR_TRADERS,
} from '../../../engine/market/anchors.ts';
import { claimedFiat } from '../../../engine/market/fiat-claims.ts';
import { Fiat } from '../../../engine/market/figures.ts';
import { KNOWN_ANCHORS } from '../../../engine/market/known-anchors.ts';
import type { OracleSource } from '../../../engine/market/oracle-prices.ts';
import { ORACLE_TOLERANCE } from '../../../engine/market/rates.ts';
import { type WeightedValue, weightedMedian } from '../../../engine/metrics/weighted-median.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import { AnchorRig, type Backing } from './anchor-rig.ts';
import { randomFrom } from './stream.ts';

const HOUR = 3600;
const START = 800_000_000 - (800_000_000 % HOUR);
const XRP: Backing = { issuer: 'XRPL', currency: 'XRP' };
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`anchors seed ${seed}`);

const hexOf = (name: string): string => Buffer.from(name).toString('hex').toUpperCase().padEnd(40, '0');

describe('claims', () => {
  test.each([
    ['USD', Fiat.USD],
    [hexOf('RLUSD'), Fiat.USD],
    [hexOf('USDC'), Fiat.USD],
    ['EUR', Fiat.EUR],
    [hexOf('EUROP'), Fiat.EUR],
    ['JPY', Fiat.JPY],
    ['CNY', Fiat.CNY],
    ['CNH', Fiat.CNY],
    ['usd', undefined],
    ['US$', undefined],
    ['XRP', undefined],
    [hexOf('EUROPE'), undefined],
    [hexOf('EURUSD'), undefined],
    [hexOf('SOLO'), undefined],
    [`03${'55'.repeat(19)}`, undefined],
  ])('%p claims %p', (currency, fiat) => expect(claimedFiat(currency)).toBe(fiat));
  test('every known issuer claims the money it is known for', () => {
    for (const { currency, fiat } of KNOWN_ANCHORS) expect(claimedFiat(currency)).toBe(fiat);
  });
});

describe('weighted median', () => {
  const voice = fc.record({
    value: fc.double({ min: 0.01, max: 100, noNaN: true }),
    weight: fc.double({ min: 0.01, max: 100, noNaN: true }),
  });
  test('at most half of the weight is on either side of it', () => {
    const holds = (voices: readonly WeightedValue[]) => {
      const middle = weightedMedian(voices);
      const sum = (some: readonly WeightedValue[]) => some.reduce((total, { weight }) => total + weight, 0);
      const half = sum(voices) / 2 + 1e-9;
      expect(sum(voices.filter(({ value }) => value < middle))).toBeLessThanOrEqual(half);
      expect(sum(voices.filter(({ value }) => value > middle))).toBeLessThanOrEqual(half);
    };
    fc.assert(fc.property(fc.array(voice, { minLength: 1, maxLength: 9 }), holds), { seed, numRuns: 2000 });
  });
  test('two of a weight meet in the middle; without voices it is 0', () => {
    expect(weightedMedian([])).toBe(0);
    expect(
      weightedMedian([
        { value: 1, weight: 2 },
        { value: 3, weight: 2 },
      ]),
    ).toBe(2);
  });
});

/** Enough of everything. */
const backed = (issuer: string, currency = 'USD', depth = 5 * ANCHOR_DEPTH_XRP): Backing => ({
  issuer,
  currency,
  depth,
  holders: ANCHOR_HOLDERS,
  traders: ANCHOR_TRADERS,
});

/** Owners 1 .. n that all report one price of XRP, always recent. */
function oraclesOf(price: () => number, owners = 3, now = () => START): OracleSource {
  return {
    latest: (quote) =>
      quote !== 'USD' || price() === 0
        ? []
        : Array.from({ length: owners }, (_, n) => ({
            owner: 1 + n,
            price: price(),
            lastUpdate: now() + RIPPLE_EPOCH,
          })),
  };
}

/** Tokens traded at the price `at` gives for each hour, and reviewed at its end. */
class Hours {
  time = START;
  readonly rig: AnchorRig;
  constructor(backing: readonly Backing[], oraclePrice: () => number = () => 0, owners = 3) {
    this.rig = new AnchorRig(
      [XRP, ...backing],
      oraclesOf(oraclePrice, owners, () => this.time),
    );
    this.rig.settle(START);
  }
  /** @param at XRP per unit of each token, 0 = it does not trade */
  pass(hours: number, ...at: readonly number[]): this {
    for (let hour = 0; hour < hours; hour++) {
      at.forEach((price, i) => {
        if (price > 0) this.rig.trade(1 + i, this.time + HOUR - 60, 500, 500 / price);
      });
      this.time += HOUR;
      this.rig.settle(this.time);
    }
    return this;
  }
  is(token: number): boolean {
    return this.rig.anchors.isAnchor(token, this.time);
  }
  get usd(): number | undefined {
    return this.rig.rates.xrpPer(Fiat.USD);
  }
}

describe('the rule', () => {
  const oracle = () => 0.5;

  test('who agrees with the oracles for a day is an anchor, and its price is the rate where they are silent', () => {
    let price = 0.5;
    const hours = new Hours([backed('a')], () => price).pass(ANCHOR_HOURS - 1, 2.01);
    expect(hours.is(1)).toBe(false);
    hours.pass(1, 2.01);
    expect(hours.is(1)).toBe(true);
    expect(hours.rig.changed).toEqual([1]);
    price = 0;
    hours.pass(1, 2.01);
    expect(hours.usd).toBeCloseTo(2.01, 9);
  });

  test.each([
    ['depth', { depth: ANCHOR_DEPTH_XRP - 1 }],
    ['holders', { holders: ANCHOR_HOLDERS - 1 }],
    ['traders', { traders: ANCHOR_TRADERS - 1 }],
  ])('not without %s', (_name, lack) => {
    const poor = { ...backed('a'), ...lack };
    expect(new Hours([poor], oracle).pass(3 * ANCHOR_HOURS, 2).is(1)).toBe(false);
  });

  test('not with a different price, nor by its own claim alone, nor by that of two oracles', () => {
    const off = 2 * (1 + ANCHOR_TOLERANCE + 0.001);
    expect(new Hours([backed('a')], oracle).pass(3 * ANCHOR_HOURS, off).is(1)).toBe(false);
    expect(new Hours([backed('a')]).pass(3 * ANCHOR_HOURS, 2).is(1)).toBe(false);
    expect(new Hours([backed('a'), backed('a', 'USDX')]).pass(3 * ANCHOR_HOURS, 2, 2).is(1)).toBe(false);
    expect(new Hours([backed('a')], oracle, 2).pass(3 * ANCHOR_HOURS, 2).is(1)).toBe(false);
  });

  test('two issuers bear each other out; the deeper one is right when they do not', () => {
    const two = [backed('a'), backed('b', 'USDB')];
    const agreed = new Hours(two).pass(ANCHOR_HOURS, 2, 2.02);
    expect([agreed.is(1), agreed.is(2)]).toEqual([true, true]);
    expect(agreed.usd).toBeWithin(2, 2.02);
    const odd = new Hours([...two, backed('c', 'USDC', 9 * ANCHOR_DEPTH_XRP)]).pass(ANCHOR_HOURS, 2, 2, 3);
    expect([odd.is(1), odd.is(2), odd.is(3)]).toEqual([true, true, false]);
  });

  test('one disagreement in its first day starts the day again; later it takes six in a row', () => {
    const hours = new Hours([backed('a')], oracle).pass(ANCHOR_HOURS - 1, 2).pass(1, 2.4);
    expect(hours.pass(ANCHOR_HOURS - 1, 2).is(1)).toBe(false);
    expect(hours.pass(1, 2).is(1)).toBe(true);
    // One issuer against the oracles: neither can be judged. With a second issuer it can.
    const beside = new Hours([backed('a'), backed('b', 'USDB')], oracle).pass(ANCHOR_HOURS, 2, 2);
    expect(beside.pass(ANCHOR_MISSES - 1, 2.4, 2).is(1)).toBe(true);
    expect(
      beside
        .pass(1, 2, 2)
        .pass(ANCHOR_MISSES - 1, 2.4, 2)
        .is(1),
    ).toBe(true);
    expect(beside.pass(1, 2.4, 2).is(1)).toBe(false);
    expect(beside.is(2)).toBe(true);
  });

  test('a token that lost its depth, or is no longer traded, stops being one', () => {
    const gone = backed('a');
    const hours = new Hours([gone, backed('b', 'USDB')], oracle).pass(ANCHOR_HOURS, 2, 2);
    gone.depth = 0;
    expect(hours.pass(ANCHOR_MISSES, 2, 2).is(1)).toBe(false);
    hours.pass(ANCHOR_HOURS - 1, 0, 0).pass(ANCHOR_MISSES, 0, 0);
    expect(hours.is(2)).toBe(false);
  });

  test('the depth of an hour weighs little against that of a month', () => {
    const sudden = { ...backed('b', 'USDB'), depth: 0 };
    const hours = new Hours([backed('a'), backed('c', 'USDC'), sudden]).pass(200, 2, 2, 0);
    sudden.depth = 100 * ANCHOR_DEPTH_XRP;
    expect(hours.pass(1, 2, 2, 4).is(1)).toBe(true);
    expect(hours.usd).toBeCloseTo(2, 6);
  });

  test('a known issuer is an anchor from its first trade, is measured like all, and may come back', () => {
    const { issuer, currency } = KNOWN_ANCHORS[0]!;
    const known: Backing = { issuer, currency };
    const [, second] = KNOWN_ANCHORS;
    const hours = new Hours([known, { issuer: second!.issuer, currency: second!.currency }, backed('x')]);
    hours.pass(1, 2, 2, 2);
    expect([hours.is(1), hours.is(2), hours.is(3)]).toEqual([true, true, false]);
    hours.pass(ANCHOR_HOURS, 2, 2, 2);
    expect(hours.is(3)).toBe(true);
    expect(new Hours([known]).pass(2, 2).usd).toBeCloseTo(2, 9);
    hours.pass(ANCHOR_MISSES, 2, 5, 2);
    expect([hours.is(1), hours.is(2)]).toEqual([true, false]);
    expect(hours.pass(ANCHOR_HOURS, 2, 2, 2).is(2)).toBe(true);
  });

  test('where many oracles contradict an unknown anchor, no rate is better than either', () => {
    let price = 0.5;
    const hours = new Hours([backed('a')], () => price).pass(ANCHOR_HOURS, 2);
    expect(hours.usd).toBe(2);
    price = 0.1;
    expect(hours.pass(1, 2).usd).toBeUndefined();
    const { issuer, currency } = KNOWN_ANCHORS[0]!;
    expect(new Hours([{ issuer, currency }], () => price).pass(1, 2).usd).toBe(2);
  });

  test('others are valued by it only while it trades at its price', () => {
    const hours = new Hours([backed('a')], oracle).pass(ANCHOR_HOURS, 2);
    expect(hours.rig.rates.anchors(1, hours.time)).toBe(true);
    hours.rig.trade(1, hours.time, 1e6, 1);
    hours.rig.settle(hours.time);
    expect(hours.is(1)).toBe(true);
    expect(hours.rig.rates.anchors(1, hours.time)).toBe(false);
  });

  test('one owner with many oracles has one voice', () => {
    const source: OracleSource = {
      latest: (quote) =>
        quote === 'USD'
          ? [0.5, 0.5, 9, 9, 9, 9].map((price, n) => ({
              owner: Math.min(n, 2),
              price,
              lastUpdate: START + RIPPLE_EPOCH - n,
            }))
          : [],
    };
    const rig = new AnchorRig([XRP], source);
    rig.settle(START);
    expect(rig.rates.xrpPer(Fiat.USD)).toBe(2);
  });

  test('a restart has the same anchors and computes the same prices', () => {
    const hours = new Hours([backed('a'), backed('b', 'USDB'), backed('c', 'USDC')], oracle);
    hours.pass(ANCHOR_HOURS, 2, 2, 0).pass(3, 2.4, 2, 2);
    const { anchors, rates, ticks } = hours.rig;
    expect(anchors.table.count).toBe(4);
    anchors.rebuild();
    runToEnd(rates.rebuilding(ticks, hours.time));
    expect(rates.anchorTokens).toEqual([1, 2]);
    hours.pass(ANCHOR_MISSES - 3, 2.4, 2, 2);
    expect(hours.is(1)).toBe(false);
  });
});

/**
 * An attacker with less depth than all honest issuers together tries for five days: own issuers, at first at the true price,
 * later at a false one; any volume, any number of holders and traders, and oracles.
 */
describe('an attacker', () => {
  const DAYS = 5;
  const STEP = 600;
  /** A mean of 60 minutes lags behind a price that moves by at most 1 % in the hour. */
  const LAG = 0.01;

  interface Attack {
    readonly random: number;
    /** Depth against that of all others. */
    readonly share: number;
    readonly issuers: number;
    /** The false price over the true one. */
    readonly lie: number;
    readonly liesFrom: number;
    readonly volume: number;
    /** Accounts that publish the true price, and the false one. */
    readonly honest: number;
    readonly false: number;
  }

  const attack = fc.record<Attack>({
    random: fc.nat(),
    share: fc.double({ min: 0.05, max: 0.45, noNaN: true }),
    issuers: fc.integer({ min: 1, max: 4 }),
    lie: fc.oneof(
      fc.double({ min: 1.05, max: 1.15, noNaN: true }),
      fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      fc.double({ min: 2, max: 1000, noNaN: true }),
    ),
    liesFrom: fc.integer({ min: 0, max: DAYS * 24 }),
    volume: fc.constantFrom(100, 10_000, 1e7),
    honest: fc.constantFrom(0, 3),
    false: fc.constantFrom(0, 3, 40),
  });

  /** As many false oracles as true ones make their median. */
  const ownsOracles = (plan: Attack): boolean => plan.false > 0 && plan.false >= plan.honest;
  /** How far the rate may be off: as far as oracles may move it, where most are false. */
  const allowed = (plan: Attack): number =>
    (ownsOracles(plan) ? ORACLE_TOLERANCE : ANCHOR_TOLERANCE) + 2 * LAG;

  function run(plan: Attack): { worst: number; lied: number; honest: number } {
    const random = randomFrom(plan.random);
    const honest = Array.from({ length: 3 }, (_, n) =>
      backed(`h${n}`, ['USD', hexOf('USDH'), hexOf('HUSD')][n], ANCHOR_DEPTH_XRP * (1 + 30 * random())),
    );
    const whole = honest.reduce((sum, { depth }) => sum + depth!, 0);
    const attackers = Array.from({ length: plan.issuers }, (_, n) => ({
      ...backed(`x${n}`, 'USD', (whole * plan.share) / plan.issuers),
      holders: 1e6,
      traders: 1e5,
    }));
    let trueRate = 2;
    let lie = 1;
    let time = START;
    const oracles: OracleSource = {
      latest: (quote) =>
        quote !== 'USD'
          ? []
          : Array.from({ length: plan.honest + plan.false }, (_, owner) => ({
              owner,
              price: 1 / (owner < plan.honest ? trueRate : trueRate * lie),
              lastUpdate: time + RIPPLE_EPOCH,
            })),
    };
    const rig = new AnchorRig([XRP, ...honest, ...attackers], oracles);
    const found = { worst: 0, lied: 0, honest: 0 };
    for (; time < START + DAYS * 24 * HOUR; time += STEP) {
      trueRate *= 1 + (random() - 0.5) * (LAG / 6);
      if (time >= START + plan.liesFrom * HOUR) lie = plan.lie;
      for (let token = 1; token <= honest.length; token++) {
        const xrp = 50 + 500 * random();
        rig.trade(token, time, xrp, xrp / (trueRate * (1 + (random() - 0.5) * 0.01)));
      }
      attackers.forEach((_, n) => {
        rig.trade(1 + honest.length + n, time, plan.volume, plan.volume / (trueRate * lie));
      });
      rig.settle(time);
      const rate = rig.rates.xrpPer(Fiat.USD);
      if (rate !== undefined) found.worst = Math.max(found.worst, Math.abs(rate / trueRate - 1));
      attackers.forEach((_, n) => {
        const seen = Math.abs(lie - 1) > allowed(plan) + ANCHOR_TOLERANCE;
        if (seen && rig.rates.anchors(1 + honest.length + n, time)) found.lied++;
      });
    }
    for (let token = 1; token <= honest.length; token++)
      if (rig.anchors.isAnchor(token, time)) found.honest++;
    return found;
  }

  test('never moves the rate further than oracles may, and values nothing at a false price', () => {
    const holds = (plan: Attack) => {
      const { worst, lied, honest } = run(plan);
      // Without an anchor many oracles are trusted: before, only those of the first day.
      const alone = ownsOracles(plan) && plan.liesFrom < ANCHOR_HOURS;
      if (!alone) expect(worst).toBeLessThan(allowed(plan));
      expect(lied).toBe(0);
      expect(honest).toBe(3);
    };
    fc.assert(fc.property(attack, holds), { seed, numRuns: 60 });
  });

  test('with more depth than all others together it succeeds: the limit of the rule', () => {
    const plan = { random: 1, share: 2, issuers: 2, lie: 3, liesFrom: 0, volume: 1e7, honest: 0, false: 0 };
    expect(run(plan).lied).toBeGreaterThan(0);
  });
});
