/**
 * Every recorded transaction with metadata, applied again: the result code and all affected entries must be equal in
 * every field, before and after, to the last digit.
 *
 *     metadata -> state before (before.ts) -> what was read and not written (supply) -> transactor -> metadata, compared
 *
 * Left out are only those with a reason in left-out.ts. The table shows their number for each class, the results of the
 * others, and for how many something that the recording leaves open was assumed; payments and offers also by era.
 */
import { expect, test } from 'bun:test';
import { corpusDir } from '../../../support/corpus.ts';
import { applyAgain } from './again.ts';
import { Archive } from './archive.ts';
import { classOf, eraOf } from './classes.ts';
import { leftOut } from './left-out.ts';
import { foreignKey } from './markets.ts';
import { type Recorded, recordedTransactions } from './recorded.ts';

/** Minimum percentage of equal results. 100 for classes that are not listed. */
const LEAST: Readonly<Record<string, number>> = {
  OfferCancel: 99,
  'OfferCreate crossing books': 96,
  'OfferCreate crossing books, old engine (before FlowCross, 2020)': 90,
  'OfferCreate crossing nothing': 99,
  'OfferCreate crossing pools': 94,
  'Payment over trust lines, old engine (before Flow, 2016)': 97,
  'Payment through books, old engine (before Flow, 2016)': 83,
  'Payment through pools': 96,
};
const ALL = 100;
/** Three thousand transactions take about fifteen seconds of a core, and many times that beside other work. */
const TIMEOUT_MS = 900_000;

interface Row {
  corpus: number;
  tried: number;
  equal: number;
  /** Number of left out transactions by reason. */
  readonly reasons: Map<string, number>;
  /** Number of equal ones by the assumption that made them equal. */
  readonly assumed: Map<string, number>;
}

const rows = new Map<string, Row>();
const eras = new Map<string, Row>();
const wrong: string[] = [];

function rowOf(table: Map<string, Row>, name: string): Row {
  const row = table.get(name) ?? { corpus: 0, tried: 0, equal: 0, reasons: new Map(), assumed: new Map() };
  table.set(name, row);
  return row;
}

const add = (counts: Map<string, number>, name: string): unknown =>
  counts.set(name, (counts.get(name) ?? 0) + 1);

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([name, times]) => `${times} ${name}`).join('; ');

function count(recorded: Recorded, archive: Archive): void {
  const name = classOf(recorded);
  const both = [rowOf(rows, name)];
  if (/^(Payment|Offer)/.test(name)) both.push(rowOf(eras, `${name} | ${eraOf(recorded)}`));
  for (const row of both) row.corpus += 1;
  const reason = leftOut(recorded);
  if (reason !== undefined) {
    for (const { reasons } of both) add(reasons, reason);
    return;
  }
  const { differences: found, assumed } = applyAgain(recorded, archive);
  for (const row of both) {
    row.tried += 1;
    if (found.length === 0) row.equal += 1;
    if (assumed !== undefined) add(row.assumed, assumed);
  }
  if (found.length > 0)
    wrong.push(`${name} | ${eraOf(recorded)} ${recorded.hash}: ${found[0]!.slice(0, 160)}`);
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

function print(title: string, table: ReadonlyMap<string, Row>): void {
  const lines = [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, row]) => line(name, row));
  const names = [
    'class',
    'corpus',
    'tried',
    'equal',
    'equal of tried',
    'tried of corpus',
    'left out',
    'assumed',
  ];
  const head = `| ${names.join(' | ')} |\n|${'---|'.repeat(names.length)}`;
  console.log(`${title}\n${head}\n${lines.join('\n')}`);
}

function line(name: string, { corpus, tried, equal, reasons, assumed }: Row): string {
  const shares = [percent(equal, tried), percent(tried, corpus)];
  return `| ${[name.replace(' | ', ': '), corpus, tried, equal, ...shares, listed(reasons), listed(assumed)].join(' | ')} |`;
}

test.skipIf(!corpusDir)(
  'recorded transactions, applied again, give the recorded results',
  () => {
    const all = recordedTransactions();
    const archive = new Archive(all);
    for (const recorded of all) count(recorded, archive);
    print('Recorded transactions applied again', rows);
    print('Payments and offers by era', eras);
    console.log(`Not equal:\n${wrong.sort().join('\n')}`);
    const missed = [...rows].filter(([name, { tried, equal }]) => 100 * equal < tried * (LEAST[name] ?? ALL));
    expect(missed.map(([name, row]) => line(name, row))).toEqual([]);
  },
  TIMEOUT_MS,
);

test("another account's offer gets a different key, for any first digit of the offer's key", () => {
  const keys = Array.from('0123456789ABCDEF', (digit) => digit.padEnd(64, '7'));
  for (const key of keys) expect(foreignKey(key)).not.toBe(key);
  expect(new Set(keys.map(foreignKey)).size).toBe(keys.length);
});
