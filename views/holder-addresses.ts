/**
 * Addresses of a token's largest holders as text, for searches of a part of one: writing an address costs two hashes,
 * about 4 us, which for 20,000 of them is more than a request may take.
 *
 * Texts are kept by account, since the same accounts are among the largest ledger after ledger; those longest kept go
 * first. About 100 bytes each.
 */
import { yieldToLoop } from '../engine/event-loop.ts';
import type { Accounts } from '../engine/state/accounts.ts';

/** Five tokens searched in turn do not displace one another. */
const TEXTS_KEPT = 100_000;
/** Texts written before other work may run: about 2 ms. */
const TEXTS_A_SLICE = 500;

export class HolderAddresses {
  readonly #accounts: Pick<Accounts, 'text'>;
  readonly #texts = new Map<number, string>();

  constructor(accounts: Pick<Accounts, 'text'>) {
    this.#accounts = accounts;
  }

  /** Resolves when `of` costs next to nothing for these accounts; undefined: it does for nearly all of them. */
  ready(accounts: readonly number[]): Promise<void> | undefined {
    const missing = accounts.filter((account) => !this.#texts.has(account));
    return missing.length <= TEXTS_A_SLICE ? undefined : this.#write(missing);
  }

  /** The r-address in lower case. */
  of(account: number): string {
    let text = this.#texts.get(account);
    if (text === undefined) {
      text = this.#accounts.text(account).toLowerCase();
      this.#texts.set(account, text);
      if (this.#texts.size > TEXTS_KEPT) this.#texts.delete(this.#texts.keys().next().value!);
    }
    return text;
  }

  async #write(accounts: readonly number[]): Promise<void> {
    for (let i = 0; i < accounts.length; i++) {
      if (i % TEXTS_A_SLICE === TEXTS_A_SLICE - 1) await yieldToLoop();
      this.of(accounts[i]!);
    }
  }
}
