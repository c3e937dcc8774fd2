/**
 * A ledger entry as of its latest change, rebuilt from the metadata of the transactions that changed it.
 *
 * Metadata of a new entry omits fields with their default value (`Flags: 0`): entry-defaults.ts restores them. An entry
 * with content that metadata never contains (`Indexes` of a directory) cannot be read here and is requested from a node.
 */
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { transactionHash } from '../../engine/codec/hash.ts';
import { mptIssuanceId } from '../../engine/codec/synthetic.ts';
import { isJsonObject, type JsonObject } from '../../engine/codec/values.ts';
import type { Engine } from '../../engine/engine.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';
import { createdFields } from './entry-defaults.ts';
import { readable } from './transaction-json.ts';

export type EntryFound = { readonly node: JsonObject } | 'deleted' | 'unreadable' | 'unknown';

/**
 * Types that have PreviousTxnID only since amendment fixPreviousTxnID (mainnet).
 */
const THREADED_LATE: ReadonlySet<string> = new Set(['Amendments', 'FeeSettings', 'NegativeUNL', 'AMM']);
const THREADED_LATE_FROM = rippleSeconds(Date.UTC(2024, 8, 27));

/** Types whose metadata omits their content. */
const UNREADABLE: ReadonlySet<string> = new Set(['DirectoryNode', 'LedgerHashes']);

/** A change that only updates the thread (PreviousTxnID) has no fields: up to this many older changes are searched. */
const THREAD_STEPS_MAX = 32;

/** The entry in the spelling of `Reader.decode`. @param index 32 bytes. */
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

/** The latest transaction that affected an entry. */
interface Threaded {
  readonly hash: string;
  readonly ledger: number;
  readonly closeTime: number;
}

interface Change {
  readonly action: string;
  readonly type: string;
  /** NewFields or FinalFields; undefined if only the thread was updated. */
  readonly fields: JsonObject | undefined;
  /** Hash of the previous transaction that changed the entry. */
  readonly previous: string | undefined;
}

function changeOf(meta: JsonObject, index: string): Change | undefined {
  const nodes = Array.isArray(meta.AffectedNodes) ? meta.AffectedNodes : [];
  for (const node of nodes) {
    if (!isJsonObject(node)) continue;
    const [action, body] = Object.entries(node)[0] ?? [];
    if (!action || !isJsonObject(body) || body.LedgerIndex !== index) continue;
    const fields = action === 'CreatedNode' ? (body.NewFields ?? {}) : body.FinalFields;
    return {
      action,
      type: String(body.LedgerEntryType),
      fields: isJsonObject(fields) ? fields : undefined,
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
