/**
 * Readers of the messages of rippled and Clio. Every field is checked for presence, type and size before it is used;
 * anything that does not follow the protocol becomes a SourceError. Accepted shapes: API version 1 (`meta`) and
 * 2 (`meta_blob`), the header as a blob (`ledger_data`) or as JSON fields, rippled and Clio.
 */
import { bytesOf, hexOf, sameBytes } from '../codec/bytes.ts';
import { ledgerHash } from '../codec/hash.ts';
import { writeHeader } from '../codec/header.ts';
import { burdenOf } from '../codec/nesting.ts';
import { PACKED_HEADER_BYTES, PackedLedger, packLedger } from '../codec/packed.ts';
import { isJsonObject } from '../codec/values.ts';
import type { Limits } from './limits.ts';
import {
  type LedgerRange,
  type LedgerRef,
  type PageLimits,
  SourceError,
  type SourceErrorCode,
} from './source.ts';

export type Json = Record<string, unknown>;

const malformed = (what: string) => new SourceError('malformed', what);

/** The answer to a `ledger` command in the form of a socket that packs ledgers. No text of a node becomes one. */
export class PackedAnswer {
  readonly id: number;
  readonly packed: PackedLedger;

  constructor(id: number, packed: PackedLedger) {
    this.id = id;
    this.packed = packed;
  }
}

/**
 * The ledger in a message, packed. undefined: it has none with transactions, or is not the answer to a request with one
 * of these ids, or something is wrong with it, which the reader of the text will find.
 */
