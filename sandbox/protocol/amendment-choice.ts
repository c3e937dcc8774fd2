/** Which amendments a network is begun with, in the words of whoever begins it. */
import { AMENDMENTS, type Amendment, amendmentOf } from './amendments.ts';
import type { Hex } from './asset.ts';

export interface AmendmentChoice {
  /** What is in force, in ascending order: what was named, and what rippled of today always has. */
  readonly ids: readonly Hex[];
  /** Names that were given and are not built here; they are left out. */
  readonly notBuilt: readonly string[];
}

/** A line that begins a section of rippled's configuration. */
const SECTION = /^\s*\[(.*)\]\s*$/;
/** The section that names amendments. */
const FEATURES = 'features';

/** The words of a list: of a configuration of rippled those of its `[features]`, of anything else all of them. */
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

/**
 * Reads names and ids of amendments, separated by commas, spaces or lines; `#` begins a remark.
 * @throws Error that says what the list must be, and which of it is not known; so for one without any
 */
export function chosenAmendments(text: string): AmendmentChoice {
  const rows = wordsOf(text).map((word) => ({ word, row: amendmentOf(word) }));
  // An empty variable or the wrong file is likelier than the wish for none.
  if (rows.length === 0) throw new Error('names or ids of known amendments (there is none)');
  const unknown = rows.filter(({ row }) => row === undefined).map(({ word }) => word);
  if (unknown.length > 0)
    throw new Error(`names or ids of known amendments (unknown: ${unknown.join(', ')})`);
  const named = new Set(rows.map(({ row }) => row as Amendment));
  const enabled = AMENDMENTS.filter((row) => row.retired || (row.built && named.has(row)));
  return {
    ids: enabled.map(({ id }) => id).sort(),
    notBuilt: [...named].filter(({ built }) => !built).map(({ name }) => name),
  };
}

/** What an embedded network is begun with when nothing is chosen. */
export const usualAmendments = (): Hex[] =>
  AMENDMENTS.flatMap(({ sandbox, id }) => (sandbox ? [id] : [])).sort();

/** Names of the amendments of one set that another has not, separated by commas. */
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
