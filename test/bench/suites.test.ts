/** Compares the table of budgets with the suites that measure them, without running any. */

import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BUDGETS, type BudgetName, holds } from '../../bench/budgets.ts';
import { linePages } from '../../bench/lines.ts';
import { pageHistory } from '../../bench/page-history.ts';
import { StallMeter } from '../../bench/stall-meter.ts';
import { SUITES } from '../../bench/suites.ts';
import { Changes } from '../../engine/codec/changes.ts';
import { extractEntries } from '../../engine/codec/extract.ts';
import { Reader } from '../../engine/codec/json.ts';
import { State } from '../../engine/state/state.ts';

const folder = resolve(import.meta.dir, '../../bench');
const names = Object.keys(BUDGETS) as BudgetName[];

describe('suites', () => {
  test('measure every budget, each exactly once', () => {
    const answered = Object.values(SUITES).flatMap(({ budgets }) => budgets);
    expect(answered.toSorted()).toEqual(names.toSorted());
  });

  for (const [name, { file, budgets }] of Object.entries(SUITES)) {
    test(`${name} exists and contains the names of its figures`, () => {
      const path = join(folder, file);
      expect(existsSync(path)).toBe(true);
      const text = readFileSync(path, 'utf8');
      for (const budget of budgets) expect(text).toContain(`'${budget}'`);
    });
  }
});

test('a verdict follows the rule of its budget', () => {
  for (const name of names) {
    const { rule, budget } = BUDGETS[name];
    const worse = Math.max(budget * 0.01, 0.01);
    const [good, bad] = rule === 'least' ? [budget, budget - worse] : [budget, budget + worse];
    expect(holds({ name, value: good })).toBe(true);
    expect(holds({ name, value: bad })).toBe(false);
  }
});

describe('the history of the budgets', () => {
  /** A run's line, as run.ts writes it. */
  const line = (at: string, value: number, unit: string | undefined) =>
    JSON.stringify({
      at,
      cores: 2,
      figures: { 'latency.ledger': value },
      units: unit && { 'latency.ledger': unit },
    });

  test('compares a figure only with those in its unit', () => {
    const { unit } = BUDGETS['latency.ledger'];
    const lines = [line('1', 62, 'ms'), line('2', 9, unit), line('3', 8.123456, undefined)];
    const { budgets } = JSON.parse(pageHistory(`${lines.join('\n')}\n`));
    expect(budgets).toHaveLength(1);
    expect(budgets[0]).toMatchObject({ name: 'latency.ledger', ...BUDGETS['latency.ledger'] });
    expect(budgets[0].figures.map(({ value }: { value: number }) => value)).toEqual([9, 8.123]);
    expect(JSON.parse(pageHistory(line('1', 62, 'ms')))).toEqual({ budgets: [] });
  });

  test('records units that say what was measured before the budgets of today', () => {
    const runs = readFileSync(join(folder, 'history.jsonl'), 'utf8').trim().split('\n');
    const first = JSON.parse(runs[0]!);
    expect(Object.keys(first.units)).toEqual(Object.keys(first.figures));
    expect(first.units['latency.ledger']).toBe('ms');
  });
});

describe('generated trust lines', () => {
  const page = linePages(100_000).next().value!;

  test('are valid entries with one limit and a possible balance', () => {
    const view = new DataView(page.buffer);
    const reader = new Reader();
    let entries = 0;
    let empty = 0;
    for (let at = 0; at < page.length; entries++) {
      const length = view.getUint32(at + 32, true);
      const entry = reader.decode(page.subarray(at + 36, at + 36 + length)) as unknown as Line;
      const holderIsLow = Number(entry.LowLimit.value) > 0;
      const balance = Number(entry.Balance.value);
      expect(entry.LedgerEntryType).toBe('RippleState');
      expect(Number(entry.HighLimit.value) > 0).toBe(!holderIsLow);
      expect(entry.Flags).toBe(holderIsLow ? 0x10000 : 0x20000);
      if (balance === 0) empty++;
      else expect(balance > 0).toBe(holderIsLow);
      at += 36 + length;
    }
    expect(entries).toBe(2048);
    expect(empty).toBeGreaterThan(100);
  });

  test('are loaded as lines with holders', () => {
    const state = new State();
    state.applyEntries(page, new Changes(extractEntries(page)));
    expect(state.lines.existing).toBe(2048);
  });
});

interface Line {
  readonly LedgerEntryType: string;
  readonly Flags: number;
  readonly Balance: { readonly value: string };
  readonly LowLimit: { readonly value: string };
  readonly HighLimit: { readonly value: string };
}

test('the stall meter detects a blocked event loop', async () => {
  const meter = new StallMeter();
  await Bun.sleep(10);
  const end = performance.now() + 80;
  while (performance.now() < end);
  await Bun.sleep(10);
  meter.stop();
  expect(meter.longest).toBeGreaterThan(70);
});
