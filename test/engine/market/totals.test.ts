/**
 * Totals and the changes of a day, kept ledger by ledger, equal a new count: random streams and recorded ledgers,
 * with restarts between.
 */
import { describe, expect, test } from 'bun:test';
import { Changes } from '../../../engine/codec/changes.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { Columns } from '../../../engine/market/columns.ts';
import { Totals } from '../../../engine/market/totals.ts';
import { DAY } from '../../../engine/ripple-time.ts';
import { corpusDir } from '../../../support/corpus.ts';
import { casesOf } from '../../cases.ts';
import { World } from '../../sandbox/population/world.ts';
import { recordedLedgers, type Sample } from '../state/recorded.ts';
import { BruteTotals } from './brute-totals.ts';
import { Rig, SMALL } from './rig.ts';
import { randomFrom, stream } from './stream.ts';

type Ledger = Pick<Sample, 'packed' | 'changes' | 'closeTime'>;

/** What the state counted after each ledger. */
interface Counted {
  readonly time: number;
  readonly holders: readonly number[];
  readonly lines: readonly number[];
  readonly active: ReadonlySet<number>;
}

function checkTotals({ state, market }: Rig): void {
  const { totals } = market;
  const brute = new BruteTotals(state, market);
  const ids = Array.from({ length: state.tokens.count }, (_, id) => id);
  expect(ids.filter((id) => totals.isListed(id))).toEqual(brute.listed);
  expect(totals.listed).toBe(brute.listed.length);
  expect(totals.locked).toBe(brute.locked);
  const scale = Math.max(1, Math.abs(brute.marketcap));
  expect(Math.abs(totals.marketcap - brute.marketcap) / scale).toBeLessThan(1e-12);
  const all = brute.unfilteredMarketcap;
  expect(Math.abs(totals.unfilteredMarketcap - all)).toBeLessThanOrEqual(1e-12 * all);
  for (const id of ids.slice(1)) expect([id, totals.lockedOf(id)]).toEqual([id, brute.lockedOf(id)]);
  const { table, lows, highs } = state.lines;
  const trustLines = Array.from({ length: table.count }, (_, row) => row).filter(
    (row) => lows[row] !== 0 && highs[row] !== 0,
  );
  expect(market.globals.global()).toMatchObject({
    total: brute.listed.length,
    gTVL: brute.locked,
    totalTrustLines: trustLines.length,
  });
  const traded = ids.slice(1).filter((id) => market.windows.trades(id, 3) > 0);
  expect(market.windows.tradedTokens).toBe(traded.length);
}

function counted({ state }: Rig, sample: Ledger): Counted {
  const ids = Array.from({ length: state.tokens.count }, (_, id) => id);
  const accounts = Array.from({ length: state.accounts.count }, (_, id) => id);
  const { lastActive } = state.accounts;
  return {
    time: sample.closeTime,
    holders: ids.map((id) => state.lines.holdersCount(id)),
    lines: ids.map((id) => state.lines.lineCount(id)),
    active: new Set(accounts.filter((id) => lastActive[id] === sample.closeTime)),
  };
}

/** The last ledger before the day has the values at its start. */
function checkDay({ state, market }: Rig, history: readonly Counted[], since: number): void {
  const now = history.at(-1)!;
  const before = history.findLast(({ time }) => time <= now.time - DAY);
  const inDay = history.filter(({ time }) => time > now.time - DAY);
  const active = new Set(inDay.flatMap(({ active }) => [...active]));
  expect(market.activity.activeAccounts).toBe(active.size);
  const isKnown = since <= now.time - DAY;
  expect(market.holderChanges.isKnown).toBe(isKnown);
  for (let id = 0; id < state.tokens.count; id++) {
    const change = {
      holders: now.holders[id]! - (before?.holders[id] ?? 0),
      lines: now.lines[id]! - (before?.lines[id] ?? 0),
    };
    expect([id, market.holderChanges.of(id)]).toEqual([id, isKnown ? change : undefined]);
  }
}

async function run(samples: Iterable<Ledger>, seed: number, checkEvery: number): Promise<void> {
  const random = randomFrom(seed ^ 0x2545f491);
  let rig = new Rig();
  const history: Counted[] = [];
  let since = 0;
  let last = 0;
  let i = 0;
  for (const sample of samples) {
    rig.apply(sample.packed, sample.changes);
    if (sample.packed.ledgerIndex !== last + 1) since = sample.closeTime;
    last = sample.packed.ledgerIndex;
    history.push(counted(rig, sample));
    if (++i % checkEvery === 0) {
      checkTotals(rig);
      checkDay(rig, history, since);
    }
    if (random() < 0.3) await rig.commit();
    if (random() < 0.05) {
      await rig.commit();
      const digest = rig.market.digest();
      rig = rig.restarted();
      expect(rig.market.digest()).toBe(digest);
    }
  }
  checkTotals(rig);
  checkDay(rig, history, since);
}

