/** How what a transaction did differs from what was recorded. */
import type { Outcome } from '../../../../engine/sandbox/apply/environment.ts';
import { fromJson, toJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type { Json, Recorded } from './recorded.ts';

/** A value in one form: members in order of their names. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Nodes by key, each in one form: numbers written alike, without what the API adds. */
function nodeMap(meta: Json): Map<string, string> {
  const nodes = (meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
    const again: Json = { ...node };
    for (const part of ['FinalFields', 'PreviousFields', 'NewFields'])
      if (node[part] !== undefined) again[part] = toJson(fromJson(node[part] as never));
    return [String(node.LedgerIndex), JSON.stringify(sorted({ [kind]: again }))] as const;
  });
  return new Map(nodes);
}

/** Empty when the result and all touched entries are equal, in every field before and after. */
export function differences(recorded: Recorded, outcome: Outcome): string[] {
  const { result, meta } = recorded;
  if (outcome.result !== result) return [`result ${outcome.result}, recorded ${result}`];
  if (outcome.metadata === undefined) return ['no metadata'];
  const made = nodeMap(toJson(outcome.metadata) as Json);
  const wanted = nodeMap(meta);
  const found: string[] = [];
  for (const [index, node] of wanted)
    if (made.get(index) !== node)
      found.push(`recorded ${node}\n      made     ${made.get(index) ?? 'not touched'}`);
  for (const [index, node] of made) if (!wanted.has(index)) found.push(`touched too: ${node}`);
  return found;
}
