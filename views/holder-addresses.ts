/**
 * Addresses of the largest holders, for searches of a part of one: writing an address costs two hashes, about 4 us, which
 * for 20,000 of them is more than a request may take, and the same accounts are among the largest ledger after ledger.
 *
 *     | rhb9cjawyb4rj91vrwn96dkukg4bwdtyth\n\0 | ...      WIDTH bytes an account, in lower case, of all tokens searched
 *        `--- Buffer.indexOf, native
 *
 * Cost: 40 bytes an address; a search 0.1 ms for 20,000.
 */
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Accounts } from '../engine/state/accounts.ts';

/** Five tokens searched in turn; more than that, and all are written again. */
const ADDRESSES_MAX = 100_000;
/** Written before other work may run: about 2 ms. */
const ADDRESSES_A_SLICE = 500;
/** An r-address has 35 characters at most; one byte at least ends it. */
const WIDTH = 36;

/** The accounts to search among. */
export interface Searched {
  readonly count: number;
  readonly accountAt: (i: number) => number;
}

export class HolderAddresses {
  readonly #accounts: Pick<Accounts, 'text'>;
  #texts = Buffer.alloc(1000 * WIDTH);
  #ids: number[] = [];
  /** A bit an account: it is among those written. */
  #written = new Uint8Array(1024);

  constructor(accounts: Pick<Accounts, 'text'>) {
    this.#accounts = accounts;
  }

  /** Resolves when searching among these needs no long computation; undefined: it needs none now. */
  ready(searched: Searched): Promise<void> | undefined {
    const missing = this.#missing(searched);
    return missing.length <= ADDRESSES_A_SLICE ? undefined : this.#writeInSlices(missing);
  }

  /** Accounts whose address contains a text, in any case: those among the searched, and some others. */
  containing(part: string, searched: Searched): number[] {
    const missing = this.#missing(searched);
    for (let i = 0; i < missing.length; i++) this.#write(missing[i]!);
    const found: number[] = [];
    const wanted = part.toLowerCase();
    if (!/^[0-9a-z]+$/.test(wanted)) return found;
    const texts = this.#texts.subarray(0, this.#ids.length * WIDTH);
    for (let at = texts.indexOf(wanted); at >= 0; ) {
      const row = Math.floor(at / WIDTH);
      found.push(this.#ids[row]!);
      at = texts.indexOf(wanted, (row + 1) * WIDTH);
    }
    return found;
  }

  #missing({ count, accountAt }: Searched): number[] {
    const missing: number[] = [];
    for (let i = 0; i < count; i++) {
      const account = accountAt(i);
      if (!this.#isWritten(account)) missing.push(account);
    }
    if (this.#ids.length + missing.length <= ADDRESSES_MAX || this.#ids.length === 0) return missing;
    this.#ids = [];
    this.#written.fill(0);
    return this.#missing({ count, accountAt });
  }

  #isWritten(account: number): boolean {
    return ((this.#written[account >>> 3] ?? 0) & (1 << (account & 7))) !== 0;
  }

  async #writeInSlices(accounts: readonly number[]): Promise<void> {
    for (let i = 0; i < accounts.length; i++) {
      if (i % ADDRESSES_A_SLICE === ADDRESSES_A_SLICE - 1) await yieldToLoop();
      this.#write(accounts[i]!);
    }
  }

  #write(account: number): void {
    if (this.#isWritten(account)) return;
    const byte = account >>> 3;
    if (byte >= this.#written.length) this.#written = grown(this.#written, byte + 1);
    this.#written[byte]! |= 1 << (account & 7);
    const at = this.#ids.length * WIDTH;
    if (at + WIDTH > this.#texts.length) this.#texts = Buffer.from(grown(this.#texts, at + WIDTH).buffer);
    this.#texts.fill(0, at, at + WIDTH);
    this.#texts.write(`${this.#accounts.text(account).toLowerCase()}\n`, at, 'latin1');
    this.#ids.push(account);
  }
}

/** A longer copy. */
function grown(bytes: Uint8Array, least: number): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(Math.max(least, bytes.length * 2));
  longer.set(bytes);
  return longer;
}
