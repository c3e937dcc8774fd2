/**
 * Answers as tables, for spreadsheets and data tools: `format=csv` (RFC 4180, a line of column names first) or
 * `format=ndjson` (one JSON value a line, https://github.com/ndjson/ndjson-spec). A row of the route table names the member
 * whose rows are the table; only those are sent. Made of the finished JSON answer, so all three say the same.
 *
 * In CSV a column is a member of any of the rows, in the order of their first appearance; objects and arrays are JSON.
 * Text that a spreadsheet would take for a formula gets an apostrophe in front, since names are written by anyone
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
import type { Param } from '../requests/param.ts';

export const TABLE_FORMATS = ['json', 'csv', 'ndjson'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Which member of the answer is the table. */
export interface AnswerTable {
  readonly rows: string;
  /** The member with the names of columns, where rows are arrays. */
  readonly columns?: string;
}

export const TABLE_TYPES: Readonly<Record<Exclude<TableFormat, 'json'>, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
};

/** The parameter of rows that have a table. */
export const tableFormat = {
  in: 'query',
  kind: 'enum',
  values: TABLE_FORMATS,
  default: 'json',
  about: 'csv or ndjson: only the rows, one a line; `fields` chooses columns',
} as const satisfies Param;

/** The format of a value that was read; undefined: JSON. */
export function tableFormatOf(value: unknown): Exclude<TableFormat, 'json'> | undefined {
  return value === 'csv' || value === 'ndjson' ? value : undefined;
}

/**
 * @param body a finished answer, one JSON object
 * @param fields where rows are arrays: names of the columns to keep, or that of the rows for all; default: all. Of rows that are
 * objects the answer has only those that were asked for.
 */
export function asTable(
  body: Uint8Array,
  { rows, columns }: AnswerTable,
  format: Exclude<TableFormat, 'json'>,
  fields?: readonly string[],
): Uint8Array<ArrayBuffer> {
  const answer = JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>;
  let list = Array.isArray(answer[rows]) ? (answer[rows] as unknown[]) : [];
  let names = columns === undefined ? undefined : (answer[columns] as string[] | undefined);
  if (names && fields && !fields.includes(rows)) {
    const kept = [...names.keys()].filter((at) => fields.includes(names![at]!));
    list = kept.length === 0 ? [] : list.map((row) => kept.map((at) => (row as unknown[])[at]));
    names = kept.length === 0 ? undefined : kept.map((at) => names![at]!);
  }
  const text = format === 'csv' ? csv(list, names) : list.map((row) => `${JSON.stringify(row)}\n`).join('');
  return new TextEncoder().encode(text);
}

function csv(rows: readonly unknown[], names: readonly string[] | undefined): string {
  if (rows.every(Array.isArray)) {
    const head = names ? [line(names)] : [];
    return [...head, ...rows.map((row) => line(row as unknown[]))].join('');
  }
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
  return [
    line(columns),
    ...rows.map((row) => line(columns.map((name) => (row as Record<string, unknown>)[name]))),
  ].join('');
}

function line(cells: readonly unknown[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Spreadsheets with a keyboard for East Asian text take the full-width signs, too. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
