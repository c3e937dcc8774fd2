/** The amendments of a new network, from a list given by the operator. */

import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { AMENDMENTS, type Amendment, amendmentOf } from './amendments.ts';

export interface AmendmentChoice {
  /** The enabled ones, in ascending order: those named, and those that rippled always has today. */
  readonly ids: readonly Hex[];
  /** Names that were given and are not implemented here; they are left out. */
  readonly notBuilt: readonly string[];
}

/** A line that begins a section of rippled's configuration. */
const SECTION = /^\s*\[(.*)\]\s*$/;
/** The section that names amendments. */
const FEATURES = 'features';

/** The words of a list: of a rippled configuration those in its `[features]`, of any other text all of them. */
function wordsOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*/, ''));
  let wanted = !lines.some((line) => SECTION.test(line));
  const words: string[] = [];
  for (const line of lines) {
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) wanted = section === FEATURES;
    else if (wanted) words.push(...line.split(/[\s,]+/).filter((word) => word !== ''));
  }
  return words;
}

/** A word of a file that may be no list at all: its bytes are not for the terminal. */
const printable = (word: string): string => (/^[\w-]+$/.test(word) ? word : JSON.stringify(word));

/**
 * Reads names and ids of amendments, separated by commas, spaces or lines; `#` begins a comment.
 * @throws Error that says what the list must be, and what in it is unknown; also for an empty list
 */
export function chosenAmendments(text: string): AmendmentChoice {
  const rows = wordsOf(text).map((word) => ({ word, row: amendmentOf(word) }));
  // An empty variable or the wrong file is more likely than the wish for none.
  if (rows.length === 0) throw new Error('names or ids of known amendments (there is none)');
  const unknown = rows.filter(({ row }) => row === undefined).map(({ word }) => word);
  if (unknown.length > 0)
    throw new Error(`names or ids of known amendments (unknown: ${unknown.map(printable).join(', ')})`);
  const named = new Set(rows.map(({ row }) => row as Amendment));
  const enabled = AMENDMENTS.filter((row) => row.retired || (row.built && named.has(row)));
  return {
    ids: enabled.map(({ id }) => id).sort(),
    notBuilt: [...named].filter(({ built }) => !built).map(({ name }) => name),
  };
}

/** The default amendments of a new embedded network. */
export const usualAmendments = (): Hex[] =>
  AMENDMENTS.flatMap(({ sandbox, id }) => (sandbox ? [id] : [])).sort();

/** Names of the amendments of one set that are not in another, separated by commas. */
export const namesLacking = (wanted: readonly Hex[], found: readonly Hex[]): string =>
  wanted
    .filter((id) => !found.includes(id))
    .map((id) => amendmentOf(id)?.name ?? id)
    .join(', ');

/** How one set of amendments differs from another: "without A, B and with C"; undefined when they are the same. */
export function differenceOf(found: readonly Hex[], wanted: readonly Hex[]): string | undefined {
  const [missing, more] = [namesLacking(wanted, found), namesLacking(found, wanted)];
  const parts = [missing && `without ${missing}`, more && `with ${more}`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join(' and ');
}
