/**
 * Recorded ledgers (`ledgers/*.json.gz`: header fields, transactions with `tx_blob` and `meta_blob`) as packed
 * ledgers. The recorded hex is used as it is and never encoded again: real history contains amounts that encoders
 * reject. Statements of the recording about itself are ignored; only ledgers that pass the proof are imported.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { bytesOf } from '../codec/bytes.ts';
import { writeHeader } from '../codec/header.ts';
import { type PackedLedger, packLedger } from '../codec/packed.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { prove } from './proof.ts';

interface RecordedBlobs {
  readonly tx_blob?: string;
  readonly meta_blob?: string;
}

/** The members of a file that the import reads. */
export interface RecordedLedgerFile {
  readonly network?: string;
  readonly ledger_index?: number;
  readonly header?: Readonly<Record<string, string | number>> | null;
  readonly transactions?: readonly RecordedBlobs[] | null;
}

export interface ImportReport {
  readonly imported: number;
  /** Reason -> file names. */
  readonly refused: ReadonlyMap<string, readonly string[]>;
}

const HEADER_FIELDS = [
  'ledger_hash',
  'parent_hash',
  'transaction_hash',
  'account_hash',
  'total_coins',
  'close_time',
  'parent_close_time',
  'close_time_resolution',
] as const;

/** Packs a recorded ledger and proves it. @returns the packed ledger, or the reason why it is not imported. */
export function packRecorded(recorded: RecordedLedgerFile): PackedLedger | { reason: string } {
  const { header, transactions } = recorded;
  if (recorded.network !== 'mainnet') return { reason: 'not of mainnet' };
  if (!header || HEADER_FIELDS.some((field) => header[field] === undefined))
    return { reason: 'no complete header' };
  if (!transactions) return { reason: 'no transactions recorded' };
  const blobs: { tx: Uint8Array; meta: Uint8Array }[] = [];
  for (const { tx_blob, meta_blob } of transactions) {
    if (!tx_blob || !meta_blob) return { reason: 'a transaction without its blobs' };
    blobs.push({ tx: bytesOf(tx_blob), meta: bytesOf(meta_blob) });
  }
  try {
    const packed = packLedger(headerOf(recorded, header), bytesOf(String(header.ledger_hash)), blobs);
    const fault = prove(packed);
    return fault ? { reason: fault } : packed;
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/** Whether a file is one of recorded ledgers, by its name. */
export const isRecorded = (name: string): boolean => name.endsWith('.json.gz');

/** Imports a folder of recorded ledgers into an archive, in ascending order. */
export function importRecorded(dir: string, archive: ArchiveWriter): ImportReport {
  const refused = new Map<string, string[]>();
  const refuse = (reason: string, name: string) => {
    const names = refused.get(reason);
    if (names) names.push(name);
    else refused.set(reason, [name]);
  };
  const proved: { name: string; packed: PackedLedger }[] = [];
  for (const name of readdirSync(dir).sort()) {
    if (!isRecorded(name)) continue;
    const recorded = readRecorded(join(dir, name));
    const packed = recorded ? packRecorded(recorded) : { reason: 'not readable' };
    if ('reason' in packed) refuse(packed.reason, name);
    else proved.push({ name, packed });
  }
  proved.sort((a, b) => a.packed.ledgerIndex - b.packed.ledgerIndex);
  let imported = 0;
  for (const { name, packed } of proved) {
    if (packed.ledgerIndex <= (archive.last ?? 0)) refuse('not above the last ledger of the archive', name);
    else {
      archive.append(packed);
      imported++;
    }
  }
  archive.sync();
  return { imported, refused };
}

function readRecorded(path: string): RecordedLedgerFile | undefined {
  try {
    return JSON.parse(gunzipSync(readFileSync(path)).toString('utf8'));
  } catch {
    return undefined;
  }
}

function headerOf(
  recorded: RecordedLedgerFile,
  header: Readonly<Record<string, string | number>>,
): Uint8Array {
  return writeHeader({
    index: Number(header.ledger_index ?? recorded.ledger_index),
    totalDrops: BigInt(header.total_coins!),
    parentHash: bytesOf(String(header.parent_hash)),
    transactionHash: bytesOf(String(header.transaction_hash)),
    accountHash: bytesOf(String(header.account_hash)),
    parentCloseTime: Number(header.parent_close_time),
    closeTime: Number(header.close_time),
    closeResolution: Number(header.close_time_resolution),
    // Recordings omit the flags where they are 0; a wrong value would fail the check of the ledger hash.
    closeFlags: Number(header.close_flags ?? 0),
  });
}
