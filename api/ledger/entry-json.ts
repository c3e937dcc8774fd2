/**
 * A ledger entry as of its latest change, rebuilt from the metadata of the transactions that changed it.
 *
 * Metadata of a new entry leaves out fields that hold their default (`Flags: 0`), and never carries a few others.
 * Defaults are put back where the entry's format requires the field; what metadata cannot tell (a directory's
 * `Indexes`) makes the entry unreadable here, and a node has to be asked.
 */
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import type { Json, JsonObject } from '../../engine/codec/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { readable } from './transaction-json.ts';

export type EntryFound = { readonly node: JsonObject } | 'deleted' | 'unreadable' | 'unknown';

/** Required fields that NewFields leaves out when they hold zero (rippled `LedgerFormats.cpp`). */
const requiredZeros: Readonly<Record<string, JsonObject>> = {
  AccountRoot: { OwnerCount: 0, Balance: '0' },
  AMM: { TradingFee: 0, Asset: { currency: 'XRP' }, Asset2: { currency: 'XRP' } },
  Check: { OwnerNode: '0', DestinationNode: '0' },
  DepositPreauth: { OwnerNode: '0' },
  DID: { OwnerNode: '0' },
  Escrow: { OwnerNode: '0' },
  MPToken: { OwnerNode: '0' },
  MPTokenIssuance: { OwnerNode: '0', OutstandingAmount: '0' },
  NFTokenOffer: { OwnerNode: '0', NFTokenOfferNode: '0', Amount: '0' },
  Offer: { BookNode: '0', OwnerNode: '0' },
  PayChannel: { OwnerNode: '0', Balance: '0' },
  SignerList: { OwnerNode: '0', SignerListID: 0 },
  Ticket: { OwnerNode: '0' },
};

/** Kinds that the ledger threads: they name the transaction that changed them last. */
const unthreaded = new Set(['Amendments', 'FeeSettings', 'NegativeUNL', 'LedgerHashes']);

/** An entry that only got threaded carries no fields; this many older changes are looked through. */
const THREAD_STEPS_MAX = 32;

/** @param index 32 bytes. */
export function findEntryJson(engine: Engine, index: Uint8Array): EntryFound {
  const wanted = hexOf(index);
  let at: { ledger: number; tx: number } | undefined = engine.findEntry(index);
  let last: { hash: string; ledger: number } | undefined;
  for (let step = 0; step < THREAD_STEPS_MAX && at; step++) {
    const packed = engine.ledgerBytes(at.ledger);
    if (!packed) return last ? 'unreadable' : 'unknown';
    last ??= { hash: hexOf(transactionHash(packed.tx(at.tx))), ledger: at.ledger };
    const change = changeOf(readable(packed.meta(at.tx), engine.reader), wanted);
    if (!change) return 'unreadable';
    if (change.action === 'DeletedNode') return 'deleted';
    if (change.fields) return rebuilt(change, wanted, last);
    at = change.previous ? engine.findTransaction(bytesOf(change.previous)) : undefined;
  }
  return last ? 'unreadable' : 'unknown';
}

interface Change {
  readonly action: string;
  readonly type: string;
  /** NewFields or FinalFields; undefined for an entry that only got threaded. */
  readonly fields: JsonObject | undefined;
  /** Hash of the transaction that changed the entry before. */
  readonly previous: string | undefined;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function changeOf(meta: JsonObject, index: string): Change | undefined {
  const nodes = Array.isArray(meta.AffectedNodes) ? meta.AffectedNodes : [];
  for (const node of nodes) {
    if (!isObject(node)) continue;
    const [action, body] = Object.entries(node)[0] ?? [];
    if (!action || !isObject(body) || body.LedgerIndex !== index) continue;
    const fields = action === 'CreatedNode' ? (body.NewFields ?? {}) : body.FinalFields;
    return {
      action,
      type: String(body.LedgerEntryType),
      fields: isObject(fields) ? fields : undefined,
      previous: typeof body.PreviousTxnID === 'string' ? body.PreviousTxnID : undefined,
    };
  }
  return undefined;
}

function rebuilt(change: Change, index: string, last: { hash: string; ledger: number }): EntryFound {
  const { type, action } = change;
  if (type === 'DirectoryNode' || type === 'LedgerHashes') return 'unreadable';
  const node: JsonObject = {
    ...(action === 'CreatedNode' && { Flags: 0, ...requiredZeros[type] }),
    ...change.fields,
    LedgerEntryType: type,
  };
  if (!unthreaded.has(type)) {
    node.PreviousTxnID = last.hash;
    node.PreviousTxnLgrSeq = last.ledger;
  }
  node.index = index;
  return { node };
}
