/**
 * Chains of ledgers for tests and benchmarks that need more ledgers, or larger ones, than were recorded: recorded
 * transactions with their recorded metadata, distributed over new ledgers of a chosen size. Every ledger passes the proof
 * (transaction tree, header hash and parent link are computed); only the sequence of transactions is not historical.
 */
import { bytesOf } from '../engine/codec/bytes.ts';
import { ledgerHash } from '../engine/codec/hash.ts';
import { writeHeader } from '../engine/codec/header.ts';
import { type PackedLedger, packLedger, type TransactionBlobs } from '../engine/codec/packed.ts';
import { transactionTreeRoot } from '../engine/ledger/proof.ts';
import { ledgerFiles, readLedger } from './corpus.ts';

/** Every recorded mainnet transaction with binary metadata, in ledger order. */
export function recordedTransactions(): TransactionBlobs[] {
  return ledgerFiles()
    .filter((name) => name.startsWith('mainnet-') && !name.includes('noheader'))
    .map(readLedger)
    .sort((a, b) => a.ledger_index - b.ledger_index)
    .flatMap((ledger) => ledger.transactions ?? [])
    .filter((t) => t.tx_blob && t.meta_blob)
    .map((t) => ({ tx: bytesOf(t.tx_blob!), meta: bytesOf(t.meta_blob!) }));
}

export interface ChainPlan {
  readonly ledgers: number;
  readonly transactionsPerLedger: number;
  /** Index of the first ledger. */
  readonly first?: number;
  /** Seconds between two close times. */
  readonly interval?: number;
  /** Index of the first recorded transaction to use. */
  readonly offset?: number;
  /** The transactions to use; the recorded ones when absent. */
  readonly transactions?: readonly TransactionBlobs[];
}

/** Yields the ledgers of a plan, each linked to the one before. */
export function* relaidChain(plan: ChainPlan): Generator<PackedLedger> {
  const pool = plan.transactions ?? recordedTransactions();
  const first = plan.first ?? 1_000_000;
  let parentHash: Uint8Array = new Uint8Array(32);
  let next = plan.offset ?? 0;
  for (let i = 0; i < plan.ledgers; i++) {
    const transactions: TransactionBlobs[] = [];
    const seen = new Set<number>();
    for (let t = 0; t < plan.transactionsPerLedger; t++, next++) {
      const at = next % pool.length;
      if (seen.has(at)) break; // a ledger contains a transaction only once
      seen.add(at);
      transactions.push(placed(pool[at]!, t));
    }
    const closeTime = 700_000_000 + i * (plan.interval ?? 4);
    const packed = sealLedger({ index: first + i, parentHash, closeTime, transactions });
    parentHash = packed.hash;
    yield packed;
  }
}

/** The same transaction at another position of the apply order: TransactionIndex is the first metadata field. */
function placed({ tx, meta }: TransactionBlobs, index: number): TransactionBlobs {
  const moved = meta.slice();
  new DataView(moved.buffer).setUint32(2, index);
  return { tx, meta: moved };
}

export interface LedgerContent {
  readonly index: number;
  readonly parentHash: Uint8Array;
  /** Ripple epoch seconds. */
  readonly closeTime: number;
  readonly transactions: readonly TransactionBlobs[];
  /** Root of the state tree; zero when absent. */
  readonly accountHash?: Uint8Array;
}

/** A ledger that proves: its transaction tree and its hash are computed. */
export function sealLedger({
  index,
  parentHash,
  closeTime,
  transactions,
  accountHash,
}: LedgerContent): PackedLedger {
  const header = {
    index,
    totalDrops: 99_990_000_000_000_000n,
    parentHash,
    transactionHash: new Uint8Array(32),
    accountHash: accountHash ?? new Uint8Array(32),
    parentCloseTime: closeTime - 4,
    closeTime,
    closeResolution: 10,
    closeFlags: 0,
  };
  const open = packLedger(writeHeader(header), new Uint8Array(32), transactions);
  const bytes = writeHeader({ ...header, transactionHash: transactionTreeRoot(open).root.slice() });
  return packLedger(bytes, ledgerHash(bytes), transactions);
}
