/**
 * Ledgers for tests: recorded runs, and made-up chains for what needs no real content. The roots and hashes of
 * made-up ledgers come from the xrpl package, never from the code under test.
 */
import { encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { bytesOf } from '../engine/codec/bytes.ts';
import { writeHeader } from '../engine/codec/header.ts';
import { type PackedLedger, packLedger } from '../engine/codec/packed.ts';
import { packRecorded } from '../engine/ledger/corpus-import.ts';
import { ledgerFiles, readLedger } from '../support/corpus.ts';

const ZERO = '0'.repeat(64);
const ACCOUNTS = ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rrrrrrrrrrrrrrrrrrrrBZbvji'];

export interface ChainOptions {
  readonly first?: number;
  readonly count: number;
  /** Transactions in each ledger. */
  readonly transactions?: number;
  /** Makes another chain of the same indices. */
  readonly salt?: number;
  /** Hex of the account hash of every ledger. */
  readonly accountHash?: string;
}

/** A chain of ledgers that proves: headers, parent links, transaction trees. */
export function makeChain(options: ChainOptions): PackedLedger[] {
  const { first = 1000, count, transactions = 2, salt = 0, accountHash = ZERO } = options;
  const chain: PackedLedger[] = [];
  let parent = salt.toString(16).toUpperCase().padStart(64, '0');
  for (let i = 0; i < count; i++) {
    const rows = Array.from({ length: transactions }, (_, at) => makeTransaction(first + i, at, salt));
    const header = {
      ledger_index: first + i,
      total_coins: '99999999999000000',
      parent_hash: parent,
      transaction_hash: rows.length === 0 ? ZERO : hashes.hashTxTree(rows.map((row) => row.json) as never),
      account_hash: accountHash,
      parent_close_time: 700_000_000 + i * 4,
      close_time: 700_000_004 + i * 4,
      close_time_resolution: 10,
      close_flags: 0,
    };
    parent = hashes.hashLedgerHeader(header as never);
    chain.push(
      packLedger(
        writeHeader({
          index: header.ledger_index,
          totalDrops: BigInt(header.total_coins),
          parentHash: bytesOf(header.parent_hash),
          transactionHash: bytesOf(header.transaction_hash),
          accountHash: bytesOf(accountHash),
          parentCloseTime: header.parent_close_time,
          closeTime: header.close_time,
          closeResolution: 10,
          closeFlags: 0,
        }),
        bytesOf(parent),
        rows.map(({ tx, meta }) => ({ tx: bytesOf(tx), meta: bytesOf(meta) })),
      ),
    );
  }
  return chain;
}

function makeTransaction(ledger: number, index: number, salt: number) {
  const tx = {
    TransactionType: 'Payment',
    Account: ACCOUNTS[0],
    Destination: ACCOUNTS[1],
    Amount: String(1 + ledger * 1000 + index),
    Fee: '10',
    Flags: 0,
    Sequence: 1 + salt + ledger * 100 + index,
    SigningPubKey: '0330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD020',
    TxnSignature: '3045',
  };
  const metaData = { AffectedNodes: [], TransactionIndex: index, TransactionResult: 'tesSUCCESS' };
  return { json: { ...tx, metaData }, tx: encode(tx), meta: encode(metaData) };
}

/** Every recorded mainnet ledger that proves, ascending; empty where the recordings are absent. */
export function recordedLedgers(): PackedLedger[] {
  const ledgers: PackedLedger[] = [];
  for (const name of ledgerFiles()) {
    if (!name.startsWith('mainnet-') || name.includes('noheader')) continue;
    const packed = packRecorded(readLedger(name) as never);
    if (!('reason' in packed)) ledgers.push(packed);
  }
  return ledgers.sort((a, b) => a.ledgerIndex - b.ledgerIndex);
}

/** The longest recorded run of consecutive ledgers. */
export function recordedRun(): PackedLedger[] {
  return recordedLedgers().filter(({ ledgerIndex }) => ledgerIndex >= 11119607 && ledgerIndex <= 11119627);
}
