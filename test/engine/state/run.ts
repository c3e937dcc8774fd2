/** Runs ledgers through a state beside the model, and through a restart. */

import { expect } from 'bun:test';
import { restoringDomains } from '../../../engine/domain.ts';
import { runToEnd } from '../../../engine/event-loop.ts';
import { STATE_LIMITS, type StateLimits } from '../../../engine/state/limits.ts';
import { State } from '../../../engine/state/state.ts';
import { compareAll } from './compare.ts';
import { Memory } from './memory.ts';
import { Model } from './model.ts';
import type { Sample } from './recorded.ts';

/** Small tables, so that tests that fill them are quick. */
export const SMALL: StateLimits = {
  ...STATE_LIMITS,
  accounts: 65_536,
  currencies: 4096,
  tokens: 16_384,
  lines: 65_536,
  domains: 64,
  offers: 65_536,
  pools: 1024,
  oracles: 1024,
};

/** Applies ledgers to a state and a model, comparing every so often and at the end. */
export function run(samples: readonly Sample[], every: number): State {
  const state = new State(SMALL);
  const model = new Model();
  for (const [i, sample] of samples.entries()) {
    state.applyLedger(sample.packed, sample.changes);
    for (const meta of sample.metas) model.apply(meta);
    for (const sender of sample.senders) {
      if (model.accounts.has(sender) || state.accounts.findText(sender) !== undefined)
        model.lastActive.set(sender, sample.closeTime);
    }
    if (i % every === every - 1 || i === samples.length - 1) compareAll(state, model);
  }
  return state;
}

/** Saves after each ledger; at the middle continues with a restored state: both must agree to the end. */
export function interrupted(samples: readonly Sample[]): void {
  const steady = new State(SMALL);
  const memory = new Memory();
  const middle = samples.length >> 1;
  let other: State | undefined;
  for (const [i, sample] of samples.entries()) {
    if (i === middle) {
      other = new State(SMALL);
      runToEnd(restoringDomains(memory, [other]));
      expect(other.digest()).toBe(steady.digest());
    }
    steady.applyLedger(sample.packed, sample.changes);
    memory.save(steady);
    other?.applyLedger(sample.packed, sample.changes);
  }
  expect(other!.digest()).toBe(steady.digest());
  // The same dense ids, so that history written before and after a restart means the same.
  for (const [i, table] of steady.tables.entries()) {
    const restored = other!.tables[i]!;
    expect(restored.count).toBe(table.count);
    for (let block = 0; block * 64 < table.count; block++) {
      expect(Buffer.compare(restored.blockBytes(block), table.blockBytes(block))).toBe(0);
    }
  }
  const restored = new State(SMALL);
  runToEnd(restoringDomains(memory, [restored]));
  expect(restored.digest()).toBe(steady.digest());
  for (let token = 0; token < steady.tokens.count; token++) {
    expect(restored.lines.supply(token)).toEqual(steady.lines.supply(token));
    expect(restored.lines.holdersCount(token)).toBe(steady.lines.holdersCount(token));
    expect(new Set(restored.lines.holders(token))).toEqual(new Set(steady.lines.holders(token)));
  }
}
