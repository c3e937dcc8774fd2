/**
 * Key pairs and signed bytes; `engine/codec/signatures.ts` verifies.
 *
 *     entropy (16 bytes) -> key pair -> public key (33 bytes: ED.. or 02../03..) -> account (RIPEMD-160 of SHA-256)
 *
 * Signed is a four-byte prefix followed by:
 *
 *     STX  a transaction without its signatures        SMT  the same, then the account of the signer who signs
 *     CLM  a payment channel's id and drops

 */
import { createPrivateKey, sign as signEd25519 } from 'node:crypto';
import { deriveKeypair, generateSeed, sign as signSecp256k1 } from 'ripple-keypairs';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { accountOfKey, type KeyType } from '../../engine/codec/public-keys.ts';
import { encodeFields } from './encode.ts';
import type { Fields } from './fields.ts';

/** Hex, upper-case: public keys of 33 bytes, private ones with one more byte in front for the type (ED or 00). */
export interface KeyPair {
  readonly type: KeyType;
  readonly publicKey: Hex;
  readonly privateKey: Hex;
  readonly account: AccountId;
  /** The base58 text of the entropy. */
  readonly seed: string;
}

/** The entropy that rippled derives from a passphrase: the first 16 bytes of its SHA-512. */
export function entropyOfPassphrase(passphrase: string): Uint8Array {
  return sha512Half(new TextEncoder().encode(passphrase)).subarray(0, 16);
}

/**
 * The key pair of 16 bytes of entropy, or of a seed in base58.
 * @throws Error when the seed is invalid or the entropy is not 16 bytes.
 */
export function keyPair(seedOrEntropy: string | Uint8Array, type: KeyType): KeyPair {
  const algorithm = type === 'ed25519' ? 'ed25519' : 'ecdsa-secp256k1';
  const seed =
    typeof seedOrEntropy === 'string' ? seedOrEntropy : generateSeed({ entropy: seedOrEntropy, algorithm });
  const { publicKey, privateKey } = deriveKeypair(seed, { algorithm });
  const key = publicKey.toUpperCase();
  return { type, publicKey: key, privateKey: privateKey.toUpperCase(), account: accountOfKey(key), seed };
}

/** The account that initially has all XRP, of the passphrase `masterpassphrase`: rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh. */
export const genesis = (): KeyPair => keyPair(entropyOfPassphrase('masterpassphrase'), 'secp256k1');

/** The bytes before the 32 bytes of a private ed25519 key in the format that the runtime reads (RFC 8410). */
const PRIVATE_DER = bytesOf('302E020100300506032B657004220420');

/** The signature of a message: 64 bytes of ed25519, or DER of secp256k1 over the message's SHA-512Half. */
export function sign(message: Uint8Array, { type, privateKey }: Pick<KeyPair, 'type' | 'privateKey'>): Hex {
  if (type === 'secp256k1') return signSecp256k1(hexOf(message), privateKey);
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, bytesOf(privateKey.slice(2))]),
    format: 'der',
    type: 'pkcs8',
  });
  return hexOf(signEd25519(null, message, key));
}

const behind = (prefix: string, ...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat([Buffer.from(`${prefix}\0`, 'latin1'), ...parts]));

/** The bytes that a transaction's single signature covers. */
export const signingBytes = (tx: Fields): Uint8Array => behind('STX', encodeFields(tx, { signing: true }));

/** The bytes that the signature of `signer`, one of a multi-signed transaction's, covers. */
export const multiSigningBytes = (tx: Fields, signer: AccountId): Uint8Array =>
  behind('SMT', encodeFields(tx, { signing: true }), bytesOf(signer));

/** The bytes of a payment channel's claim: the channel's id and the total drops that it may pay out. */
export function claimBytes(channel: Hex, drops: bigint): Uint8Array {
  const amount = new Uint8Array(8);
  new DataView(amount.buffer).setBigUint64(0, drops);
  return behind('CLM', bytesOf(channel), amount);
}
