/** How often tokens of a kind collapsed: against a plain recount of a made-up history whose collapses are known. */
import { describe, expect, test } from 'bun:test';
import { openStore } from '../../../data/store.ts';
import { Engine } from '../../../engine/engine.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import type { Prepared } from '../../../engine/ledger/prepare.ts';
import { type CollapseRates, collapseChance, collapseRates } from '../../../engine/risk/collapse-rates.ts';
import { KINDS, kindNames, kindNumber, kindOf } from '../../../engine/risk/kinds.ts';
import { Observations } from '../../../engine/risk/observations.ts';
import { RiskScalars } from '../../../engine/risk/scalars.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { HeavyReadPool } from '../../../workers/heavy-reads.ts';
import { unpackStore } from '../../data/first-store.ts';
import { temporaryDir } from '../../data/tools.ts';
import { quiet } from '../../live-rig.ts';
import { FIRST_DAY, ledgerOf, type MadeToken, madeTokens, randomFrom } from './history.ts';

const seed = Number(process.env.SEED ?? 20_261_123);
const DAYS = 165;
const TOKENS = 50;
const HORIZON = 60;
const DAY = 86_400;

const newEngine = (store = new MemoryStore(), batch = 256): Engine =>
  new Engine({ store, log: quiet, batch: { ledgers: batch } });

/** Ledgers by their tokens and days: they take longer to make than to apply. */
const made = new Map<readonly MadeToken[], Prepared[]>();

async function apply(engine: Engine, tokens: readonly MadeToken[], from: number, to: number): Promise<void> {
  const ledgers = made.get(tokens) ?? [];
  made.set(tokens, ledgers);
  for (let day = from; day < to; day++) {
    ledgers[day] ??= ledgerOf(tokens, day);
    await engine.applyLedger(ledgers[day]!, true);
  }
  await engine.drain();
}

const ratesOf = (engine: Engine, day = engine.risk.passes.last): CollapseRates =>
  runToEnd(collapseRates(engine.risk, day));

/** Every observation in words. */
function observed(engine: Engine) {
  const { observations } = engine.risk;
  const { tokens } = engine.state;
  return Array.from({ length: observations.head - observations.oldest }, (_, i) => {
    const row = observations.rowOf(observations.oldest + i);
    return {
      token: tokens.currencyText(observations.token[row]!),
      day: observations.day[row]! - FIRST_DAY,
      price: observations.price[row]!,
      drops: observations.poolDrops[row]!,
      collapsed: observations.collapsed[row] === 0 ? undefined : observations.collapsed[row]! - FIRST_DAY,
      features: observations.features(row),
    };
  });
}

// The plain recount: days and prices of the made-up tokens alone.

interface Plain {
  readonly token: MadeToken;
  readonly day: number;
  readonly price: number;
  readonly drops: number;
  /** Liquidity, age, burned and freeze, top 10, creator. */
  readonly classes: readonly string[];
}

function priceOn({ prices, born }: MadeToken, day: number): number {
  for (let age = day - born; age >= 0; age--)
    if (prices[age] !== undefined) return Math.round(prices[age]! * 10 * 1e6) / 1e6 / 10;
  return 0;
}

function classesOn({ drops, born, noFreeze }: MadeToken, day: number): string[] {
  const xrp = drops[day - born]! / 1e6;
  const days = day - born;
  const liquidity =
    xrp === 0
      ? 'no pool'
      : xrp < 100
        ? 'below 100 XRP'
        : xrp < 1000
          ? '100 to 1000 XRP'
          : xrp < 10_000
            ? '1000 to 10000 XRP'
            : xrp < 100_000
              ? '10000 to 100000 XRP'
              : '100000 XRP or more';
  return [liquidity, ageOn(days), noFreeze ? 'given up' : 'possible', '95 % or more', 'below 1 %'];
}

const ageOn = (days: number): string =>
  days < 1
    ? 'below 1 d'
    : days < 7
      ? '1 to 7 d'
      : days < 30
        ? '7 to 30 d'
        : days < 180
          ? '30 to 180 d'
          : '180 d or more';

function plainObservations(tokens: readonly MadeToken[], days: number): Plain[] {
  const found: Plain[] = [];
  const last = new Map<MadeToken, Plain>();
  for (let day = 0; day < days; day++)
    for (const token of tokens) {
      if (token.born > day) continue;
      const traded = token.prices.findLastIndex(
        (price, age) => age + token.born <= day && price !== undefined,
      );
      if (day - token.born - traded > 7) continue;
      const before = last.get(token);
      const classes = classesOn(token, day);
      if (before && before.classes[1] === classes[1] && day - before.day < 60) continue;
      const drops = token.drops[day - token.born]!;
      const plain = { token, day, price: priceOn(token, day), drops, classes };
      last.set(token, plain);
      found.push(plain);
    }
  return found;
}

