/** Worker thread: verifies signatures of wallets. */
import { type SignedText, verifyTexts } from '../engine/codec/signatures.ts';

export default function signaturesTask(texts: readonly SignedText[]): boolean[] {
  return verifyTexts(texts);
}
