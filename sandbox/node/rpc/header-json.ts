/** A ledger's header as JSON (rippled `fillJson` of LedgerToJson.cpp). */
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { ApiVersion } from '../session.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** "2026-Nov-21 05:01:20.000000000 UTC" */
export function humanTime(rippleTime: number): string {
  const iso = isoTime(rippleTime);
  return `${iso.slice(0, 4)}-${MONTHS[Number(iso.slice(5, 7)) - 1]}-${iso.slice(8, 10)} ${iso.slice(11, 19)}.000000000 UTC`;
}

/** "2026-11-21T05:01:20Z" */
export const isoTime = (rippleTime: number): string =>
  `${new Date((rippleTime + RIPPLE_EPOCH) * 1000).toISOString().slice(0, 19)}Z`;

export function headerJson(record: LedgerRecord, apiVersion: ApiVersion): JsonObject {
  const { header, hash } = record;
  return {
    account_hash: hexOf(header.accountHash),
    close_flags: header.closeFlags,
    close_time: header.closeTime,
    close_time_human: humanTime(header.closeTime),
    close_time_iso: isoTime(header.closeTime),
    close_time_resolution: header.closeResolution,
    closed: true,
    ledger_hash: hash,
    ledger_index: apiVersion === 1 ? String(header.index) : header.index,
    parent_close_time: header.parentCloseTime,
    parent_hash: hexOf(header.parentHash),
    total_coins: String(header.totalDrops),
    transaction_hash: hexOf(header.transactionHash),
  };
}