function collapsedOn({ token, day, price, drops }: Plain, days: number): number | undefined {
  for (let later = day + 1; later <= Math.min(day + HORIZON, days - 1); later++) {
    if (priceOn(token, later) <= price * 0.1) return later;
    if (drops > 0 && token.drops[later - token.born]! <= drops * 0.1) return later;
  }
  return undefined;
}

/** Tokens on a day: all of them, not traded for a week, and collapsed since an observation of the last 60 days. */
function plainCounts(observations: readonly Plain[], day: number) {
  const known = tokens.filter(({ born }) => born <= day);
  const quiet = known.filter(({ prices, born }) => {
    const traded = prices.findLastIndex((price, age) => age + born <= day && price !== undefined);
    return day - born - traded > 7;
  });
  const open = observations.filter((one) => one.day < day && day - one.day <= HORIZON);
  const gone = open.filter((one) => (collapsedOn(one, DAYS) ?? DAYS) <= day).map(({ token }) => token);
  return { tokens: known.length, inactive: quiet.length, collapsed: new Set(gone).size };
}

/** What can be said of a token with these classes from some observations. */
function plainChance(past: readonly (Plain & { collapsed: boolean })[], classes: readonly string[]) {
  const share = (of: typeof past) => of.filter(({ collapsed }) => collapsed).length;
  let chance = (share(past) + 0.5) / (past.length + 1);
  let group = past;
  for (let features = 1; features <= classes.length; features++) {
    group = group.filter((one) => one.classes[features - 1] === classes[features - 1]);
    chance = (share(group) + 10 * chance) / (group.length + 10);
  }
  return { chance, sample: group.length, collapsed: share(group) };
}

const tokens = madeTokens(randomFrom(seed), TOKENS, DAYS);

