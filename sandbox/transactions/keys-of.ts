/** Checks of public keys: their form, and whether one is the account's master key. */
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { accountOfKey } from '../../engine/codec/public-keys.ts';
import type { TransactionFields } from '../protocol/fields.ts';

/** 33 bytes with the prefix of a secp256k1 or an ed25519 public key (rippled `publicKeyType`). */
export const isPublicKey = (hex: Hex): boolean => /^(ED|02|03)[0-9A-F]{64}$/.test(hex);

/** Whether the transaction is signed with the account's master key. */
export function signedWithMaster(tx: Readonly<TransactionFields>): boolean {
  const key = tx.SigningPubKey ?? '';
  return isPublicKey(key) && accountOfKey(key) === tx.Account;
}
