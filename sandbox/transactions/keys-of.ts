/** Whose key signed, and what is a key at all. */
import type { Hex } from '../protocol/asset.ts';
import type { TransactionFields } from '../protocol/fields.ts';
import { accountOfKey } from '../protocol/keys.ts';

/** 33 bytes that begin as a secp256k1 or an ed25519 public key does (rippled `publicKeyType`). */
export const isPublicKey = (hex: Hex): boolean => /^(ED|02|03)[0-9A-F]{64}$/.test(hex);

/** Whether the transaction is signed with the account's master key. */
export function signedWithMaster(tx: Readonly<TransactionFields>): boolean {
  const key = tx.SigningPubKey ?? '';
  return isPublicKey(key) && accountOfKey(key) === tx.Account;
}
