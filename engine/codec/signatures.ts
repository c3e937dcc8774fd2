/**
 * Verification of signatures.
 *
 * ed25519 is verified by the runtime's own cryptography (about 0.04 ms, of which reading the key is 0.001 ms: caching
 * keys would not help), secp256k1 by ripple-keypairs (about 0.4 ms): strict DER and low S, as rippled requires since
 * RequireFullyCanonicalSig.
 */
import { createPublicKey, type KeyObject, verify as verifyEd25519 } from 'node:crypto';
import { verify as verifySecp256k1 } from 'ripple-keypairs';
import type { Hex } from './arithmetic/asset.ts';
import { bytesOf, hexOf } from './bytes.ts';
import { keyTypeOf } from './public-keys.ts';

/** The bytes before the 32 bytes of a public ed25519 key in the format that the runtime reads (RFC 8410). */
const PUBLIC_DER = bytesOf('302A300506032B6570032100');

const importEd25519 = (publicKey: Hex): KeyObject =>
  createPublicKey({
    key: Buffer.concat([PUBLIC_DER, bytesOf(publicKey.slice(2))]),
    format: 'der',
    type: 'spki',
  });

const HEX = /^(?:[0-9A-Fa-f]{2})+$/;
const ED25519_SIGNATURE_LENGTH = 128;

/** Whether `signature` over `message` was made with the key of `publicKey` (all but the message in hex). Never throws. */
export function verify(publicKey: Hex, message: Uint8Array, signature: Hex): boolean {
  if (!HEX.test(signature) || !HEX.test(publicKey)) return false;
  try {
    switch (keyTypeOf(publicKey)) {
      case 'ed25519':
        return (
          signature.length === ED25519_SIGNATURE_LENGTH &&
          verifyEd25519(null, message, importEd25519(publicKey), bytesOf(signature))
        );
      case 'secp256k1':
        return verifySecp256k1(hexOf(message), signature, publicKey);
      default:
        return false;
    }
  } catch {
    return false; // no point of the curve, no DER
  }
}

/** A text, and who is said to have signed it. */
export interface SignedText {
  readonly text: string;
  /** Both in hex. */
  readonly publicKey: Hex;
  readonly signature: Hex;
}

/** Whether each was signed so. */
export function verifyTexts(texts: readonly SignedText[]): boolean[] {
  return texts.map(({ text, publicKey, signature }) => verify(publicKey, Buffer.from(text), signature));
}

/** The same elsewhere. Rejects where that is not possible now. */
export type VerifyTexts = (texts: readonly SignedText[]) => Promise<readonly boolean[]>;
