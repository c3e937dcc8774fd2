/** Long reads in slices: what they answer is of one ledger, and nothing else waits for them. */
import { expect, test } from 'bun:test';
import { type CooperativeTask, runToEnd } from '../../engine/event-loop.ts';
import { TickFlag } from '../../engine/market/ticks.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { atOneVersion } from '../../views/at-one-version.ts';
import { pairsOf, type TokenPairs } from '../../views/pairs.ts';
import { Views } from '../../views/views.ts';
import { embedded } from '../embedded.ts';

const LEDGERS = 120;
const TRADES = 100_000;
/** A slice of work is to be a small part of the whole: about 20,000 trades take 3 ms. */
const SLICES_MIN = TRADES / 20_000;

test('the pairs of XRP over a long day of trades are gathered in slices, as a naive count gathers them', async () => {
  const { engine } = await embedded(LEDGERS);
  const { state, market } = engine;
  const { ticks } = market.windows;
  const tokens = state.tokens.count - 1;
  for (let i = 0; i < TRADES; i++) {
    const row = ticks.append();
    ticks.token[row] = 1 + ((i * 7919) % tokens);
    ticks.flags[row] = TickFlag.xrpLeg;
    ticks.drops[row] = 1000 + (i % 977);
    ticks.amount[row] = 1 + (i % 13);
  }
  const drops = new Map<number, number>();
  const counts = new Map<number, number>();
  for (let sequence = ticks.tail; sequence < ticks.head; sequence++) {
    const row = ticks.row(sequence);
    const flags = ticks.flags[row]!;
    if (flags & (TickFlag.deposit | TickFlag.withdraw) || !(flags & TickFlag.xrpLeg)) continue;
    const token = ticks.token[row]!;
    drops.set(token, (drops.get(token) ?? 0) + ticks.drops[row]!);
    counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  const expected = [...drops.keys()].toSorted(
    (a, b) => drops.get(b)! - drops.get(a)! || counts.get(b)! - counts.get(a)! || a - b,
  );
  const task = pairsOf(state, market.windows, XRP, 1000, () => ({}));
  let slices = 1;
  let step = task.next();
  for (; !step.done; step = task.next()) slices++;
  expect(slices).toBeGreaterThanOrEqual(SLICES_MIN);
  const { pairs, truncated } = step.value as TokenPairs;
  expect(truncated).toBe(false);
  const traded = pairs.filter(({ count }) => count > 0);
  expect(traded.map(({ curr2 }) => state.tokens.byMd5(curr2.md5 as string)!)).toEqual(expected);
  expect(traded.map(({ count }) => count)).toEqual(expected.map((token) => counts.get(token)!));
  expect(traded.map(({ volume }) => volume)).toEqual(expected.map((token) => drops.get(token)! / 1e6));
  // Requests of the same ledger share one run.
  const views = new Views(engine);
  expect(views.books.pairs(XRP, 1000)).toBe(views.books.pairs(XRP, 1000));
  const kept = await views.books.pairs(XRP, 1000);
  const figures = (rows: TokenPairs['pairs']) =>
    rows.map(({ curr1, curr2, ...row }) => ({ ...row, other: curr2.md5 }));
  expect(kept.truncated).toBe(truncated);
  expect(figures(kept.pairs)).toEqual(figures(pairs));
});

test('pools are filtered as by the texts of their assets, and summed at one ledger', async () => {
  const { engine } = await embedded(LEDGERS);
  const { state, market } = engine;
  const views = new Views(engine);
  const base = { sort: 'created', active: false, limit: 1000, offset: 0 } as const;
  const all = await views.pools.list(base);
  expect(all.total).toBeGreaterThan(3);
  expect(all.summary.totalLiquidity).toBe(market.totals.locked);
  const accounts = (list: typeof all) => list.pools.map(({ _id }) => _id).toSorted();
  const pools = Array.from({ length: state.pools.count - 1 }, (_, i) => i + 1).filter((id) =>
    state.pools.exists(id),
  );
  const assets = (pool: number) => [state.pools.asset1(pool), state.pools.asset2(pool)];
  const naive = (keep: (asset: number) => boolean) =>
    pools
      .filter((pool) => assets(pool).some(keep))
      .map((pool) => state.accounts.text(state.pools.accounts[pool]!))
      .toSorted();
  for (const asset of new Set(pools.flatMap(assets))) {
    const issuer = state.tokens.issuerText(asset);
    const name = state.tokens.name(asset);
    const isIssuer = (other: number) => state.tokens.issuerText(other) === issuer;
    const isNamed = (other: number) => state.tokens.name(other) === name;
    expect(accounts(await views.pools.list({ ...base, issuer })), issuer).toEqual(naive(isIssuer));
    const currency = name.toLowerCase();
    expect(accounts(await views.pools.list({ ...base, currency })), name).toEqual(naive(isNamed));
    const both = (other: number) => isIssuer(other) && isNamed(other);
    expect(accounts(await views.pools.list({ ...base, issuer, currency }))).toEqual(naive(both));
  }
  expect((await views.pools.list({ ...base, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji' })).total).toBe(0);
});

/** Three slices; answers the version that each of them read. */
function* reading(
  revision: { version: number },
  onSlice: (slice: number) => void,
): CooperativeTask<number[]> {
  const read: number[] = [];
  for (let slice = 0; slice < 3; slice++) {
    if (slice > 0) yield;
    read.push(revision.version);
    onSlice(slice);
  }
  return read;
}

test('a read that a ledger overtakes begins again, and its answer is of one ledger', async () => {
  const revision = { version: 1 };
  let overtaken = 0;
  const answer = await atOneVersion([revision], () =>
    reading(revision, (slice) => {
      if (slice === 1 && overtaken < 2) setImmediate(() => revision.version++, overtaken++);
    }),
  );
  expect(overtaken).toBe(2);
  expect(new Set(answer).size).toBe(1);
});

test('a read that every ledger overtakes runs without a pause in the end', async () => {
  const revision = { version: 1 };
  let started = 0;
  const answer = await atOneVersion([revision], () =>
    reading(revision, (slice) => {
      if (slice > 0) return;
      started++;
      setImmediate(() => revision.version++);
    }),
  );
  expect(started).toBe(4);
  expect(new Set(answer).size).toBe(1);
});

test('a read without slices is answered at once', async () => {
  const revision = { version: 1 };
  expect(await atOneVersion([revision], () => reading(revision, () => undefined))).toEqual([1, 1, 1]);
  expect(runToEnd(reading(revision, () => undefined))).toEqual([1, 1, 1]);
});
