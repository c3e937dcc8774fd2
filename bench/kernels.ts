/**
 * Micro-benchmarks of the basic functions, with tinybench; they have no budgets. Use them when a suite has become slower,
 * to find the part that caused it. `bun bench/kernels.ts`.
 */

import { Bench } from 'tinybench';
import { addDecimal, rawDecimal, rawNumber, rawText } from '../engine/codec/amount.ts';
import { accountBytes, accountText } from '../engine/codec/base58.ts';
import { extractChanges } from '../engine/codec/extract.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { proveLedger } from '../engine/ledger/proof.ts';
import { gini } from '../engine/metrics/gini.ts';
import { hhi } from '../engine/metrics/hhi.ts';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { SortedOrder } from '../views/sorted-order.ts';
import { Views } from '../views/views.ts';

const HOLDERS = 10_000;
const TOKENS = 100_000;
/** Keys that change between two reads of a sorted list. */
const CHANGED = 500;
const TIME_MS = 300;

/** Uses the results, so that the JIT does not remove the work. */
let sink: unknown;

const bench = new Bench({ time: TIME_MS, warmupTime: 100 });

function numbers(): void {
  const balances = Float64Array.from({ length: HOLDERS }, (_, i) => ((i * 7919 + 13) % 1_000_003) + 1);
  balances.sort().reverse();
  bench.add(`gini of ${HOLDERS} balances`, () => {
    sink = gini(balances);
  });
  bench.add(`hhi of ${HOLDERS} balances`, () => {
    sink = hhi(balances);
  });
}

function amounts(): void {
  // 1234567.890123456 as an issued amount: mantissa 1234567890123456, exponent -9.
  const mantissa = 1_234_567_890_123_456n;
  const hi = Number((mantissa >> 32n) | (BigInt(97 - 9) << 22n) | 0xc0000000n) >>> 0;
  const lo = Number(mantissa & 0xffffffffn);
  const decimal = rawDecimal(1, hi, lo);
  bench.add('issued amount to text', () => {
    sink = rawText(1, hi, lo);
  });
  bench.add('issued amount to number', () => {
    sink = rawNumber(1, hi, lo);
  });
  bench.add('exact sum of two amounts', () => {
    sink = addDecimal(decimal, decimal);
  });
  const account = accountBytes('rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh')!;
  bench.add('account id to address', () => {
    sink = accountText(account, 0);
  });
}

function lists(): void {
  const keys = Float64Array.from({ length: TOKENS }, (_, i) => (i * 7919) % TOKENS);
  const order = new SortedOrder((id) => keys[id]!);
  order.ids(TOKENS);
  let run = 0;
  bench.add(`page of ${TOKENS} sorted ids after ${CHANGED} changes`, () => {
    run++;
    for (let i = 0; i < CHANGED; i++) {
      const id = (run * 31 + i * 197) % TOKENS;
      keys[id] = (keys[id]! * 3 + run) % TOKENS;
      order.markDirty(id);
    }
    sink = order.page(TOKENS, false, 0, 100);
  });
}

/** Benchmarks that need recorded transactions. */
async function ledgers(): Promise<void> {
  const log = { debug() {}, info() {}, warn() {}, error: console.error };
  const engine = new Engine({ store: new MemoryStore(), log });
  const views = new Views(engine);
  const chain = [...relaidChain({ ledgers: 40, transactionsPerLedger: 100 })];
  for (const packed of chain) await engine.applyLedger(prepared(packed, prepare(packed.bytes)), false);
  const ledger = chain.at(-1)!;
  const query = { sort: 'vol24htx', ascending: false, offset: 0, limit: 1 } as const;
  const [token = 0] = views.tokens.list(query).ids;
  bench.add('proof of a 100-transaction ledger', () => {
    sink = proveLedger(ledger);
  });
  bench.add('change set of a 100-transaction ledger', () => {
    sink = extractChanges(ledger, undefined, true);
  });
  bench.add('row of the most traded token, built again', () => {
    views.tokens.forgetRows();
    sink = views.tokens.row(token);
  });
}

numbers();
amounts();
lists();
if (corpusDir) await ledgers();
await bench.run();
for (const { name, result } of bench.tasks) {
  if (result.state !== 'completed') throw new Error(`${name}: ${result.state}`);
  const { p50, rme } = result.latency;
  const ns = p50 * 1e6;
  const time = ns < 10_000 ? `${ns.toFixed(0)} ns` : `${(ns / 1000).toFixed(1)} us`;
  console.log(`${name.padEnd(52)} ${time.padStart(12)}   (mean within ${rme.toFixed(1)} %)`);
}
if (sink === Infinity) console.log(sink);
console.log('figures []');
process.exit(0);
