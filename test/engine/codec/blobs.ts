/** Every recorded blob: transactions, metadata and ledger entries as bytes. Recordings in JSON are encoded by the reference. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encode } from 'ripple-binary-codec';
import { corpusDir, ledgerFiles, readLedger, readLines } from '../../../support/corpus.ts';

export interface NamedBlob {
  readonly from: string;
  readonly hex: string;
}

/** A recorded transaction with its metadata, both as upper-case hex. */
export interface Recorded {
  readonly from: string;
  readonly tx: string;
  readonly meta: string;
}

/** Fields of recorded metadata that an API added and that are not on the ledger. */
const SYNTHETIC = [
  'delivered_amount',
  'nftoken_id',
  'nftoken_ids',
  'offer_id',
  'mpt_issuance_id',
  '_comment',
];

/** Hex of a recorded object without its synthetic fields; undefined when the reference refuses it. */
export function encodedObject(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = { ...(value as Record<string, unknown>) };
  for (const name of SYNTHETIC) delete fields[name];
  try {
    return encode(fields);
  } catch {
    return undefined; // not in the ledger's own form, or refused (negative XRP)
  }
}

const hexText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.toUpperCase() : undefined;

/** Transactions recorded with metadata in `tx.jsonl.gz` and in the ledgers, each once. */
export function recordedTransactions(): Recorded[] {
  const out: Recorded[] = [];
  const seen = new Set<string>();
  const add = (from: string, row: Record<string, unknown>): void => {
    const tx = hexText(row.tx_blob) ?? encodedObject(row.tx);
    const meta = hexText(row.meta_blob) ?? encodedObject(row.meta);
    if (!tx || !meta || seen.has(tx + meta)) return;
    seen.add(tx + meta);
    out.push({ from, tx, meta });
  };
  for (const row of readLines('tx.jsonl.gz')) add(`tx.jsonl ${row.hash}`, row);
  for (const name of ledgerFiles())
    for (const t of readLedger(name).transactions ?? [])
      add(`${name} ${t.hash}`, t as unknown as Record<string, unknown>);
  return out;
}

/** Ledger entries of recorded states and of the codec's own vectors, as hex. */
export function recordedEntries(): NamedBlob[] {
  const out: NamedBlob[] = [];
  for (const name of ledgerFiles())
    for (const entry of readLedger(name).accountState ?? []) {
      const { index, hash: _hash, ...fields } = entry;
      const hex = hexText(entry.data) ?? encodedObject(fields);
      if (hex) out.push({ from: `${name} ${String(index)}`, hex });
    }
  for (const c of vectorCases('codec_sle_binary.json'))
    out.push({ from: `sle ${String(c.type)}`, hex: String(c.hex) });
  return out;
}

export function vectorCases(name: string): Record<string, unknown>[] {
  return JSON.parse(readFileSync(join(corpusDir!, 'vectors', name), 'utf8')).cases;
}

/** All objects of the ledger, each blob once. */
export function allBlobs(): NamedBlob[] {
  const seen = new Map<string, string>();
  const add = (from: string, hex: string | undefined): void => {
    if (hex && !seen.has(hex)) seen.set(hex, from);
  };
  for (const r of recordedTransactions()) {
    add(`${r.from} tx`, r.tx);
    add(`${r.from} meta`, r.meta);
  }
  for (const name of ['tx_only.jsonl.gz', 'tx_xahau.jsonl.gz', 'meta_only.jsonl.gz'])
    for (const [i, row] of readLines(name).entries())
      for (const kind of ['tx', 'meta'])
        add(`${name} line ${i + 1} ${kind}`, hexText(row[`${kind}_blob`]) ?? encodedObject(row[kind]));
  for (const e of recordedEntries()) add(e.from, e.hex);
  for (const name of ['codec_tx_and_state.json', 'codec_data_driven.json'])
    for (const [i, c] of vectorCases(name).entries())
      for (const hex of [c.binary, c.blob_with_no_signing, c.expected_hex])
        if (typeof hex === 'string' && hex.length > 40) add(`${name} case ${i}`, hex.toUpperCase());
  return [...seen].map(([hex, from]) => ({ from, hex }));
}
