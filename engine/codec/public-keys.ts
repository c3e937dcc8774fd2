/**
 * Public keys and the accounts they belong to. Apart from what verifies signatures (signatures.ts), which takes long to load.
 *
 *     public key (33 bytes: ED.. or 02../03..) -> account (RIPEMD-160 of SHA-256)
 */
import { createHash } from 'node:crypto';
import type { AccountId, Hex } from './arithmetic/asset.ts';
import { bytesOf } from './bytes.ts';

export type KeyType = 'ed25519' | 'secp256k1';

const ED25519_LENGTH = 66;
const ED25519_PREFIX = 'ED';

/** The type by the key's first byte: undefined when it is not a key (rippled `publicKeyType`). */
export function keyTypeOf(publicKey: Hex): KeyType | undefined {
  if (publicKey.length !== ED25519_LENGTH) return undefined;
  if (publicKey.startsWith(ED25519_PREFIX)) return 'ed25519';
  return publicKey.startsWith('02') || publicKey.startsWith('03') ? 'secp256k1' : undefined;
}

/** The account a public key is the master key of. */
export function accountOfKey(publicKey: Hex): AccountId {
  const inner = createHash('sha256').update(bytesOf(publicKey)).digest();
  return createHash('ripemd160').update(inner).digest('hex').toUpperCase();
}