describe(`a made-up history (SEED=${seed})`, () => {
  test('its observations, their collapses, the chance of each kind and the calibration are those of a plain recount', async () => {
    const engine = newEngine();
    await apply(engine, tokens, 0, DAYS);
    const plain = plainObservations(tokens, DAYS);
    const order = (a: { day: number; token: unknown }, b: { day: number; token: unknown }) =>
      a.day - b.day || (String(a.token) < String(b.token) ? -1 : 1);
    const mine = observed(engine).toSorted(order);
    const recount = plain
      .map((one) => ({ ...one, token: one.token.currency, collapsed: collapsedOn(one, DAYS) }))
      .toSorted(order);
    expect(mine.length).toBeGreaterThan(100);
    expect(mine.map(({ token, day, drops, collapsed }) => ({ token, day, drops, collapsed }))).toEqual(
      recount.map(({ token, day, drops, collapsed }) => ({ token, day, drops, collapsed })),
    );
    for (const [i, { price, features }] of mine.entries()) {
      expect(price).toBeCloseTo(recount[i]!.price, 9);
      const { liquidity, age, burned, freeze, top10, creator } = kindNames(kindOf(features));
      expect([liquidity, age, freeze, top10, creator]).toEqual([...recount[i]!.classes]);
      expect(burned).toBe('below 50 %');
    }

    for (let day = 0; day < DAYS; day++)
      expect(engine.risk.passes.of(FIRST_DAY + day)).toEqual(plainCounts(plain, day));

    const rates = ratesOf(engine);
    expect(rates.horizon).toBe(HORIZON);
    expect(rates.day).toBe(FIRST_DAY + DAYS - 1);
    const outcomes = plain.map((one) => {
      const day = collapsedOn(one, DAYS);
      return { ...one, collapsed: day !== undefined };
    });
    const over = outcomes.filter(({ day }) => day + HORIZON <= DAYS - 1);
    expect(over.filter(({ collapsed }) => collapsed).length).toBeGreaterThan(10);
    expect(over.filter(({ collapsed }) => !collapsed).length).toBeGreaterThan(10);
    for (const { features } of observed(engine)) {
      const kind = kindOf(features);
      const names = kindNames(kind);
      const classes = [names.liquidity, names.age, names.freeze, names.top10, names.creator];
      const found = collapseChance(rates, kindNumber(kind))!;
      const { chance, ...counts } = plainChance(over, classes);
      expect(found.chance).toBeCloseTo(chance, 12);
      expect({ sample: found.sample, collapsed: found.collapsed }).toEqual(counts);
      expect(found.observed).toBe(over.length);
    }

    const bands = [0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1];
    const tally = bands.map((to) => ({ to, count: 0, collapsed: 0, sum: 0 }));
    let squares = 0;
    for (const one of over) {
      const known = outcomes.filter(({ day }) => day + HORIZON < one.day);
      if (known.length < 20) continue;
      const { chance } = plainChance(known, one.classes);
      const band = tally.find(({ to }) => chance <= to)!;
      band.count++;
      band.sum += chance;
      if (one.collapsed) band.collapsed++;
      squares += (chance - (one.collapsed ? 1 : 0)) ** 2;
    }
    const wanted = tally.filter(({ count }) => count > 0);
    const predicted = wanted.reduce((sum, { count }) => sum + count, 0);
    expect(predicted).toBeGreaterThan(5);
    expect(rates.bands.map(({ to, count, collapsed }) => ({ to, count, collapsed }))).toEqual(
      wanted.map(({ to, count, collapsed }) => ({ to, count, collapsed })),
    );
    for (const [i, { predicted: mean }] of rates.bands.entries())
      expect(mean).toBeCloseTo(wanted[i]!.sum / wanted[i]!.count, 12);
    expect(rates.brier!).toBeCloseTo(squares / predicted, 12);

    const pool = new HeavyReadPool({ threads: 1, deadline: 60_000 });
    try {
      const reads = pool.of(engine.state, undefined, engine.risk);
      expect((await reads.run('countCollapses', { day: rates.day })).value).toEqual(rates);
    } finally {
      await pool.close();
    }
  });

  test('what is known on a day is the same whatever comes after it', async () => {
    const known = 140;
    const other = madeTokens(randomFrom(seed + 1), TOKENS, DAYS);
    /** The same until the day, and then as the other tokens went on. */
    const diverged = tokens.map((token, i): MadeToken => {
      const until = known - token.born;
      if (until <= 0) return token;
      const follow = <T>(own: readonly T[], theirs: (age: number) => T): T[] =>
        own.map((value, age) => (age < until ? value : theirs(age)));
      const prices = follow(token.prices, (age) => (i % 2 ? 0.001 : other[i]!.prices[age]));
      return { ...token, prices, drops: follow(token.drops, () => (token.drops[0] === 0 ? 0 : 1000)) };
    });
    const [short, one, two] = [newEngine(), newEngine(), newEngine()];
    await apply(short, tokens, 0, known);
    await apply(one, tokens, 0, DAYS);
    await apply(two, diverged, 0, DAYS);
    const until = (engine: Engine) =>
      observed(engine)
        .filter(({ day }) => day < known)
        .map(({ collapsed: _, ...rest }) => rest);
    expect(until(one)).toEqual(until(short));
    expect(until(two)).toEqual(until(short));
    const day = FIRST_DAY + known - 1;
    const then = ratesOf(short);
    expect(then.day).toBe(day);
    expect(then.brier).not.toBeNull();
    expect(ratesOf(one, day)).toEqual(then);
    expect(ratesOf(two, day)).toEqual(then);
    // It did matter: the futures are not the same.
    expect(ratesOf(two)).not.toEqual(ratesOf(one));
  });

  test('any size of batches and any restart give the same rows, also where a pass takes several ledgers', async () => {
    const many = madeTokens(randomFrom(seed), 90, 40);
    const whole = newEngine();
    await apply(whole, many, 0, 40);
    const passes = (engine: Engine) =>
      Array.from({ length: 40 }, (_, day) => engine.risk.passes.lastUntil(FIRST_DAY + day));
    // More than a ledger measures, so that days are skipped.
    expect(new Set(passes(whole)).size).toBeLessThan(40);
    const store = new MemoryStore();
    let engine = newEngine(store, 3);
    for (const [from, to] of [
      [0, 1],
      [1, 8],
      [8, 9],
      [9, 23],
      [23, 40],
    ] as const) {
      await apply(engine, many, from, to);
      engine = newEngine(store, 3);
      engine.restore();
    }
    expect(observed(engine)).toEqual(observed(whole));
    expect(passes(engine)).toEqual(passes(whole));
    expect(ratesOf(engine)).toEqual(ratesOf(whole));
    expect(engine.digest()).toBe(whole.digest());
  });

  test('a network that is younger than 60 days says what happened within fewer, and days without a pass are not counted', async () => {
    const young = newEngine();
    await apply(young, tokens, 0, 25);
    const rates = ratesOf(young);
    expect(rates.horizon).toBe(14);
    const over = plainObservations(tokens, 25).filter(({ day }) => day + 14 <= 24);
    const { observed: counted, observedCollapsed } = collapseChance(rates, 0)!;
    expect(counted).toBe(over.length);
    expect(observedCollapsed).toBe(over.filter((one) => (collapsedOn(one, 25) ?? 99) - one.day <= 14).length);

    const gap = newEngine();
    await apply(gap, tokens, 0, 30);
    await apply(gap, tokens, 120, DAYS);
    const rest = ratesOf(gap, FIRST_DAY + DAYS - 1);
    // Of the first 30 days none was measured at the end of 60 days; of one that began later 30 days are not over.
    expect(rest.horizon).toBeLessThan(HORIZON);
    const kept = collapseChance(rest, 0)!;
    const hasPass = (day: number) => day < 30 || (day >= 120 && day < DAYS);
    const isCounted = ({ day }: { day: number }) =>
      day + rest.horizon < DAYS &&
      Array.from({ length: Math.floor(rest.horizon / 8) + 1 }, (_, i) => day + rest.horizon - i).some(
        hasPass,
      );
    expect(kept.observed).toBeGreaterThan(0);
    expect(kept.observed).toBe(observed(gap).filter(isCounted).length);
    expect(observed(gap).filter(({ day }) => day + rest.horizon < DAYS).length).toBeGreaterThan(
      kept.observed,
    );
  });
});

