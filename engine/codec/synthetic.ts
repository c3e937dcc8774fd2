/**
 * Members that a node adds to a transaction and its metadata. They are not on the ledger, so they cannot be read from
 * the bytes (rippled `DeliveredAmount.cpp`, `NFTokenID.cpp`, `NFTokenOfferID.cpp`, `MPTokenIssuanceID.cpp`, `CTID.h`):
 *
 *     delivered_amount             what a payment, cashed check or deleted account delivered
 *     nftoken_id, nftoken_ids      the NFT that was minted or sold; those whose offers were cancelled
 *     offer_id                     the NFT offer that was placed
 *     mpt_issuance_id              the issuance that was created
 *     DeliverMax                   a Payment's Amount: in addition to it in API version 1, instead of it in version 2
 *     ctid                         ledger, position and network in one string (XLS-37)
 *
 * Fields may be JSON of either format: values are passed on unchanged.
 */
import { accountBytes } from './base58.ts';
import { hexOf } from './bytes.ts';
import type { Json, JsonObject } from './json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The parts of metadata that these functions read; they are the same in both JSON formats. */
interface Metadata {
  readonly AffectedNodes?: unknown;
}

/**
 * Since this ledger a payment that delivered less than its Amount records it in `DeliveredAmount`; on networks with lower
 * ledger indices the close time decides (February 2014).
 */
const DELIVERED_FROM_LEDGER = 4_594_095;
const DELIVERED_AFTER_TIME = 446_000_000;

const DELIVERING: ReadonlySet<string> = new Set(['Payment', 'CheckCash', 'AccountDelete']);

/**
 * Whether a ledger's metadata holds every delivered amount that differs from `Amount`.
 * @param closeTime Ripple epoch seconds.
 */
export function recordsDelivered(ledgerIndex: number, closeTime: number): boolean {
  return ledgerIndex >= DELIVERED_FROM_LEDGER || closeTime > DELIVERED_AFTER_TIME;
}

/**
 * The members that a node adds to the metadata of a transaction that succeeded.
 * @param delivers see `recordsDelivered`.
 */
export function syntheticMeta(tx: JsonObject, meta: JsonObject, delivers: boolean): JsonObject {
  if (meta.TransactionResult !== 'tesSUCCESS') return {};
  const type = String(tx.TransactionType);
  if (DELIVERING.has(type)) {
    const delivered = meta.DeliveredAmount ?? (delivers ? (tx.Amount ?? tx.DeliverMax) : undefined);
    return { delivered_amount: delivered ?? 'unavailable' };
  }
  switch (type) {
    case 'NFTokenMint':
      return {
        ...member('nftoken_id', mintedNft(meta)),
        ...(tx.Amount !== undefined && member('offer_id', createdKey(meta, 'NFTokenOffer'))),
      };
    case 'NFTokenAcceptOffer':
      return member('nftoken_id', nftsOfEndedOffers(meta)[0]);
    case 'NFTokenCancelOffer':
      return { nftoken_ids: nftsOfEndedOffers(meta) };
    case 'NFTokenCreateOffer':
      return member('offer_id', createdKey(meta, 'NFTokenOffer'));
    case 'MPTokenIssuanceCreate':
      return member('mpt_issuance_id', createdIssuance(meta));
    default:
      return {};
  }
}

const member = (name: string, value: Json | undefined): JsonObject =>
  value === undefined ? {} : { [name]: value };

/** A transaction's JSON with `DeliverMax`, in the form of the node's API version. */
export function withDeliverMax(tx: JsonObject, apiVersion: 1 | 2): JsonObject {
  if (tx.TransactionType !== 'Payment' || tx.Amount === undefined) return tx;
  const { Amount, ...rest } = tx;
  return apiVersion === 1 ? { ...tx, DeliverMax: Amount } : { ...rest, DeliverMax: Amount };
}

const CTID_LEDGER_MAX = 0x0fffffff;
const CTID_PART_MAX = 0xffff;

