/**
 * Answers of tools as models read them: short, tables with one row a line, units, and a line for each list that is cut.
 *
 *     {"total":847,"tokens":[{...},...]}  ->  total: 847
 *                                             tokens (showing 20 of 847)
 *                                             name | exch (XRP) | ...
 *                                             «USD» | 0.48 | ...
 *                                             more: search_tokens {"query":"USD","offset":20}
 */
import { cutText } from '../../engine/codec/cut-text.ts';
import { isJsonObject } from '../../engine/codec/values.ts';
import { Cells, isAsset } from './cells.ts';
import { STRANGERS_LINE } from './clean-text.ts';
import type { Cut, Fitted } from './fitted.ts';
import type { JsonObject } from './json-rpc.ts';

/** Largest text, characters. */
const TEXT_MAX = 10_000;
/** Longest value on a line of its own. */
const LINE_MAX = 400;

/** Members that count the rows of an answer's one list, unless its tool says which do. */
const TOTALS = ['total', 'count', 'length'];

/** A list of which only a part is shown. */
export interface Part {
  readonly name: string;
  readonly shown: number;
  /** Rows of the whole list. */
  readonly of: number;
  /** It was cut because the answer was too long. */
  readonly isTooLong: boolean;
}

export interface Shown extends Fitted {
  /** Which member counts the rows of which list, by name; members inside others with dots. */
  readonly counts?: Readonly<Record<string, string>> | undefined;
  /** Units of further members, by name. */
  readonly units?: Readonly<Record<string, string>> | undefined;
  /** Rows that were asked to be skipped. */
  readonly skipped: number;
  /** The call that gives what follows, or what to do instead. */
  more(part: Part): string;
}

/** The text of an answer. */
export function answerText({ value, cuts, counts, units, skipped, more }: Shown): string {
  const headed = new Set<string>();
  const heading = (name: string, shown: number): Heading => {
    headed.add(name);
    const cut = cuts.find((one) => one.name === name)?.of;
    const total = totalOf(value, name, counts);
    const before = total === undefined ? 0 : skipped;
    const of = Math.max(total ?? 0, before + (cut ?? shown));
    if (of <= shown) return [`${name} (${shown})`, undefined];
    const title = `${name} (showing ${shown} of ${of}${before > 0 ? `, from ${before + 1}` : ''})`;
    const isEnd = before + shown >= of;
    return [title, isEnd ? undefined : more({ name, shown, of, isTooLong: cut !== undefined })];
  };
  const lines = new Lines(new Cells(units), heading);
  lines.writeObject(value, []);
  const inner = cuts.filter(({ name }) => !headed.has(name)).map(cutLine);
  const text = [...lines.all, ...inner].join('\n') || 'nothing';
  const marked = text.includes('«') ? `${STRANGERS_LINE}\n${text}` : text;
  return marked.length <= TEXT_MAX ? marked : `${cutText(marked, TEXT_MAX)}… cut: ask for less`;
}

/** Of what is shown inside a row, or of members of an object. */
const cutLine = ({ name, shown, of }: Cut): string =>
  `${name === '' ? 'the answer' : name}: only ${shown} of ${of} are shown: ask for less`;

/** How many rows a list has that is shown in part; undefined: the answer does not say. */
function totalOf(value: JsonObject, list: string, counts: Shown['counts']): number | undefined {
  const number = (path: string): number | undefined => {
    const found = path
      .split('.')
      .reduce((inner: unknown, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
    return Number.isSafeInteger(found) ? (found as number) : undefined;
  };
  if (counts) return Object.hasOwn(counts, list) ? number(counts[list]!) : undefined;
  const lists = Object.values(value).filter((one) => Array.isArray(one)).length;
  if (lists !== 1 || list.includes('.')) return undefined;
  return TOTALS.map(number).find((one) => one !== undefined) ?? number('pagination.total');
}

/** Title of a list, and the line that says how it goes on. */
type Heading = readonly [string, string | undefined];

class Lines {
  readonly all: string[] = [];
  readonly #cells: Cells;
  readonly #heading: (name: string, length: number) => Heading;

  constructor(cells: Cells, heading: (name: string, length: number) => Heading) {
    this.#cells = cells;
    this.#heading = heading;
  }

  writeObject(value: JsonObject, path: readonly string[]): void {
    for (const [name, inner] of Object.entries(value)) {
      if (inner === null || inner === undefined) continue;
      const place = [...path, name];
      if (Array.isArray(inner)) this.#writeList(inner, place);
      else if (!isJsonObject(inner) || isAsset(inner) || path.length >= 2)
        this.all.push(
          `${place.join('.')}${this.#cells.unitOf(name)}: ${this.#cells.text(inner, place, LINE_MAX)}`,
        );
      else if (Object.keys(inner).length === 0) this.all.push(`${place.join('.')}: none`);
      else this.writeObject(inner, place);
    }
  }

  #writeList(list: readonly unknown[], path: readonly string[]): void {
    const place = path.join('.');
    const [title, more] = this.#heading(place, list.length);
    const rows = list.filter(isJsonObject);
    if (list.length === 0) this.all.push(`${place}: none`);
    else if (rows.length === list.length) this.#writeTable(rows, title, path);
    else {
      const cells = list.map((one) =>
        Array.isArray(one)
          ? one.map((x) => this.#cells.text(x, [...path, ''])).join(' | ')
          : this.#cells.text(one, path),
      );
      this.all.push(
        Array.isArray(list[0]) ? `${title}\n${cells.join('\n')}` : `${title}: ${cells.join(', ')}`,
      );
    }
    if (more !== undefined) this.all.push(more);
  }

  #writeTable(rows: readonly JsonObject[], title: string, path: readonly string[]): void {
    const columns = [
      ...new Set(rows.flatMap((row) => Object.keys(row).filter((name) => isShown(row[name])))),
    ];
    this.all.push(title, columns.map((name) => name + this.#cells.unitOf(name)).join(' | '));
    for (const row of rows)
      this.all.push(columns.map((name) => this.#cells.text(row[name], [...path, name])).join(' | '));
  }
}

const isShown = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