test('kinds: every class has a name, and numbers do not overlap', () => {
  expect(KINDS).toBe(6 * 6 * 2 * 3 * 4 * 5);
  const features = {
    age: undefined,
    poolDrops: 0,
    creatorShare: undefined,
    top10: 0,
    lpBurned: 0,
    freeze: 0,
  } as const;
  const numbers = new Set<number>();
  for (const poolDrops of [0, 1, 1e8, 1e9, 1e10, 1e11])
    for (const age of [undefined, 0, DAY, 7 * DAY, 30 * DAY, 180 * DAY])
      for (const lpBurned of [0, 50])
        for (const freeze of [0, 1, 2] as const)
          for (const top10 of [0, 50, 80, 95])
            for (const creatorShare of [undefined, 0, 1, 10, 50]) {
              const kind = kindOf({ ...features, poolDrops, age, lpBurned, freeze, top10, creatorShare });
              numbers.add(kindNumber(kind));
              for (const name of Object.values(kindNames(kind))) expect(name).toBeString();
            }
  expect(numbers.size).toBe(KINDS);
  expect(Math.max(...numbers)).toBe(KINDS - 1);
});

test('a store of an earlier version, which has no observations, begins with the next ledger', async () => {
  const { dir, remove } = temporaryDir();
  unpackStore(4, dir);
  const store = await openStore({ dir, network: 0 });
  const engine = new Engine({ store, log: quiet });
  engine.restore();
  const { index, closeTime } = engine.head!;
  expect([engine.risk.passes.first, engine.risk.observations.head]).toEqual([0, 0]);
  const few = madeTokens(randomFrom(3), 20, 30);
  for (let day = 0; day < 30; day++) await engine.applyLedger(ledgerOf(few, day, { index, closeTime }), true);
  await engine.drain();
  expect(engine.risk.passes.first).toBe(Math.floor(closeTime / DAY) + 1);
  const rows = observed(engine);
  expect(rows.length).toBeGreaterThan(20);
  expect(ratesOf(engine).horizon).toBeLessThan(HORIZON);

  const again = new Engine({ store, log: quiet });
  again.restore();
  expect(observed(again)).toEqual(rows);
  expect(ratesOf(again)).toEqual(ratesOf(engine));
  await store.close();
  remove();
});

test('a full ring forgets the oldest observations, also after a restart', () => {
  const scalars = new RiskScalars();
  const observations = new Observations(scalars, 64);
  const features = { age: 0, poolDrops: 1, creatorShare: 0.5, top10: 12.34, lpBurned: 0, freeze: 1 } as const;
  for (let i = 0; i < 200; i++) observations.add(1 + (i % 3), i, i + 1, { ...features, age: i });
  const check = () => {
    expect([observations.oldest, observations.head]).toEqual([136, 200]);
    for (const token of [1, 2, 3]) {
      const days: number[] = [];
      for (let row = observations.newest(token); row !== undefined; row = observations.before(row))
        days.push(observations.day[row]!);
      const all = Array.from({ length: 64 }, (_, i) => 199 - i);
      expect(days).toEqual(all.filter((day) => 1 + (day % 3) === token));
    }
    expect(observations.features(observations.rowOf(150))).toEqual({ ...features, age: 150 });
  };
  check();
  runToEnd(observations.rebuilding());
  check();
});
