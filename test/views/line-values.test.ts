/** Values of lines that are kept over ledgers, against those that are computed again after each. */
import { beforeAll, expect, test } from 'bun:test';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { AccountLines } from '../../views/accounts/lines.ts';
import { Network } from '../../views/network.ts';
import { casesOf } from '../cases.ts';
import { quietLog as log } from '../engine/ledger/quiet.ts';
import { World } from '../sandbox/population/world.ts';

const seed = Number(process.env.SEED ?? 4_177);
console.log(`seed ${seed} (repeat with SEED=${seed})`);

const BEFORE = 40;
const LEDGERS = casesOf(25, 200);
const STEP = 600;
const ACCOUNTS = 15;
/** More than are selected without putting all in order. */
const MANY = 1000;

const engine = new Engine({ store: new MemoryStore(), log });
const world = new World({ seed: `line values ${seed}` });
const { views } = new Network({ engine });
const kept = new AccountLines(engine, views.tokens, 1);
const again = new AccountLines(engine, views.tokens, Number.POSITIVE_INFINITY);

async function step(): Promise<void> {
  const packed = new PackedLedger(world.step(STEP).packed().bytes);
  await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
}

beforeAll(async () => {
  for (let i = 0; i < BEFORE; i++) await step();
});

/** Those with the most lines. */
function accounts(): number[] {
  const { lines, accounts } = engine.state;
  const count = (id: number) => [...lines.byAccount.of(id)].length;
  const all = Array.from({ length: accounts.count - 1 }, (_, i) => ({ id: i + 1, lines: count(i + 1) }));
  const most = all.toSorted((a, b) => b.lines - a.lines).slice(0, ACCOUNTS);
  return most.map(({ id }) => id);
}

const form = { format: 'default', byValue: true, search: '', lightweight: true } as const;

test('are the same: the sum, the first pages, and pages of all in order', async () => {
  await kept.ready();
  const watched = accounts();
  const sums = new Set<number>();
  for (let i = 0; i < LEDGERS; i++) {
    for (const account of watched) {
      // Some are not read after every ledger.
      if ((account + i) % 3 === 0) continue;
      const query = { ...form, account, includeZero: i % 2 === 0, offset: 0 };
      const all = await again.page({ ...query, limit: MANY });
      expect(await kept.page({ ...query, limit: MANY })).toEqual(all);
      for (const [offset, limit] of [
        [0, 3],
        [2, 4],
        [0, 40],
      ] as const)
        expect(await kept.page({ ...query, offset, limit })).toEqual({
          ...all,
          lines: all.lines.slice(offset, offset + limit),
        });
      sums.add(all.totalValue);
    }
    await step();
  }
  // Prices and lines did move.
  expect(sums.size).toBeGreaterThan(LEDGERS);
});

test('also after the state moved without a ledger', async () => {
  const [account] = accounts();
  const query = { ...form, account: account!, includeZero: true, offset: 0, limit: 10 };
  await kept.page(query);
  engine.version++;
  expect(await kept.page(query)).toEqual(await again.page(query));
  await step();
  expect(await kept.page(query)).toEqual(await again.page(query));
});
