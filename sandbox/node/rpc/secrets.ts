/** Key pairs from parameters: `secret`, `seed`, `seed_hex` or `passphrase` (rippled `keypairForSignature`). */
import { decodeSeed } from 'xrpl';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { KeyType } from '../../../engine/codec/public-keys.ts';
import { entropyOfPassphrase, type KeyPair, keyPair } from '../../protocol/keys.ts';
import { expectedField, missingField, RpcError } from './errors.ts';

/** The parameters that contain a secret. */
export const SECRETS = ['passphrase', 'secret', 'seed', 'seed_hex'] as const;
type SecretName = (typeof SECRETS)[number];
const ENTROPY = /^[0-9A-Fa-f]{32}$/;

/** `key_type`; undefined when it is absent. @throws RpcError badKeyType */
export function keyTypeParam({ key_type: type }: JsonObject): KeyType | undefined {
  if (type === undefined) return undefined;
  if (typeof type !== 'string') throw expectedField('key_type', 'string');
  if (type !== 'secp256k1' && type !== 'ed25519') throw new RpcError('badKeyType');
  return type;
}

/** The entropy of a seed's text, and the key type that some seeds contain ("sEd..."). */
function seedOf(text: string): { entropy: Uint8Array; type?: KeyType } | undefined {
  try {
    const { bytes, type } = decodeSeed(text);
    return { entropy: Uint8Array.from(bytes), ...(type === 'ed25519' ? { type: 'ed25519' as const } : {}) };
  } catch {
    return undefined;
  }
}

function entropyOf(name: SecretName, value: string): { entropy: Uint8Array; type?: KeyType } {
  const hex = ENTROPY.test(value) ? { entropy: bytesOf(value.toUpperCase()) } : undefined;
  if (name === 'passphrase') return seedOf(value) ?? hex ?? { entropy: entropyOfPassphrase(value) };
  const found = name === 'seed_hex' ? hex : (seedOf(value) ?? hex);
  if (found !== undefined) return found;
  // The old `secret` may also be a passphrase; the new parameters have one meaning each.
  if (name === 'secret' && value !== '') return { entropy: entropyOfPassphrase(value) };
  throw new RpcError('badSeed');
}

/** @throws RpcError when it is not exactly one secret, or it is malformed */
export function secretParam(params: JsonObject): KeyPair {
  const given = SECRETS.filter((name) => params[name] !== undefined);
  const [name] = given;
  if (name === undefined) throw missingField('secret');
  if (given.length > 1)
    throw new RpcError(
      'invalidParams',
      `Exactly one of the following must be specified: ${SECRETS.join(', ')}`,
    );
  const type = keyTypeParam(params);
  if (type !== undefined && name === 'secret')
    throw new RpcError('invalidParams', 'The secret field is not allowed if key_type is used.');
  const value = params[name];
  if (typeof value !== 'string') throw expectedField(name, 'string');
  const { entropy, type: keyType } = entropyOf(name, value);
  if (keyType !== undefined && type !== undefined && keyType !== type) throw new RpcError('badSeed');
  return keyPair(entropy, type ?? keyType ?? 'secp256k1');
}

/** The key pair of a `wallet_propose` request; undefined when it asks for a new one. */
export function proposedSecret(params: JsonObject): KeyPair | undefined {
  const given = SECRETS.filter((name) => name !== 'secret' && params[name] !== undefined);
  if (given.length === 0) return undefined;
  return secretParam({ ...params, key_type: keyTypeParam(params) ?? 'secp256k1' });
}
