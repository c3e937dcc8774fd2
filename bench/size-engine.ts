/**
 * How the engine's costs grow from half a million lines to the main network's size: applying a ledger, restoring,
 * memory. `bun bench/size-engine.ts [--share=0.1]`.
 *
 * Each measurement is a process of its own with the same number of ledgers of 100 transactions; the two sizes alternate,
 * and the best of each counts. Apply is the time of the main thread for one ledger, median.
 */
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { quantile } from './latency.ts';
import { madeStore, SHARE, SMALL_SHARE, withCopy } from './size/rig.ts';
import type { SizedStore } from './size/store.ts';

const ROUNDS = 3;
const LEDGERS = 80;
/** Ledgers at the start, in which code is compiled and caches are filled. */
const WARM = 20;
const TRANSACTIONS = 100;
const MEASURING_MS = 300_000;

interface Measured {
  readonly restore: number;
  readonly bytes: number;
  readonly apply: number;
}

async function measure({ store, archive }: SizedStore): Promise<Measured> {
  return withCopy(store, async (dir) => {
    const script = join(import.meta.dir, 'peers', 'sized-engine.ts');
    const child = new Child([process.execPath, script, dir, archive]);
    try {
      const { apply, ...rest } = JSON.parse(await child.receive('measured', MEASURING_MS));
      return { ...rest, apply: quantile(apply.slice(WARM), 0.5) };
    } finally {
      await child.end();
    }
  });
}

async function run(): Promise<Figure[]> {
  const plan = { ledgers: WARM + LEDGERS, transactions: TRANSACTIONS };
  const [full, small] = [await madeStore(SHARE, plan), await madeStore(SMALL_SHARE, plan)];
  const sides: [Measured[], Measured[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    sides[0].push(await measure(full));
    sides[1].push(await measure(small));
  }
  const best = (side: 0 | 1, name: keyof Measured): number =>
    Math.min(...sides[side].map((one) => one[name]));
  const growth = (name: keyof Measured): number => best(0, name) / best(1, name);
  const linear = SHARE / SMALL_SHARE;
  const figure = (
    name: Figure['name'],
    of: keyof Measured,
    unit: string,
    scale: number,
    per: number,
  ): Figure => {
    const text = (side: 0 | 1): string => `${(best(side, of) / scale).toFixed(2)} ${unit}`;
    return { name, value: growth(of) / per, ours: text(0), other: text(1) };
  };
  return [
    figure('size.apply', 'apply', 'ms', 1, 1),
    figure('size.restore', 'restore', 'ms', 1, linear),
    figure('size.memory', 'bytes', 'MB', 1e6, linear),
  ];
}

if (import.meta.main) console.log(`figures ${JSON.stringify(await run())}`);
