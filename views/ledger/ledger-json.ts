/** A ledger header as JSON. Close times are in the ledger's own unit: seconds since 2000-01-01. */
import { hexOf } from '../../engine/codec/bytes.ts';
import { readHeader } from '../../engine/codec/header.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { unixMs } from '../../engine/ripple-time.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2013-Jan-01 03:21:10.000000000 UTC`, as nodes write it. @param closeTime Ripple epoch seconds. */
export function humanTime(closeTime: number): string {
  const iso = isoTime(closeTime);
  return `${iso.slice(0, 4)}-${months[Number(iso.slice(5, 7)) - 1]}-${iso.slice(8, 10)} ${iso.slice(11, 19)}.000000000 UTC`;
}

/** `2013-01-01T03:21:10Z`. @param closeTime Ripple epoch seconds. */
export function isoTime(closeTime: number): string {
  return `${new Date(unixMs(closeTime)).toISOString().slice(0, 19)}Z`;
}

export function headerJson(packed: PackedLedger) {
  const header = readHeader(packed.header);
  return {
    ledger_index: header.index,
    ledger_hash: hexOf(packed.hash),
    parent_hash: hexOf(header.parentHash),
    account_hash: hexOf(header.accountHash),
    transaction_hash: hexOf(header.transactionHash),
    close_time: header.closeTime,
    close_time_human: humanTime(header.closeTime),
    close_time_iso: isoTime(header.closeTime),
    close_time_resolution: header.closeResolution,
    close_flags: header.closeFlags,
    parent_close_time: header.parentCloseTime,
    total_coins: header.totalDrops.toString(),
    txn_count: packed.count,
    closed: true,
    validated: true,
  };
}
