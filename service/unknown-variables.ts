/**
 * Variables of the environment that begin as those of the options do, and that nothing reads: misspelt, most likely. They are named
 * and not refused, because others set such variables, too: of a service with this name, the machine's own manager may.
 */
import { type Row, rows } from './option-table.ts';
import { OTHER_VARIABLES, quoted } from './option-values.ts';

const PREFIX = 'MILLRACE_';
/** Edits after which a name may be another one: of `MILLRACE_SOURCES` none is further. */
const EDITS_MAX = 4;
/** Longer ones are compared by their beginnings. */
const COMPARED_MAX = 64;

const KNOWN: readonly string[] = [
  ...Object.values<Row>(rows).map(({ env }) => env),
  ...Object.values(OTHER_VARIABLES),
];

/** One line each, without values, which may be secrets; in the order of their names. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && env[name] !== undefined && !KNOWN.includes(name))
    .sort()
    .map((name) => {
      const near = nearest(name);
      const hint = near === undefined ? '--help lists those that there are' : `there is ${near}`;
      return `the environment variable ${quoted(name)} is not known and has no effect; ${hint}`;
    });
}

/** undefined: none is near. */
function nearest(name: string): string | undefined {
  const given = name.slice(0, COMPARED_MAX).toUpperCase();
  const [best] = KNOWN.map((known) => ({ known, edits: edits(given, known) })).sort(
    (a, b) => a.edits - b.edits,
  );
  return best && best.edits <= EDITS_MAX ? best.known : undefined;
}

/** How many characters must be put in, left out or replaced to make one text of the other (Levenshtein). */
function edits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[other.length]!;
}
