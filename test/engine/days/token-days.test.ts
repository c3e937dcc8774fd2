/** What tokens were at the end of each day: against the state at that time, after a snapshot, and after a restart. */
import { expect, test } from 'bun:test';
import { Entries } from '../../../bench/size/entries.ts';
import { baseLedger, LedgerStream } from '../../../bench/size/ledgers.ts';
import { SizedNetwork } from '../../../bench/size/network.ts';
import { Engine } from '../../../engine/engine.ts';
import { prepare, prepared } from '../../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../../support/memory-store.ts';
import { World } from '../../sandbox/population/world.ts';
import { quietLog } from '../ledger/quiet.ts';

const DAY = 86_400;
const STEP = 4 * 3600;

function shown({ state, market }: Engine, token: number) {
  const { lines } = state;
  return {
    price: market.totals.price(token),
    supply: lines.supplyNumber(token),
    holders: lines.holdersCount(token),
    lines: lines.lineCount(token),
  };
}

const tokensOf = ({ state: { tokens } }: Engine) =>
  Array.from({ length: tokens.count - 1 }, (_, i) => i + 1).filter((token) => tokens.pools[token] === 0);

test('what a token was at the end of a day stays known, after a restart, too', async () => {
  const store = new MemoryStore();
  let engine = new Engine({ store, log: quietLog });
  const world = new World({ seed: 'token days' });
  const ends = new Map<number, Map<number, ReturnType<typeof shown>>>();
  const first = Math.floor(world.network.closed.closeTime / DAY);
  for (let i = 0; i < (3.5 * DAY) / STEP; i++) {
    const packed = world.step(STEP).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
    const end = new Map(tokensOf(engine).map((token) => [token, shown(engine, token)]));
    ends.set(Math.floor(packed.closeTime / DAY), end);
  }
  await engine.drain();
  for (let run = 0; run < 2; run++) {
    let compared = 0;
    for (const [day, end] of ends)
      for (const [token, was] of end) {
        const known = engine.tokenDays.before(token, (day + 1) * DAY);
        if (known === undefined) expect(was.lines).toBe(0);
        else {
          const { start, ...values } = known;
          expect(start).toBeLessThanOrEqual(day * DAY);
          expect(values).toEqual(was);
          compared++;
        }
      }
    expect(compared).toBeGreaterThan(30);
    expect(engine.tokenDays.since).toBe(first * DAY);
    expect(engine.tokenDays.before(tokensOf(engine)[0]!, first * DAY)).toBeUndefined();
    engine = new Engine({ store, log: quietLog });
    engine.restore();
  }
});

test('every token of a snapshot has its row, and the tokens of the next ledger theirs', async () => {
  const entries = new Entries(new SizedNetwork(0.001));
  const engine = new Engine({ store: new MemoryStore(), log: quietLog });
  for (const page of entries.pages(512)) engine.loadEntries(page);
  const base = baseLedger();
  const ref = { index: base.ledgerIndex, hash: base.hash };
  await engine.finishSnapshot(prepared(base, prepare(base.bytes)), ref);
  const held = tokensOf(engine).filter((token) => engine.state.lines.lineCount(token) > 0);
  expect(held.length).toBeGreaterThan(20);
  for (const token of held)
    expect(engine.tokenDays.before(token, base.closeTime + 1)).toMatchObject(shown(engine, token));
  const before = new Map(held.map((token) => [token, shown(engine, token)]));
  const next = new LedgerStream(entries).next(40, base.closeTime + DAY);
  await engine.applyLedger(prepared(next, prepare(next.bytes)), false);
  let changed = 0;
  for (const token of held) {
    expect(engine.tokenDays.before(token, next.closeTime + 1)).toMatchObject(shown(engine, token));
    expect(engine.tokenDays.before(token, base.closeTime + 1)).toMatchObject(before.get(token)!);
    if (engine.tokenDays.before(token, next.closeTime + 1)!.start > base.closeTime) changed++;
  }
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThan(held.length);
});
