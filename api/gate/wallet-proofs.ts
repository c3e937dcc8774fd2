/**
 * Who signed a request (section 5 of the contract): `X-Wallet` says who, `X-Signature` signs `<wallet>:<timestamp>` with the
 * master key of that account or its regular key, which `X-Public-Key` gives.
 *
 *     headers -> time -> whose key -> signature (another thread, in batches) -> remembered -> of a write: seen before?
 *
 * Goals: what is cheap is checked first; floods of wrong signatures cost their senders (so many failures of one address in a
 * minute) and never the thread that answers; what was verified is known for as long as it is valid; a signature that was
 * seen before, on a read too, writes nothing, also after a restart: what is signed says nothing of the request, so whoever
 * sees one could change something with it. Non-goal: sessions.
 *
 * Without `X-Public-Key`, the key is that of the last transaction that the account signed.
 */
import { accountText } from '../../engine/codec/base58.ts';
import { bytesOf } from '../../engine/codec/bytes.ts';
import { accountOfKey } from '../../engine/codec/public-keys.ts';
import type { SignedText, VerifyTexts } from '../../engine/codec/signatures.ts';
import type { Engine } from '../../engine/engine.ts';
import { SeenSignatures } from '../../platform/seen-signatures.ts';
import { ApiError, busy, rateLimited } from '../../requests/errors.ts';
import { AddressWindows, count, counted, leftOf, timeOf } from '../../requests/windows.ts';
import { keysOnLedger } from './ledger-keys.ts';

/** A signature is valid for so long before and after its timestamp (section 5). */
export const VALID_MS = 5 * 60_000;

/** Failures of one address in a minute. Honest clients have none, or a wrong clock. */
const FAILURES_MAX = 30;
const FAILURE_WINDOW_MS = 60_000;
/** Addresses whose failures are counted. */
const ADDRESSES = 1 << 16;

/** Signatures that may wait for the thread, and of one address: 100 ms of its work. */
const WAITING_MAX = 256;
const WAITING_OF_ADDRESS_MAX = 8;
/** Handed over at once. */
const BATCH = 32;

/**
 * What finds no place is refused only after this time, so that senders who wait for each answer, as floods do, are slowed
 * down to what is left of the thread. So many wait for their refusal; further ones are refused at once.
 */
const REFUSAL_MS = 250;
const REFUSALS_MAX = 4096;

/** Verified signatures that are remembered. */
const KNOWN_MAX = 10_000;

const TIMESTAMP = /^\d{13}$/;
const PUBLIC_KEY = /^(?:ED|02|03)[0-9A-F]{64}$/;
const SIGNATURE = /^(?:[0-9A-F]{2}){8,72}$/;

const refused = (text: string) =>
  new ApiError('unauthorized', text, {
    hint: 'Send X-Wallet, X-Timestamp (Unix ms), X-Public-Key and X-Signature (of <wallet>:<timestamp>)',
  });

export interface ProofParts {
  /** Default: on the calling thread. */
  readonly verify?: VerifyTexts;
  readonly seen?: SeenSignatures;
}

/** Who asks. */
interface Asking {
  readonly engine: Engine;
  /** What counts as one client. */
  readonly ip: string;
  /** The signature must not have been seen before. */
  readonly isWrite: boolean;
  /** Even where the ledger shows the key. */
  readonly needsPublicKey?: true | undefined;
  /** Unix ms. */
  readonly now: number;
}

interface Waiting extends SignedText {
  readonly ip: string;
  resolve(isSigned: boolean): void;
  reject(error: unknown): void;
}

/** Loaded when it is needed: the service verifies in a thread. */
const verifyHere: VerifyTexts = async (texts) => {
  const { verifyTexts } = await import('../../engine/codec/signatures.ts');
  return verifyTexts(texts);
};

export class WalletProofs {
  readonly #verify: VerifyTexts;
  readonly #seen: SeenSignatures;
  /** What was verified, with the Unix ms at which it ends; oldest first. */
  readonly #known = new Map<string, number>();
  readonly #failures = new AddressWindows(ADDRESSES, 1, FAILURE_WINDOW_MS);
  readonly #waiting: Waiting[] = [];
  readonly #waitingOf = new Map<string, number>();
  #isRunning = false;
  #refusals = 0;

  constructor({ verify, seen }: ProofParts = {}) {
    this.#verify = verify ?? verifyHere;
    this.#seen = seen ?? new SeenSignatures();
  }

