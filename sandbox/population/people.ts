/** The people of the embedded network: their keys grow from the seed, their role and a number. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { addressOf } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import { accountOfKey, genesis, sign as signWith } from '../protocol/keys.ts';
import { digest } from './random.ts';

/** What precedes an ed25519 private key in the form the runtime reads (RFC 8410). */
const PRIVATE_DER = bytesOf('302E020100300506032B657004220420');
const ENTROPY_BYTES = 16;

interface Keys {
  readonly publicKey: Hex;
  readonly account: AccountId;
  sign(message: Uint8Array): Hex;
}

/** Somebody with an account. His keys are made when they are first needed: most of a week's people act days later. */
export class Person {
  /** `maker:COR/XRP`, `trader:7`. */
  readonly name: string;
  readonly #make: () => Keys;
  #keys: Keys | undefined;

  /** @param make his keys, the same ones every time */
  constructor(name: string, make: () => Keys) {
    this.name = name;
    this.#make = make;
  }

  get publicKey(): Hex {
    return this.#own.publicKey;
  }

  get account(): AccountId {
    return this.#own.account;
  }

  /** Base58. */
  get address(): string {
    return addressOf(this.account);
  }

  sign(message: Uint8Array): Hex {
    return this.#own.sign(message);
  }

  get #own(): Keys {
    this.#keys ??= this.#make();
    return this.#keys;
  }
}

/**
 * The keys of an account that has this entropy (16 bytes) as its ed25519 seed: the same as `keyPair` gives, made by the
 * runtime, which is twenty times as fast.
 */
function keysOf(entropy: Uint8Array): Keys {
  const key = createPrivateKey({
    key: Buffer.concat([PRIVATE_DER, sha512Half(entropy)]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = `ED${Buffer.from(x!, 'base64url').toString('hex').toUpperCase()}`;
  return { publicKey, account: accountOfKey(publicKey), sign: (message) => hexOf(sign(null, message, key)) };
}

export const personOf = (name: string, entropy: Uint8Array): Person =>
  new Person(name, () => keysOf(entropy));

/** Who all XRP begins with. */
function genesisPerson(): Person {
  const keys = genesis();
  const account = accountOfKey(keys.publicKey);
  return new Person('genesis', () => ({
    publicKey: keys.publicKey,
    account,
    sign: (message) => signWith(message, keys),
  }));
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
    this.#known.set('genesis', genesisPerson());
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
      const entropy = () => digest(`${this.#seed}/people/${whole}`).subarray(0, ENTROPY_BYTES);
      person = new Person(whole, () => keysOf(entropy()));
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
