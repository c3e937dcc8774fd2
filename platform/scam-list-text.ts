/**
 * The accounts in the text of a public list of scam accounts.
 *
 * JSON: a list, or an object with one under `addresses`, `accounts`, `data` or `list`; of texts, or of objects with `address` or
 * `account`, and perhaps `category` or `type`. CSV: each line has an address in some column, and perhaps a category in another.
 * Strangers write every byte of it: what is no address is left out.
 *
 * Cost: up to 10 us an address, for its checksum. Hostile text of 16 MB takes some seconds.
 */
import { accountBytes } from '../engine/codec/base58.ts';
import { isShallow } from '../engine/codec/nesting.ts';
import { SCAM_CATEGORIES, type ScamCategory } from '../engine/scams/rule.ts';
import { LISTED_MAX } from './scam-lists.ts';

/** By r-address. */
export type AccountsOfText = ReadonlyMap<string, ScamCategory>;

const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const ADDRESS_LEAST = 25;
const LISTS_UNDER = ['addresses', 'accounts', 'data', 'list'] as const;
const NESTING_MAX = 32;

/** The addresses of a list's text. @throws Error when it has more than LISTED_MAX */
export function accountsIn(text: string): AccountsOfText {
  const found = new Map<string, ScamCategory>();
  const add = (address: unknown, category: unknown): void => {
    if (typeof address !== 'string' || !ADDRESS.test(address) || !accountBytes(address)) return;
    if (found.size >= LISTED_MAX) throw new Error(`more than ${LISTED_MAX} addresses`);
    found.set(address, categoryOf(category));
  };
  const rows = jsonRows(text);
  if (rows === undefined) addLines(text, add);
  else
    for (const row of rows) {
      if (typeof row !== 'object' || row === null) add(row, undefined);
      else {
        const { address, account, category, type } = row as Readonly<Record<string, unknown>>;
        add(address ?? account, category ?? type);
      }
    }
  return found;
}

/** undefined: it is not JSON. */
function jsonRows(text: string): readonly unknown[] | undefined {
  // Deeper text is no list, and takes seconds to fail.
  if (!isShallow(text, NESTING_MAX)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (Array.isArray(parsed)) return parsed;
  const of = (parsed ?? {}) as Readonly<Record<string, unknown>>;
  for (const name of LISTS_UNDER) {
    const rows = Object.hasOwn(of, name) ? of[name] : undefined;
    if (Array.isArray(rows)) return rows;
  }
  return [];
}

function addLines(text: string, add: (address: unknown, category: unknown) => void): void {
  for (const line of text.split('\n')) {
    if (line.length < ADDRESS_LEAST) continue;
    const cells = line
      .slice(0, 1000)
      .split(/[,;\t]/)
      .map((cell) => cell.trim().replace(/^"|"$/g, ''));
    add(
      cells.find((cell) => ADDRESS.test(cell)),
      cells.find((cell) => categoryOf(cell) !== 'other'),
    );
  }
}

function categoryOf(text: unknown): ScamCategory {
  const name = typeof text === 'string' ? text.trim().toLowerCase().replaceAll(/[ -]/g, '_') : '';
  return SCAM_CATEGORIES.find((one) => one === name) ?? 'other';
}