/** Ledgers recorded without a header get a close time 10 s after the one before. */
function* ascending(samples: readonly Sample[]): Generator<Ledger> {
  let last = 0;
  for (const sample of samples) {
    const closeTime = sample.closeTime < last ? last + 10 : sample.closeTime;
    sample.packed.view.setUint32(40 + 112, closeTime);
    last = closeTime;
    yield { ...sample, closeTime };
  }
}

/** Accounts that trust, trade, provide and leave, at steps of a minute to two hours. */
function* embedded(seed: number, ledgers: number): Generator<Ledger> {
  const random = randomFrom(seed);
  const world = new World({ seed: String(seed) });
  for (let i = 0; i < ledgers; i++) {
    const packed = world.step(i < 60 ? 60 : 60 * Math.ceil(120 * random() ** 3)).packed();
    const answer = prepare(packed.bytes, false);
    if ('fault' in answer) throw new Error(answer.fault);
    const changes = new Changes(prepared(packed, answer).changes);
    yield { packed, changes, closeTime: packed.closeTime };
  }
}

describe('kept totals and days equal those counted afresh', () => {
  for (let round = 0; round < casesOf(1, 3); round++) {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
    test(`stream of seed ${seed}`, () => run(stream(seed, 250), seed, 10));
  }

  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  test(`the embedded network of seed ${seed}`, () => run(embedded(seed, casesOf(150, 300)), seed, 10));

  test.skipIf(!corpusDir)('recorded ledgers', () => run(ascending(recordedLedgers('mainnet-')), 1, 10));
});

describe('a full ring of changes', () => {
  test('shows no change of a day until early withdrawals are a day old', async () => {
    const rig = new Rig({ ...SMALL, holderChanges: 64 });
    let left = 0;
    for (const sample of embedded(11, 100)) {
      const { leftEarly } = rig.market.holderChanges;
      rig.apply(sample.packed, sample.changes);
      if (rig.market.holderChanges.leftEarly === leftEarly) continue;
      left++;
      expect(rig.market.holderChanges.isKnown).toBe(false);
    }
    expect(left).toBeGreaterThan(0);
    await rig.commit();
    expect(rig.restarted().market.digest()).toBe(rig.market.digest());
  });
});

test('a pool of an MPT has another value once its issuance shows the scale of its amounts, and its partner is repriced', () => {
  const [mpt, other, pool] = [1, 2, 1];
  const held = [0, 700, 40];
  const assetScale = new Uint8Array(3);
  const changed = { tokens: new Set([mpt, other]), pools: new Set([pool]), repriced: new Set<number>() };
  const state = {
    tokens: {
      count: 3,
      assetScale,
      number: (token: number, _hi: number, lo: number) => lo / 10 ** assetScale[token]!,
    },
    lines: { supplyNumber: () => 0 },
    pools: {
      count: 2,
      exists: () => true,
      of: (token: number) => new Set(token === 0 ? [] : [pool]),
      asset1: () => mpt,
      asset2: () => other,
      reserveRaw: (_pool: number, side: 1 | 2) => [0, held[side]!] as [number, number],
    },
    listing: { isListed: () => true, isOfMarket: () => true },
    changed,
  };
  const parts = {
    prices: { price: (token: number) => [1, 2, 5][token] },
    windows: { basePrice: () => undefined },
    rates: { anchors: () => false, anchorTokens: [] },
    referenceAssets: {},
  };
  const columns = new Columns(1024);
  const totals = new Totals(
    state as unknown as ConstructorParameters<typeof Totals>[0],
    columns,
    parts as unknown as ConstructorParameters<typeof Totals>[2],
  );
  totals.apply(1);
  expect(totals.lockedDrops(pool)).toBe((700 * 2 + 40 * 5) * 1e6);
  assetScale[mpt] = 2;
  changed.tokens = new Set([mpt]);
  changed.pools.clear();
  changed.repriced.clear();
  totals.apply(2);
  expect(totals.lockedDrops(pool)).toBe((7 * 2 + 40 * 5) * 1e6);
  expect(totals.locked).toBe(7 * 2 + 40 * 5);
  expect(changed.repriced.has(other)).toBe(true);
});
