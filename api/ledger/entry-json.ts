/**
 * A ledger entry as of its latest change, rebuilt from the metadata of the transactions that changed it.
 *
 * Metadata of a new entry leaves out fields that hold their default (`Flags: 0`): entry-defaults.ts puts them back.
 * What metadata never shows (a directory's `Indexes`) makes the entry unreadable here, and a node has to be asked.
 */
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import type { Json, JsonObject } from '../../engine/codec/json.ts';
import { mptIssuanceId } from '../../engine/codec/synthetic.ts';
import type { Engine } from '../../engine/engine.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';
import { createdFields } from './entry-defaults.ts';
import { readable } from './transaction-json.ts';

export type EntryFound = { readonly node: JsonObject } | 'deleted' | 'unreadable' | 'unknown';

/**
 * Kinds that name the transaction that changed them last only since amendment fixPreviousTxnID (mainnet), and the one
 * that never does.
 */
const THREADED_LATE: ReadonlySet<string> = new Set(['Amendments', 'FeeSettings', 'NegativeUNL', 'AMM']);
const THREADED_LATE_FROM = rippleSeconds(Date.UTC(2024, 8, 27));

/** Kinds whose metadata leaves out what they are about. */
const UNREADABLE: ReadonlySet<string> = new Set(['DirectoryNode', 'LedgerHashes']);

/** An entry that only got threaded carries no fields; this many older changes are looked through. */
const THREAD_STEPS_MAX = 32;

/** The entry is spelled as `Reader.decode` spells it. @param index 32 bytes. */
export function findEntryJson(engine: Engine, index: Uint8Array): EntryFound {
  const wanted = hexOf(index);
  let at: { ledger: number; tx: number } | undefined = engine.findEntry(index);
  let last: Threaded | undefined;
  for (let step = 0; step < THREAD_STEPS_MAX && at; step++) {
    const packed = engine.ledgerBytes(at.ledger);
    if (!packed) return last ? 'unreadable' : 'unknown';
    const { closeTime } = packed;
    last ??= { hash: hexOf(transactionHash(packed.tx(at.tx))), ledger: at.ledger, closeTime };
    const change = changeOf(readable(packed.meta(at.tx), engine.reader), wanted);
    if (!change) return 'unreadable';
    const { type, action, fields } = change;
    if (action === 'DeletedNode') return 'deleted';
    if (UNREADABLE.has(type)) return 'unreadable';
    if (fields) {
      const { definitions } = engine.reader;
      const whole =
        action === 'CreatedNode'
          ? createdFields(type, fields, readable(packed.tx(at.tx), engine.reader), closeTime, definitions)
          : fields;
      return { node: rebuilt(type, whole, wanted, last) };
    }
    at = change.previous ? engine.findTransaction(bytesOf(change.previous)) : undefined;
  }
  return last ? 'unreadable' : 'unknown';
}

/** The latest transaction that named an entry. */
interface Threaded {
  readonly hash: string;
  readonly ledger: number;
  readonly closeTime: number;
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

function rebuilt(type: string, fields: JsonObject, index: string, last: Threaded): JsonObject {
  const node: JsonObject = { ...fields, LedgerEntryType: type };
  if (!THREADED_LATE.has(type) || last.closeTime >= THREADED_LATE_FROM) {
    node.PreviousTxnID = last.hash;
    node.PreviousTxnLgrSeq = last.ledger;
  }
  node.index = index;
  const { Sequence, Issuer } = node;
  const id =
    type === 'MPTokenIssuance' && typeof Sequence === 'number' && typeof Issuer === 'string'
      ? mptIssuanceId(Sequence, Issuer)
      : undefined;
  if (id !== undefined) node.mpt_issuance_id = id;
  return node;
}
