/** The newest applied ledger, in the form that readers see. */
import { hexOf } from './codec/bytes.ts';
import { readHeader } from './codec/header.ts';
import type { PackedLedger } from './codec/packed.ts';
import { unixMs } from './ripple-time.ts';

export interface Head {
  readonly index: number;
  /** Upper-case hex. */
  readonly hash: string;
  readonly parentHash: string;
  /** Ripple epoch seconds. */
  readonly closeTime: number;
  /** Unix ms. */
  readonly closeTimeMs: number;
  readonly closeResolution: number;
  readonly txCount: number;
  /** All XRP that exists, in drops. */
  readonly totalDrops: bigint;
}

export function headOf(packed: PackedLedger): Head {
  const header = readHeader(packed.header);
  return {
    index: header.index,
    hash: hexOf(packed.hash),
    parentHash: hexOf(header.parentHash),
    closeTime: header.closeTime,
    closeTimeMs: unixMs(header.closeTime),
    closeResolution: header.closeResolution,
    txCount: packed.count,
    totalDrops: header.totalDrops,
  };
}
