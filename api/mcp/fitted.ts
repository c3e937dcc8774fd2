/**
 * Answers cut until they fit: the longest list first, then inside of single rows and among the members of objects. Text and
 * `structuredContent` then show the same rows.
 */
import { isJsonObject } from '../../engine/codec/values.ts';
import type { JsonObject } from './json-rpc.ts';

/** Largest answer as JSON, characters: about 5,000 tokens where much of it is hashes. */
export const ANSWER_MAX = 9_000;

/** A list or an object of which only the first rows or members are left. */
export interface Cut {
  /** Path with dots; '': the answer itself. */
  readonly name: string;
  readonly shown: number;
  readonly of: number;
}

/** An answer that fits, and what was cut. */
export interface Fitted {
  readonly value: JsonObject;
  readonly cuts: readonly Cut[];
}

type Path = readonly string[];

/** @param answer of a tool; it is not changed */
export function fitted(answer: JsonObject): Fitted {
  let value: unknown = answer;
  const lengths = new Map<string, { readonly path: Path; readonly of: number }>();
  for (let size = JSON.stringify(value).length; size > ANSWER_MAX; size = JSON.stringify(value).length) {
    const found = largestPart(value);
    if (!found) break;
    const { path, part } = found;
    const length = lengthOf(part);
    const name = path.join('.');
    if (!lengths.has(name)) lengths.set(name, { path, of: length });
    // By how much the whole is too large, of this part alone: a few rounds, whatever the rows are like.
    const share = Math.max(0.4, Math.min(0.95, 1 - (size - ANSWER_MAX) / found.size));
    value = replaced(value, path, firstOf(part, Math.floor(length * share)));
  }
  const cuts = [...lengths].flatMap(([name, { path, of }]) => {
    const part = partAt(value, path);
    return part === undefined ? [] : [{ name, shown: lengthOf(part), of }];
  });
  return { value: value as JsonObject, cuts };
}

type Part = readonly unknown[] | JsonObject;

interface Found {
  readonly path: Path;
  readonly part: Part;
  /** Characters as JSON. */
  readonly size: number;
}

const isPart = (value: unknown): value is Part => Array.isArray(value) || isJsonObject(value);
const lengthOf = (part: Part): number => Object.keys(part).length;
const firstOf = (part: Part, count: number): Part =>
  Array.isArray(part) ? part.slice(0, count) : Object.fromEntries(Object.entries(part).slice(0, count));

/** An object of so many members is a table by name, as of all addresses, and is cut like a list where the lists in it are short. */
const TABLE_MEMBERS = 20;

function largestPart(value: unknown): Found | undefined {
  const [list, table] = [largestList(value, []), largestObject(value, [])];
  if (!list || !table) return list ?? table;
  return lengthOf(table.part) >= TABLE_MEMBERS && table.size > 4 * list.size ? table : list;
}

/** The longest list of more than one row, as JSON; those inside rows count with their rows, unless there is one row only. */
function largestList(value: unknown, path: Path): Found | undefined {
  if (!isPart(value)) return undefined;
  if (Array.isArray(value) && value.length > 1)
    return { path, part: value, size: JSON.stringify(value).length };
  return best(value, path, largestList, (one, other) => one.size > other.size);
}

/** The object with most members. */
function largestObject(value: unknown, path: Path): Found | undefined {
  if (!isPart(value)) return undefined;
  const inner = best(value, path, largestObject, (one, other) => lengthOf(one.part) > lengthOf(other.part));
  const length = lengthOf(value);
  if (length < 2 || (inner && lengthOf(inner.part) >= length)) return inner;
  return { path, part: value, size: JSON.stringify(value).length };
}

function best(
  value: Part,
  path: Path,
  find: (value: unknown, path: Path) => Found | undefined,
  isBetter: (one: Found, other: Found) => boolean,
): Found | undefined {
  let found: Found | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const one = find(inner, [...path, name]);
    if (one && (!found || isBetter(one, found))) found = one;
  }
  return found;
}

function replaced(value: unknown, [name, ...rest]: Path, part: Part): unknown {
  if (name === undefined) return part;
  const inner = replaced((value as JsonObject)[name], rest, part);
  if (Array.isArray(value)) return value.with(Number(name), inner);
  return { ...(value as JsonObject), [name]: inner };
}

/** undefined: it was cut off with what it was in. */
function partAt(value: unknown, path: Path): Part | undefined {
  let found: unknown = value;
  for (const name of path) found = isPart(found) ? (found as JsonObject)[name] : undefined;
  return isPart(found) ? found : undefined;
}
