/** The agents of the embedded network: accounts whose keys are derived from the seed, their role and a number. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { addressOf } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { bytesOf, hexOf } from '../../engine/codec/bytes.ts';
import { sha512Half } from '../../engine/codec/hash.ts';
import { accountOfKey } from '../../engine/codec/public-keys.ts';
import { genesis, sign as signWith } from '../protocol/keys.ts';
import { digest } from './random.ts';

/** DER prefix of an ed25519 private key in PKCS #8 (RFC 8410), the form that the runtime reads. */
const PRIVATE_DER = bytesOf('302E020100300506032B657004220420');
const ENTROPY_BYTES = 16;

interface Keys {
  readonly publicKey: Hex;
  readonly account: AccountId;
  sign(message: Uint8Array): Hex;
}

/** An account of the simulation. Its keys are derived on first use: most of a week's agents act days later. */
export class Agent {
  /** `maker:COR/XRP`, `trader:7`. */
  readonly name: string;
  readonly #deriveKeys: () => Keys;
  #keys: Keys | undefined;

  /** @param deriveKeys gives the same keys every time */
  constructor(name: string, deriveKeys: () => Keys) {
    this.name = name;
    this.#deriveKeys = deriveKeys;
  }

  get publicKey(): Hex {
    return this.#ownKeys.publicKey;
  }

  get account(): AccountId {
    return this.#ownKeys.account;
  }

  /** Base58. */
  get address(): string {
    return addressOf(this.account);
  }

  sign(message: Uint8Array): Hex {
    return this.#ownKeys.sign(message);
  }

  get #ownKeys(): Keys {
    this.#keys ??= this.#deriveKeys();
    return this.#keys;
  }
}

/**
 * The keys of the account with this entropy (16 bytes) as its ed25519 seed: the same as those of `keyPair`, but derived by
 * the runtime, which is twenty times as fast.
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

export const agentOf = (name: string, entropy: Uint8Array): Agent => new Agent(name, () => keysOf(entropy));

/** The account that holds all XRP at first. */
function genesisAgent(): Agent {
  const keys = genesis();
  const account = accountOfKey(keys.publicKey);
  return new Agent('genesis', () => ({
    publicKey: keys.publicKey,
    account,
    sign: (message) => signWith(message, keys),
  }));
}

/** All agents by name; each is created on first use. */
export class Agents {
  readonly #seed: string;
  readonly #prefix: string;
  readonly #known = new Map<string, Agent>();

  constructor(seed: string, prefix = '') {
    this.#seed = seed;
    this.#prefix = prefix;
    if (prefix !== '') return;
    this.#known.set('genesis', genesisAgent());
  }

  /** Another set of agents of the same seed, whose names begin with this prefix. */
  within(prefix: string): Agents {
    return new Agents(this.#seed, prefix);
  }

  /** @param name `genesis` is the account that holds all XRP at first; only without a prefix */
  get(name: string): Agent {
    let agent = this.#known.get(name);
    if (agent === undefined) {
      const fullName = this.#prefix + name;
      const entropy = () => digest(`${this.#seed}/people/${fullName}`).subarray(0, ENTROPY_BYTES);
      agent = new Agent(fullName, () => keysOf(entropy()));
      this.#known.set(name, agent);
    }
    return agent;
  }

  /** All agents created so far, by name without the prefix. */
  known(): ReadonlyMap<string, Agent> {
    return this.#known;
  }

  /** `role:0` to `role:(count - 1)`. */
  group(role: string, count: number): Agent[] {
    return Array.from({ length: count }, (_, n) => this.get(`${role}:${n}`));
  }
}
