/**
 * What shows that a ledger is of another chain where the parent link cannot: after missing ledgers, and in an archive, which
 * does not say of which network it is. Each finding is certain; that there is none proves nothing, since networks with ids up to
 * 1024 do not write theirs into transactions.
 */
import { hexOf, readU16, readU32 } from '../codec/bytes.ts';
import { transactionHash } from '../codec/hash.ts';
import { readHeader } from '../codec/header.ts';
import type { PackedLedger } from '../codec/packed.ts';

/** Of a ledger. */
export interface ChainPoint {
  readonly index: number;
  /** Ripple epoch seconds. */
  readonly closeTime: number;
  /** undefined: not known. */
  readonly totalDrops?: bigint | undefined;
}

export function chainPoint({ header }: PackedLedger): ChainPoint {
  const { index, closeTime, totalDrops } = readHeader(header);
  return { index, closeTime, totalDrops };
}

/** Why a ledger cannot come after another one: time goes on, and XRP is only ever destroyed. undefined: it can */
export function cannotFollow(later: PackedLedger, before: ChainPoint): string | undefined {
  const { parentCloseTime, totalDrops } = readHeader(later.header);
  if (parentCloseTime < before.closeTime)
    return `it is of another chain: its parent closed before ledger ${before.index}`;
  if (before.totalDrops !== undefined && totalDrops > before.totalDrops)
    return `it is of another chain: it has more XRP than ledger ${before.index}`;
  return undefined;
}

/** From this id on, transactions name their network; below, they must not (rippled `preflight0`). */
const NAMED_FROM = 1025;
/** Types of transactions that validators make (EnableAmendment, SetFee, UNLModify): they name none. */
const PSEUDO_FROM = 100;
const PSEUDO_LAST = 102;
/** Head bytes: UINT16 in general, TransactionType, and NetworkID, which comes first of all UINT32. */
const UINT16 = 0x10;
const TRANSACTION_TYPE = 0x12;
const NETWORK_ID = 0x21;

/** Why a proved ledger is of another network: a transaction of it could not be there. undefined: nothing shows it */
export function ofOtherNetwork(ledger: PackedLedger, networkId: number): string | undefined {
  for (let i = 0; i < ledger.count; i++) {
    const tx = ledger.tx(i);
    const { type, network } = heading(tx);
    if (type >= PSEUDO_FROM && type <= PSEUDO_LAST) continue;
    if (network === (networkId < NAMED_FROM ? undefined : networkId)) continue;
    const named = network === undefined ? 'names no network' : `is of network ${network}`;
    return `transaction ${hexOf(transactionHash(tx))} ${named}, and this store is of network ${networkId}`;
  }
  return undefined;
}

/** Fields come in the order of their types: UINT16 first, then UINT32. */
function heading(tx: Uint8Array): { readonly type: number; readonly network: number | undefined } {
  let type = 0;
  let at = 0;
  while ((tx[at]! & 0xf0) === UINT16) {
    if (tx[at] === TRANSACTION_TYPE) type = readU16(tx, at + 1);
    // A field number above 15 has a byte of its own.
    at += tx[at] === UINT16 ? 4 : 3;
  }
  return { type, network: tx[at] === NETWORK_ID ? readU32(tx, at + 1) : undefined };
}