export function packedAnswer(
  text: string,
  limits: Limits,
  ids: ReadonlySet<number>,
): PackedAnswer | undefined {
  if (ids.size === 0 || !text.includes('"tx_blob"')) return undefined;
  try {
    const message = parseMessage(text, limits);
    const { id, type } = message;
    if (typeof id !== 'number' || !ids.has(id) || type === 'ledgerClosed') return undefined;
    return new PackedAnswer(id, packedOf(resultOf(message), undefined, limits));
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

/** A message as an object: of its text, or as packed by the socket. @throws SourceError malformed */
export function parseMessage(
  data: unknown,
  limits: Pick<Limits, 'messageBytes' | 'nesting' | 'values'>,
): Json {
  if (data instanceof PackedAnswer)
    return { id: data.id, status: 'success', result: { ledger: data.packed } };
  if (typeof data !== 'string') throw malformed('a binary frame');
  if (data.length > limits.messageBytes) throw malformed(`a message of ${data.length} characters`);
  const { depth, values } = burdenOf(data, { depth: limits.nesting, values: limits.values });
  if (depth > limits.nesting) throw malformed('a message too deeply nested');
  if (values > limits.values) throw malformed(`a message of more than ${limits.values} values`);
  let message: unknown;
  try {
    message = JSON.parse(data);
  } catch {
    throw malformed('a message that is not JSON');
  }
  if (!isJsonObject(message)) throw malformed('a message that is no object');
  return message;
}

/** Errors of a node that mean "not available here"; all others mean "not now". */
const MISSING = new Set([
  // "Containing SHAMap node not found": the node has the ledger, but its tree is no longer complete.
  'internal',
  'lgrNotFound',
  'lgrIdxInvalid',
  'lgrIdxsInvalid',
  'entryNotFound',
  'objectNotFound',
]);

/** The result of a response. @throws SourceError with the node's own error. */
export function resultOf(response: Json): Json {
  if (response.status === 'success' && isJsonObject(response.result)) return response.result;
  const error = response.error ?? (isJsonObject(response.result) ? response.result.error : undefined);
  if (typeof error !== 'string') throw malformed('a response without result and error');
  const code: SourceErrorCode = MISSING.has(error) ? 'missing' : 'unreachable';
  throw new SourceError(code, `node error ${error.slice(0, 64)}`);
}

/** A ledger index as number or text. */
function indexOf(value: unknown): number | undefined {
  const index = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  return typeof index === 'number' && Number.isInteger(index) && index > 0 && index <= 0xffffffff
    ? index
    : undefined;
}

/** Bytes of a hex field of bounded length. @throws SourceError malformed */
function hexField(value: unknown, what: string, least: number, most: number): Uint8Array {
  if (typeof value !== 'string') throw malformed(`${what} is not hex text`);
  if (value.length < least * 2 || value.length > most * 2)
    throw malformed(`${what} of ${value.length} digits`);
  try {
    return bytesOf(value);
  } catch {
    throw malformed(`${what} is not hex`);
  }
}

/** A newly closed ledger: a `ledgerClosed` message, or the result of `subscribe`. @throws SourceError malformed */
export function closedOf(message: Json): Required<LedgerRef> {
  const index = indexOf(message.ledger_index);
  if (index === undefined) throw malformed('a closed ledger without index');
  return { index, hash: hexField(message.ledger_hash, 'ledger hash', 32, 32) };
}

/** Reads `complete_ledgers` / `validated_ledgers`: "32570-6595042,6595050-6595060" or "empty". */
export function rangesOf(text: unknown, limits: Limits): LedgerRange[] | undefined {
  if (typeof text !== 'string' || text.length > limits.ranges * 24) return undefined;
  const ranges: LedgerRange[] = [];
  for (const part of text.split(',')) {
    const match = /^\s*(\d{1,10})(?:-(\d{1,10}))?\s*$/.exec(part);
    const first = indexOf(match?.[1]);
    const last = match?.[2] === undefined ? first : indexOf(match[2]);
    if (first !== undefined && last !== undefined && first <= last) ranges.push({ first, last });
  }
  return ranges;
}

/**
 * The packed ledger of a `ledger` result. The header is proved against the hash in the message; the preparer
 * proves the transactions.
 * @throws SourceError malformed, missing (not validated yet), or false (another ledger, a wrong hash).
 */
export function ledgerOf(result: Json, index: number, limits: Limits): PackedLedger {
  const { ledger } = result;
  if (!(ledger instanceof PackedLedger)) return packedOf(result, index, limits);
  if (ledger.ledgerIndex !== index)
    throw new SourceError('false', `ledger ${ledger.ledgerIndex} in answer to ${index}`);
  return ledger;
}

/** @param requested index; undefined: any */
function packedOf(result: Json, requested: number | undefined, limits: Limits): PackedLedger {
  const { ledger } = result;
  if (!isJsonObject(ledger)) throw malformed('a ledger result without ledger');
  if (result.validated === false)
    throw new SourceError('missing', `ledger ${requested} is not validated yet`);
  const header = headerOf(ledger);
  const index = new DataView(header.buffer, header.byteOffset).getUint32(0);
  if (requested !== undefined && index !== requested)
    throw new SourceError('false', `ledger ${index} in answer to ${requested}`);
  const computed = ledgerHash(header);
  for (const claim of [result.ledger_hash, ledger.ledger_hash, ledger.hash]) {
    if (claim === undefined) continue;
    if (!sameBytes(hexField(claim, 'ledger hash', 32, 32), 0, computed, 0, 32))
      throw new SourceError('false', `the header of ledger ${index} does not hash to ${String(claim)}`);
  }
  const rows = ledger.transactions ?? [];
  if (!Array.isArray(rows) || rows.length > limits.transactions)
    throw malformed('transactions are no list of bounded length');
  const blobs = rows.map((row: unknown) => {
    if (!isJsonObject(row)) throw malformed('a transaction that is no object');
    return {
      tx: hexField(row.tx_blob, 'transaction blob', 1, limits.messageBytes),
      meta: hexField(row.meta_blob ?? row.meta, 'metadata blob', 1, limits.messageBytes),
    };
  });
  try {
    return packLedger(header, computed, blobs);
  } catch (error) {
    throw malformed((error as Error).message);
  }
}

/** The 118 bytes of a header, from its blob (with or without the ledger hash after it) or its JSON fields. */
function headerOf(ledger: Json): Uint8Array {
  if (ledger.ledger_data !== undefined)
    return hexField(
      ledger.ledger_data,
      'ledger header',
      PACKED_HEADER_BYTES,
      PACKED_HEADER_BYTES + 32,
    ).subarray(0, PACKED_HEADER_BYTES);
  const number = (field: string, most: number): number => {
    const value = ledger[field] ?? (field === 'close_flags' ? 0 : undefined);
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most)
      throw malformed(`ledger field ${field}`);
    return value;
  };
  const index = indexOf(ledger.ledger_index);
  const coins = ledger.total_coins;
  if (index === undefined) throw malformed('ledger field ledger_index');
  if (typeof coins !== 'string' || !/^\d{1,18}$/.test(coins)) throw malformed('ledger field total_coins');
  return writeHeader({
    index,
    totalDrops: BigInt(coins),
    parentHash: hexField(ledger.parent_hash, 'parent hash', 32, 32),
    transactionHash: hexField(ledger.transaction_hash, 'transaction hash', 32, 32),
    accountHash: hexField(ledger.account_hash, 'account hash', 32, 32),
    parentCloseTime: number('parent_close_time', 0xffffffff),
    closeTime: number('close_time', 0xffffffff),
    closeResolution: number('close_time_resolution', 255),
    closeFlags: number('close_flags', 255),
  });
}

/** A page of `ledger_data` in binary. */
export interface StatePage {
  /** [32-byte index][u32 little-endian length][entry], repeated. */
  readonly page: Uint8Array;
  /** Number of entries. */
  readonly entries: number;
  readonly marker: string | undefined;
}

/** Index and length, before each entry of a packed page. */
export const ENTRY_HEAD_BYTES = 36;
const INDEX_DIGITS = 64;

/** @throws SourceError malformed, or false when it belongs to another ledger. */
export function statePageOf(result: Json, hash: Uint8Array, limits: PageLimits): StatePage {
  if (!sameBytes(hexField(result.ledger_hash, 'ledger hash', 32, 32), 0, hash, 0, 32))
    throw new SourceError('false', `state of another ledger than ${hexOf(hash)}`);
  const { state, marker } = result;
  if (!Array.isArray(state) || state.length > limits.pageEntries)
    throw malformed('state is no list of bounded length');
  if (marker !== undefined) hexField(marker, 'marker', 32, 32);
  const size = state.reduce((sum: number, entry: unknown) => sum + packedBytes(entry, limits), 0);
  const page = new Uint8Array(size);
  const view = new DataView(page.buffer);
  let at = 0;
  for (const { index, data } of state as { index: string; data: string }[]) {
    const length = data.length >>> 1;
    writeHex(index, page, at, 'entry index');
    view.setUint32(at + 32, length, true);
    writeHex(data, page, at + ENTRY_HEAD_BYTES, 'entry data');
    at += ENTRY_HEAD_BYTES + length;
  }
  return { page, entries: state.length, marker: marker as string | undefined };
}

/** Bytes of an entry in a packed page. @throws SourceError malformed */
function packedBytes(entry: unknown, { entryBytes }: PageLimits): number {
  if (!isJsonObject(entry)) throw malformed('a ledger entry that is no object');
  const { index, data } = entry;
  if (typeof index !== 'string' || index.length !== INDEX_DIGITS)
    throw malformed('entry index is not hex text of 64 digits');
  if (typeof data !== 'string') throw malformed('entry data is not hex text');
  if (data.length < 2 || data.length > entryBytes * 2 || data.length % 2 !== 0)
    throw malformed(`entry data of ${data.length} digits`);
  return ENTRY_HEAD_BYTES + data.length / 2;
}

function writeHex(hex: string, page: Uint8Array, at: number, what: string): void {
  try {
    page.subarray(at, at + (hex.length >>> 1)).setFromHex(hex);
  } catch {
    throw malformed(`${what} is not hex`);
  }
}
