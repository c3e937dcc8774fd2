/**
 * The `fields` parameter that every JSON answer takes: a comma list of the members wanted. A name at the top of the
 * answer keeps that member. Where a name is not there, members of the rows and objects below are meant, too: so
 * `/tokens?fields=count,md5,name` is a count and rows of two members. The envelope always stays.
 */
import type { JsonObject } from '../engine/codec/json.ts';

const NAMES_MAX = 100;
const NAME_MAX = 64;
/** Answers above this are sent whole: reading them again would hold up others. */
const BYTES_MAX = 2 * 1024 * 1024;

const envelope: ReadonlySet<string> = new Set(['success', 'status', 'result', 'attribution', 'took']);

/** The names wanted; undefined: all. */
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

/** Members of an object, or of each object of a list; undefined where none has one of them. */
function pickedFrom(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const rows = value.map((row) => pickedFrom(row, names));
    return rows.some((row) => row !== undefined) ? rows.map((row) => row ?? {}) : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const kept = Object.entries(value).filter(([name]) => names.has(name));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}
