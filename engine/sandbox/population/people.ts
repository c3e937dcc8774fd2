/** The people of the embedded network: their keys grow from the seed, their role and a number. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bytesOf, hexOf } from '../../codec/bytes.ts';
import { sha512Half } from '../../codec/hash.ts';
import { addressOf } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import { accountOfKey, genesis, type KeyPair, sign as signWith } from '../protocol/keys.ts';
import { digest } from './random.ts';

/** What precedes an ed25519 private key in the form the runtime reads (RFC 8410). */
const PRIVATE_DER = bytesOf('302E020100300506032B657004220420');
const ENTROPY_BYTES = 16;

export class Person {
  /** `maker:COR/XRP`, `trader:7`. */
  readonly name: string;
  readonly account: AccountId;
  readonly publicKey: Hex;
  readonly #key: KeyObject | KeyPair;

  /** @param key an ed25519 key of the runtime, or a pair of the older kind */
  constructor(name: string, publicKey: Hex, key: KeyObject | KeyPair) {
    this.name = name;
    this.publicKey = publicKey;
    this.account = accountOfKey(publicKey);
    this.#key = key;
  }

  /** Base58. */
  get address(): string {
    return addressOf(this.account);
  }

  sign(message: Uint8Array): Hex {
    if ('privateKey' in this.#key) return signWith(message, this.#key);
    return hexOf(sign(null, message, this.#key));
  }
}

/**
 * The person whose account has this entropy (16 bytes) as its ed25519 seed: the same keys as `keyPair` gives, made by
 * the runtime, which is twenty times as fast.
 */
export function personOf(name: string, entropy: Uint8Array): Person {
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, sha512Half(entropy)]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return new Person(name, `ED${Buffer.from(x!, 'base64url').toString('hex').toUpperCase()}`, key);
}

/** Everybody by name; made when first asked for. */
export class People {
  readonly #seed: string;
  readonly #prefix: string;
  readonly #known = new Map<string, Person>();

  constructor(seed: string, prefix = '') {
    this.#seed = seed;
    this.#prefix = prefix;
    if (prefix !== '') return;
    const keys = genesis();
    this.#known.set('genesis', new Person('genesis', keys.publicKey, keys));
  }

  /** Others of the same seed, whose names begin with this. */
  within(prefix: string): People {
    return new People(this.#seed, prefix);
  }

  /** @param name `genesis` is the account that all XRP begins with, known where there is no prefix */
  get(name: string): Person {
    let person = this.#known.get(name);
    if (person === undefined) {
      const whole = this.#prefix + name;
      const entropy = digest(`${this.#seed}/people/${whole}`).subarray(0, ENTROPY_BYTES);
      person = personOf(whole, entropy);
      this.#known.set(name, person);
    }
    return person;
  }

  /** Everybody asked for so far, by name. */
  known(): ReadonlyMap<string, Person> {
    return this.#known;
  }

  /** `role:0` to `role:(count - 1)`. */
  group(role: string, count: number): Person[] {
    return Array.from({ length: count }, (_, n) => this.get(`${role}:${n}`));
  }
}
