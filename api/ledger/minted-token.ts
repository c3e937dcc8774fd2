/** Which NFToken a transaction minted or moved: nodes add it to the metadata as `nftoken_id`. */
import type { Json, JsonObject } from '../../engine/codec/json.ts';

export function mintedTokenId(type: string, meta: JsonObject): string | undefined {
  if (meta.TransactionResult !== 'tesSUCCESS') return undefined;
  const nodes = Array.isArray(meta.AffectedNodes) ? meta.AffectedNodes : [];
  if (type === 'NFTokenMint') return minted(nodes);
  if (type === 'NFTokenAcceptOffer') return accepted(nodes);
  return undefined;
}

const member = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value[name] : undefined;

/** The id that is in a page after the transaction and was in none before. */
function minted(nodes: readonly Json[]): string | undefined {
  const before = new Set<string>();
  const after: string[] = [];
  for (const node of nodes) {
    const changed = member(node, 'ModifiedNode');
    const body = changed ?? member(node, 'CreatedNode');
    if (member(body, 'LedgerEntryType') !== 'NFTokenPage') continue;
    const old = member(member(body, 'PreviousFields'), 'NFTokens');
    // A page that only got another neighbour, when a page beside it was split.
    if (changed !== undefined && old === undefined) continue;
    for (const id of tokensOf(old)) before.add(id);
    const now = member(member(body, 'FinalFields') ?? member(body, 'NewFields'), 'NFTokens');
    after.push(...tokensOf(now));
  }
  const fresh = after.filter((id) => !before.has(id));
  return fresh.length === 1 ? fresh[0] : undefined;
}

function tokensOf(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry) => String(member(member(entry, 'NFToken'), 'NFTokenID')));
}

/** The token of the offer that was consumed. */
function accepted(nodes: readonly Json[]): string | undefined {
  for (const node of nodes) {
    const body = member(node, 'DeletedNode');
    if (member(body, 'LedgerEntryType') !== 'NFTokenOffer') continue;
    const id = member(member(body, 'FinalFields'), 'NFTokenID');
    if (typeof id === 'string') return id;
  }
  return undefined;
}
