/** Packs any blobs, with any TransactionIndex, into the layout of packed.ts, written independently of it. */
import { PackedLedger } from '../../../engine/codec/packed.ts';

export interface Blobs {
  readonly tx: Uint8Array;
  readonly meta: Uint8Array;
}

/** @param trailer unused bytes after the last blob. */
export function packAny(blobs: readonly Blobs[], trailer: Uint8Array = new Uint8Array(0)): PackedLedger {
  const start = 160 + 12 * blobs.length;
  const size = blobs.reduce((sum, b) => sum + b.tx.length + b.meta.length, start + trailer.length);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x31524c4d, true);
  view.setUint32(4, blobs.length, true);
  let at = start;
  for (const [i, { tx, meta }] of blobs.entries()) {
    view.setUint32(160 + 12 * i, at, true);
    view.setUint32(164 + 12 * i, tx.length, true);
    view.setUint32(168 + 12 * i, meta.length, true);
    bytes.set(tx, at);
    bytes.set(meta, at + tx.length);
    at += tx.length + meta.length;
  }
  bytes.set(trailer, at);
  return new PackedLedger(bytes);
}
