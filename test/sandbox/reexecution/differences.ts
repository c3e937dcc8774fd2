/** Differences between the effects of a transaction and the recording. */
import type { Outcome } from '../../../sandbox/apply/environment.ts';
import { fromJson, toJson } from '../../../sandbox/protocol/encode.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import { isBeforeDefaultRipple, type Json, type Recorded } from './recorded.ts';

/** A value in one form: members in order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** An account's fields without a flag. */
function withoutFlag({ LedgerEntryType: type }: Json, fields: Json, flag: number): Json {
  if (type !== 'AccountRoot' || typeof fields.Flags !== 'number') return fields;
  return { ...fields, Flags: (fields.Flags & ~flag) >>> 0 };
}

const PARTS = ['FinalFields', 'PreviousFields', 'NewFields'] as const;

/**
 * Nodes by key, each in one form: numbers in one notation, without the fields that the API adds.
 * @param early ledgers before 2015-03-25 show some things in another way, which are not compared: accounts of which nothing
 *   changed but the last transaction (some were left out, some shown with all fields), and the flag for rippling by default
 */
function nodeMap(meta: Json, early: boolean): Map<string, string> {
  const nodes = (meta.AffectedNodes as Json[]).flatMap((wrapped) => {
    const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
    const { LedgerEntryType: type, PreviousFields: previous } = node;
    if (early && kind === 'ModifiedNode' && type === 'AccountRoot' && previous === undefined) return [];
    const again: Json = { ...node };
    for (const part of PARTS)
      if (node[part] !== undefined)
        again[part] = withoutFlag(
          node,
          toJson(fromJson(node[part] as never)) as Json,
          early ? Lsf.lsfDefaultRipple : 0,
        );
    return [[String(node.LedgerIndex), JSON.stringify(sorted({ [kind]: again }))] as const];
  });
  return new Map(nodes);
}

/** Empty when the result and all affected entries are equal, in every field before and after. */
export function differences(recorded: Recorded, outcome: Outcome): string[] {
  const { result, meta } = recorded;
  if (outcome.result !== result) return [`result ${outcome.result}, recorded ${result}`];
  if (outcome.metadata === undefined) return ['no metadata'];
  const early = isBeforeDefaultRipple(recorded);
  const made = nodeMap(toJson(outcome.metadata) as Json, early);
  const wanted = nodeMap(meta, early);
  const found: string[] = [];
  for (const [index, node] of wanted)
    if (made.get(index) !== node)
      found.push(`recorded ${node}\n      made     ${made.get(index) ?? 'not affected'}`);
  for (const [index, node] of made) if (!wanted.has(index)) found.push(`affected too: ${node}`);
  return found;
}
