/**
 * Every recorded transaction that tells what it did, applied again: the result code and all affected entries must be
 * equal in every field, before and after, to the last digit.
 *
 *     metadata -> state before (before.ts) -> what was read and not written (supply) -> transactor -> metadata, compared
 *
 * Left out is only what left-out.ts names a reason for. The table says how much of each class that is, and how the
 * rest comes out; the classes of the payment engine also by era.
 */
import { expect, test } from 'bun:test';
import { corpusDir } from '../../../corpus.ts';
import { differencesAgain } from './again.ts';
import { Archive } from './archive.ts';
import { classOf, eraOf } from './classes.ts';
import { leftOut } from './left-out.ts';
import { type Recorded, recordedTransactions } from './recorded.ts';

/** Of a hundred tried, how many at least are equal. All of what is not named here. */
const LEAST: Readonly<Record<string, number>> = {
  OfferCancel: 98,
  'OfferCreate crossing books': 94,
  'OfferCreate crossing books, old engine (before FlowCross, 2020)': 76,
  'OfferCreate crossing nothing': 99,
  'OfferCreate crossing pools': 91,
  'Payment of XRP': 99,
  'Payment over trust lines, old engine (before Flow, 2016)': 93,
  'Payment through books': 94,
  'Payment through books, old engine (before Flow, 2016)': 63,
  'Payment through pools': 94,
  TrustSet: 96,
};
const ALL = 100;

interface Row {
  corpus: number;
  tried: number;
  equal: number;
  readonly reasons: Map<string, number>;
}

const rows = new Map<string, Row>();
const eras = new Map<string, Row>();
const wrong: string[] = [];

function rowOf(table: Map<string, Row>, name: string): Row {
  const row = table.get(name) ?? { corpus: 0, tried: 0, equal: 0, reasons: new Map() };
  table.set(name, row);
  return row;
}

function count(recorded: Recorded, archive: Archive): void {
  const name = classOf(recorded);
  const both = [rowOf(rows, name)];
  if (/^(Payment|Offer)/.test(name)) both.push(rowOf(eras, `${name} | ${eraOf(recorded)}`));
  for (const row of both) row.corpus += 1;
  const reason = leftOut(recorded);
  if (reason !== undefined) {
    for (const { reasons } of both) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    return;
  }
  const found = differencesAgain(recorded, archive);
  for (const row of both) {
    row.tried += 1;
    if (found.length === 0) row.equal += 1;
  }
  if (found.length > 0)
    wrong.push(`${name} | ${eraOf(recorded)} ${recorded.hash}: ${found[0]!.slice(0, 160)}`);
}

const percent = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`;

function print(title: string, table: ReadonlyMap<string, Row>): void {
  const lines = [...table].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, row]) => line(name, row));
  const head =
    '| class | corpus | tried | equal | equal of tried | tried of corpus | left out |\n|---|---|---|---|---|---|---|';
  console.log(`${title}\n${head}\n${lines.join('\n')}`);
}

function line(name: string, { corpus, tried, equal, reasons }: Row): string {
  const why = [...reasons].map(([reason, times]) => `${times} ${reason}`).join('; ');
  const shares = [percent(equal, tried), percent(tried, corpus)];
  return `| ${[name.replace(' | ', ': '), corpus, tried, equal, ...shares, why].join(' | ')} |`;
}

test.skipIf(!corpusDir)('recorded transactions do again what they did', () => {
  const all = recordedTransactions();
  const archive = new Archive(all);
  for (const recorded of all) count(recorded, archive);
  print('Recorded transactions applied again', rows);
  print('Payments and offers by era', eras);
  console.log(`Not equal:\n${wrong.sort().join('\n')}`);
  const missed = [...rows].filter(([name, { tried, equal }]) => 100 * equal < tried * (LEAST[name] ?? ALL));
  expect(missed.map(([name, row]) => line(name, row))).toEqual([]);
});