  /** @returns r-address of the wallet that signed. @throws ApiError 401, 429, 503 */
  async prove({ headers }: Request, asking: Asking): Promise<string> {
    const { ip, isWrite, now } = asking;
    const wallet = headers.get('x-wallet') ?? '';
    const timestamp = headers.get('x-timestamp') ?? '';
    const sent = (headers.get('x-public-key') ?? '').toUpperCase();
    const signature = (headers.get('x-signature') ?? '').toUpperCase();
    if (wallet === '' || signature === '') throw refused('No wallet signature');
    if (asking.needsPublicKey && sent === '') throw refused('X-Public-Key is missing');
    const age = now - Number(timestamp);
    if (!TIMESTAMP.test(timestamp) || Math.abs(age) > VALID_MS)
      throw refused('The timestamp is not within 5 minutes of now');
    if ((sent !== '' && !PUBLIC_KEY.test(sent)) || !SIGNATURE.test(signature))
      throw refused('Public key or signature is malformed');
    this.#checkFailures(ip, now);
    const expires = Number(timestamp) + VALID_MS;
    const text = `${wallet}:${timestamp}`;
    const known = `${text} ${sent} ${signature}`;
    const isFirst = !isKnown(this.#known, known, now);
    if (isFirst) {
      try {
        const publicKey = keyOf(wallet, sent, asking.engine);
        if (!(await this.#isSigned({ text, publicKey, signature }, ip)))
          throw refused('The signature is wrong');
      } catch (error) {
        if (error instanceof ApiError && error.code === 'unauthorized') this.#failed(ip, now);
        throw error;
      }
      this.#remember(known, expires, now);
    }
    // Of a read it is enough to store it once.
    if (!isWrite && !isFirst) return wallet;
    const isNew = await this.#seen.add(wallet, timestamp, expires, now);
    if (isWrite && !isNew) throw refused('This signature was used before: sign again');
    return wallet;
  }

  #checkFailures(ip: string, now: number): void {
    const { words } = this.#failures;
    const at = this.#failuresOf(ip, now);
    const time = timeOf(now);
    if (counted(words, at, FAILURE_WINDOW_MS, time) < FAILURES_MAX) return;
    throw rateLimited({
      bucket: 'wrong signatures',
      limit: FAILURES_MAX,
      remaining: 0,
      windowSeconds: FAILURE_WINDOW_MS / 1000,
      resetSeconds: leftOf(words, at, FAILURE_WINDOW_MS, time) / 1000,
    });
  }

  #failed(ip: string, now: number): void {
    count(this.#failures.words, this.#failuresOf(ip, now), FAILURE_WINDOW_MS, timeOf(now));
  }

  #failuresOf(ip: string, now: number): number {
    const table = this.#failures;
    const hash = table.hash(ip);
    return table.at(hash, table.tag(ip, hash), 0, timeOf(now));
  }

  #remember(known: string, expires: number, now: number): void {
    for (const [old, until] of this.#known) {
      if (until >= now && this.#known.size < KNOWN_MAX) break;
      this.#known.delete(old);
    }
    this.#known.set(known, expires);
  }

  /** Rejects with ApiError 503: too many wait. */
  async #isSigned(signed: SignedText, ip: string): Promise<boolean> {
    const own = this.#waitingOf.get(ip) ?? 0;
    if (own >= WAITING_OF_ADDRESS_MAX || this.#waiting.length >= WAITING_MAX) return this.#refuse();
    this.#waitingOf.set(ip, own + 1);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...signed, ip, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #refuse(): Promise<never> {
    if (this.#refusals < REFUSALS_MAX) {
      this.#refusals++;
      await Bun.sleep(REFUSAL_MS);
      this.#refusals--;
    }
    throw busy();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        const results = await this.#verify(
          batch.map(({ text, publicKey, signature }) => ({ text, publicKey, signature })),
        );
        for (const [at, { resolve }] of batch.entries()) resolve(results[at] === true);
      } catch {
        for (const { reject } of batch) reject(busy());
      }
      for (const { ip } of batch) this.#left(ip);
    }
    this.#isRunning = false;
  }

  #left(ip: string): void {
    const left = this.#waitingOf.get(ip)! - 1;
    if (left > 0) this.#waitingOf.set(ip, left);
    else this.#waitingOf.delete(ip);
  }
}

function isKnown(known: ReadonlyMap<string, number>, signed: string, now: number): boolean {
  const until = known.get(signed);
  return until !== undefined && until >= now;
}

/** The key that the wallet may sign with. @throws ApiError 401 */
function keyOf(wallet: string, sent: string, engine: Engine): string {
  const ledger = keysOnLedger(wallet, engine);
  const publicKey = sent === '' ? ledger.lastUsed() : sent;
  if (publicKey === undefined)
    throw refused('X-Public-Key is missing, and no transaction of the account shows it');
  const owner = accountText(bytesOf(accountOfKey(publicKey)));
  if (owner === wallet) {
    // What an account has given up for ever, its blackholed master key among it, is no proof.
    if (ledger.isMasterDisabled()) throw refused('The master key of the wallet is disabled');
    return publicKey;
  }
  const regular = ledger.regularKey();
  if (regular === 'unknown')
    throw refused('No ledger stored here shows the regular key of the wallet: sign with its master key');
  if (regular !== owner)
    throw refused('The public key is neither the master key of the wallet nor its regular key');
  return publicKey;
}