/** Undefined when one of the numbers does not fit. */
export function ctidOf(ledgerIndex: number, position: number, networkId: number): string | undefined {
  if (ledgerIndex > CTID_LEDGER_MAX || position > CTID_PART_MAX || networkId > CTID_PART_MAX)
    return undefined;
  const hex = (value: number, digits: number): string =>
    value.toString(16).toUpperCase().padStart(digits, '0');
  return `C${hex(ledgerIndex, 7)}${hex(position, 4)}${hex(networkId, 4)}`;
}

/** The id of an MPT issuance: its sequence and its issuer. @param issuer r-address. */
export function mptIssuanceId(sequence: number, issuer: string): string | undefined {
  const bytes = accountBytes(issuer);
  return bytes && sequence.toString(16).toUpperCase().padStart(8, '0') + hexOf(bytes);
}

/**
 * The NFT that is in a page after a mint and was in none before; undefined when not exactly one is new. A page of which
 * a split changed only the neighbours has no previous list and is skipped.
 */
export function mintedNft(meta: Metadata): string | undefined {
  const before = new Set<string>();
  const after: string[] = [];
  for (const { kind, fields, previous } of nodesOf(meta, 'NFTokenPage')) {
    if (kind === 'DeletedNode' || (kind === 'ModifiedNode' && previous.NFTokens === undefined)) continue;
    for (const id of nftIds(previous.NFTokens)) before.add(id);
    after.push(...nftIds(fields.NFTokens));
  }
  const added = after.filter((id) => !before.has(id));
  return added.length === 1 ? added[0] : undefined;
}

function nftIds(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list.map((entry) => objectIn(entry, 'NFToken').NFTokenID).filter((id) => typeof id === 'string');
}

/** Ids of the NFTs whose offers a transaction deleted, each once, ascending. */
function nftsOfEndedOffers(meta: Metadata): string[] {
  const found = new Set<string>();
  for (const { kind, fields } of nodesOf(meta, 'NFTokenOffer'))
    if (kind === 'DeletedNode' && typeof fields.NFTokenID === 'string') found.add(fields.NFTokenID);
  return [...found].sort();
}

function createdKey(meta: Metadata, type: string): string | undefined {
  for (const { kind, key } of nodesOf(meta, type)) if (kind === 'CreatedNode') return key;
  return undefined;
}

function createdIssuance(meta: Metadata): string | undefined {
  for (const { kind, fields } of nodesOf(meta, 'MPTokenIssuance'))
    if (kind === 'CreatedNode') return mptIssuanceId(Number(fields.Sequence ?? 0), String(fields.Issuer));
  return undefined;
}

interface AffectedNode {
  readonly kind: (typeof NODE_KINDS)[number];
  readonly key: string;
  /** `NewFields` or `FinalFields`. */
  readonly fields: Fields;
  readonly previous: Fields;
}

const NODE_KINDS = ['CreatedNode', 'ModifiedNode', 'DeletedNode'] as const;

/** The affected nodes of one type of entry, in their order. */
function* nodesOf(meta: Metadata, type: string): Generator<AffectedNode, void, undefined> {
  if (!Array.isArray(meta.AffectedNodes)) return;
  for (const wrapped of meta.AffectedNodes) {
    for (const kind of NODE_KINDS) {
      const node = objectIn(wrapped, kind);
      if (node.LedgerEntryType !== type) continue;
      const fields = objectIn(node, kind === 'CreatedNode' ? 'NewFields' : 'FinalFields');
      yield { kind, key: String(node.LedgerIndex), fields, previous: objectIn(node, 'PreviousFields') };
    }
  }
}

const NOTHING: Fields = {};

/** The object in a member; an empty object when there is none. */
function objectIn(value: unknown, name: string): Fields {
  const held = typeof value === 'object' && value !== null ? (value as Fields)[name] : undefined;
  return typeof held === 'object' && held !== null && !Array.isArray(held) ? (held as Fields) : NOTHING;
}
