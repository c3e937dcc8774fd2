/**
 * The `fields` parameter of every JSON answer: a comma list of members to keep. A name at the top level of the answer
 * keeps that member. If a name is not at the top level, it selects members of the rows and objects below: so
 * `/tokens?fields=count,md5,name` gives the count and rows of two members. The envelope always stays.
 */
import type { JsonObject } from '../engine/codec/json.ts';

const NAMES_MAX = 100;
const NAME_MAX = 64;
/** Answers above this size are sent whole: parsing them would block other requests. */
const BYTES_MAX = 2 * 1024 * 1024;

const envelope: ReadonlySet<string> = new Set([
  'success',
  'status',
  'result',
  'attribution',
  'ledger_index',
  'took',
]);

/** The names to keep; undefined: all. */
export function fieldsOf(query: URLSearchParams): readonly string[] | undefined {
  if (!query.has('fields')) return undefined;
  const names = query
    .getAll('fields')
    .flatMap((text) => text.slice(0, NAMES_MAX * NAME_MAX).split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name.length <= NAME_MAX);
  return names.length === 0 ? undefined : [...new Set(names)].slice(0, NAMES_MAX);
}

/** @param body a finished answer, one JSON object. */
export function onlyFields(body: Uint8Array<ArrayBuffer>, names: readonly string[]): Uint8Array<ArrayBuffer> {
  if (body.length > BYTES_MAX) return body;
  const answer = JSON.parse(new TextDecoder().decode(body)) as JsonObject;
  const inside = new Set(names.every((name) => Object.hasOwn(answer, name)) ? [] : names);
  const kept: [string, unknown][] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (envelope.has(name) || names.includes(name)) kept.push([name, value]);
    else if (inside.size > 0) {
      const picked = pickedFrom(value, inside);
      if (picked !== undefined) kept.push([name, picked]);
    }
  }
  return new TextEncoder().encode(JSON.stringify(Object.fromEntries(kept)));
}

/** The named members of an object, or of each object of a list; undefined if there are none. */
function pickedFrom(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const rows = value.map((row) => pickedFrom(row, names));
    return rows.some((row) => row !== undefined) ? rows.map((row) => row ?? {}) : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const kept = Object.entries(value).filter(([name]) => names.has(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
