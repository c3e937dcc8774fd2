/** Recorded ledgers in packed form, beside their metadata as the reference codec reads it. */
import { decode } from 'ripple-binary-codec';
import { Changes } from '../../../engine/codec/changes.ts';
import { extractChanges } from '../../../engine/codec/extract.ts';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { ledgerFiles, readLedger, readLines } from '../../../support/corpus.ts';
import { encodedObject } from '../codec/blobs.ts';
import { packAny } from '../codec/packing.ts';
import type { Fields, Metadata } from './model.ts';

export interface Sample {
  readonly name: string;
  readonly index: number;
  readonly closeTime: number;
  readonly packed: PackedLedger;
  readonly changes: Changes;
  readonly metas: readonly Metadata[];
  /** Sender of each transaction. */
  readonly senders: readonly string[];
}

interface Pair {
  readonly tx: string;
  readonly meta: string;
}

/** A packed ledger of these transactions, with the header fields that state reads. */
export function sampleOf(name: string, index: number, closeTime: number, pairs: readonly Pair[]): Sample {
  const blobs = pairs.map(({ tx, meta }) => ({ tx: Uint8Array.fromHex(tx), meta: Uint8Array.fromHex(meta) }));
  const packed = packAny(blobs);
  packed.view.setUint32(40, index);
  packed.view.setBigUint64(44, 99_990_000_000_000_000n - BigInt(index));
  packed.view.setUint32(40 + 112, closeTime);
  const changes = new Changes(extractChanges(packed, new Uint8Array(32 * pairs.length)));
  const metas = pairs.map(({ meta }) => decode(meta) as unknown as Metadata);
  const senders = pairs.map(({ tx }) => String(decode(tx).Account));
  return { name, index, closeTime, packed, changes, metas, senders };
}

function pairOf(row: {
  tx_blob?: unknown;
  meta_blob?: unknown;
  tx?: unknown;
  meta?: unknown;
}): Pair | undefined {
  const tx = typeof row.tx_blob === 'string' ? row.tx_blob : encodedObject(row.tx);
  const meta = typeof row.meta_blob === 'string' ? row.meta_blob : encodedObject(row.meta);
  return tx && meta ? { tx, meta } : undefined;
}

/** Whole recorded ledgers whose file name begins so, ascending. */
export function recordedLedgers(prefix: string): Sample[] {
  const samples: Sample[] = [];
  for (const name of ledgerFiles()) {
    if (!name.startsWith(prefix)) continue;
    const ledger = readLedger(name);
    const pairs = (ledger.transactions ?? []).map(pairOf).filter((pair) => pair !== undefined);
    const index = Number(ledger.ledger_index);
    // Ledgers recorded without a header get a close time 3 s after the one before.
    const closeTime = Number(ledger.header?.close_time ?? 500_000_000 + (index % 1_000_000) * 3);
    samples.push(sampleOf(name, index, closeTime, pairs));
  }
  return samples.sort((a, b) => a.index - b.index);
}

/** The recorded account state of a ledger: as a snapshot page, and as JSON. */
export function recordedState(name: string): { page: Uint8Array; entries: Fields[] } {
  const parts: Uint8Array[] = [];
  const entries: Fields[] = [];
  for (const entry of readLedger(name).accountState ?? []) {
    const { index, hash: _hash, ...fields } = entry;
    const hex = encodedObject(fields);
    if (!hex) continue;
    const blob = Uint8Array.fromHex(hex);
    const head = new Uint8Array(36);
    head.set(Uint8Array.fromHex(String(index)));
    new DataView(head.buffer).setUint32(32, blob.length, true);
    parts.push(head, blob);
    entries.push(decode(hex));
  }
  return { page: new Uint8Array(Buffer.concat(parts)), entries };
}

/** Metadata recorded without its transaction (mainnet 2013 to 2024), each as a ledger of its own. */
export function recordedMetadata(): Sample[] {
  const tx = encodedObject({
    TransactionType: 'AccountSet',
    Account: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    Sequence: 1,
    Fee: '10',
    SigningPubKey: '',
  })!;
  const samples: Sample[] = [];
  for (const row of readLines('meta_only.jsonl.gz')) {
    const meta = encodedObject(row.meta);
    if (meta) samples.push(sampleOf('metadata', samples.length + 1, 500_000_000, [{ tx, meta }]));
  }
  return samples;
}

/** Types of which the corpus holds hundreds: every fourth will do. */
const COMMON = new Set(['OfferCreate', 'Payment', 'OfferCancel']);

/** Transactions of `tx.jsonl.gz`, each as a ledger of its own, numbered in ledger order. */
export function recordedTransactions(): Sample[] {
  const rows = readLines('tx.jsonl.gz').filter((row, i) => i % 4 === 0 || !COMMON.has(String(row.type)));
  rows.sort((a, b) => Number(a.ledger_index ?? 0) - Number(b.ledger_index ?? 0));
  const samples: Sample[] = [];
  for (const [i, row] of rows.entries()) {
    const pair = pairOf(row);
    if (pair) samples.push(sampleOf(String(row.hash), i + 1, Number(row.close_time ?? 500_000_000), [pair]));
  }
  return samples;
}
