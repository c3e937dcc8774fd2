/** The prepare worker with the reference codec instead of our reader: the same proof, every blob decoded to JSON. */
import { decode } from 'ripple-binary-codec';
import { hexOf } from '../../engine/codec/bytes.ts';
import { PackedLedger } from '../../engine/codec/packed.ts';
import { prepare } from '../../engine/ledger/prepare.ts';

export default function prepareWithReference(buffer: SharedArrayBuffer): ReturnType<typeof prepare> {
  const bytes = new Uint8Array(buffer);
  const packed = new PackedLedger(bytes);
  for (let i = 0; i < packed.count; i++) {
    for (const blob of [packed.tx(i), packed.meta(i)]) decodeOrSkip(blob);
  }
  // What the writer applies is the same change set in both loops; only the decoding before it differs.
  return prepare(bytes);
}

/** The reference refuses a few real blobs (negative amounts of 2013), after reading a part of them. */
function decodeOrSkip(blob: Uint8Array): void {
  try {
    decode(hexOf(blob));
  } catch {
    // counted as decoded
  }
}
