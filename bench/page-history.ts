/**
 * The history of the budgets as the page about the service's state shows it: `web/pages/status/history.json`, written from
 * history.jsonl and budgets.ts after each run. The pages are bundled without reading other folders, so it is a file of theirs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUDGETS, type Budget } from './budgets.ts';

const HISTORY = join(import.meta.dir, 'history.jsonl');
export const PAGE_HISTORY = join(import.meta.dir, '../web/pages/status/history.json');

/** Digits of a figure that mean something. */
const DIGITS = 4;

interface Run {
  readonly at: string;
  readonly cores: number;
  readonly figures: Readonly<Record<string, number>>;
  /** Of the figures, when they were measured; default: as now. */
  readonly units?: Readonly<Record<string, string>>;
}

/** Budgets that have been measured, each with its figures in the order of the runs: those in the unit that it has now. */
export function pageHistory(lines = readFileSync(HISTORY, 'utf8')): string {
  const runs = lines
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Run);
  const budgets = Object.entries(BUDGETS as Readonly<Record<string, Budget>>).flatMap(([name, budget]) => {
    const figures = runs.flatMap(({ at, cores, figures: { [name]: value }, units }) => {
      const isComparable = (units?.[name] ?? budget.unit) === budget.unit;
      return value === undefined || !isComparable
        ? []
        : [{ at, cores, value: Number(value.toPrecision(DIGITS)) }];
    });
    return figures.length > 0 ? [{ name, ...budget, figures }] : [];
  });
  return `${JSON.stringify({ budgets }, undefined, 2)}\n`;
}

export function writePageHistory(): void {
  writeFileSync(PAGE_HISTORY, pageHistory());
}
