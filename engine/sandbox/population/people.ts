/** The people of the embedded network: their keys grow from the seed, their role and a number. */
import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { bytesOf, hexOf } from '../../codec/bytes.ts';
import { addressOf } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import { genesis, type KeyPair, keyPair, sign as signWith } from '../protocol/keys.ts';
import { digest } from './random.ts';

/** What precedes an ed25519 private key in the form the runtime reads (RFC 8410). */
const PRIVATE_DER = bytesOf('302E020100300506032B657004220420');
const ENTROPY_BYTES = 16;

export class Person {
  /** `maker:COR`, `trader:7`. */
  readonly name: string;
  readonly account: AccountId;
  readonly publicKey: Hex;
  readonly keys: KeyPair;
  #key: KeyObject | undefined;

  constructor(name: string, keys: KeyPair) {
    this.name = name;
    this.keys = keys;
    this.account = keys.account;
    this.publicKey = keys.publicKey;
  }

  /** Base58. */
  get address(): string {
    return addressOf(this.account);
  }

  sign(message: Uint8Array): Hex {
    if (this.keys.type === 'secp256k1') return signWith(message, this.keys);
    this.#key ??= createPrivateKey({
      key: Buffer.concat([PRIVATE_DER, bytesOf(this.keys.privateKey.slice(2))]),
      format: 'der',
      type: 'pkcs8',
    });
    return hexOf(sign(null, message, this.#key));
  }
}

/** Everybody by name; made when first asked for. */
export class People {
  readonly #seed: string;
  readonly #known = new Map<string, Person>();

  constructor(seed: string) {
    this.#seed = seed;
    this.#known.set('genesis', new Person('genesis', genesis()));
  }

  /** @param name `genesis` is the account that all XRP begins with */
  get(name: string): Person {
    let person = this.#known.get(name);
    if (person === undefined) {
      const entropy = digest(`${this.#seed}/people/${name}`).subarray(0, ENTROPY_BYTES);
      person = new Person(name, keyPair(entropy, 'ed25519'));
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
