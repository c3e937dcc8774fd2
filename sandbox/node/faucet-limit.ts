/**
 * How often the faucet pays. The XRP would last for ever; what would not is room in the open ledger and in the list of
 * accounts, which everybody shares.
 */
import type { AccountId } from '../protocol/asset.ts';

const WINDOW_MS = 60_000;
/** Payments a minute: to one address, and to all of them. A test suite that makes twenty accounts a second still fits. */
export const FAUCET_PER_ADDRESS = 5;
export const FAUCET_IN_ALL = 1_200;

export class FaucetLimit {
  /** Those of the last minute, the oldest first: at most {@link FAUCET_IN_ALL}. */
  #paid: { readonly account: AccountId; readonly at: number }[] = [];

  /**
   * How long an account has to wait for its next payment, ms; 0: it may have it now.
   * @param now Unix time in ms; a clock that is set back ends all waits
   */
  wait(account: AccountId, now: number): number {
    this.#paid = this.#paid.filter(({ at }) => at <= now && now - at < WINDOW_MS);
    const own = this.#paid.filter((payment) => payment.account === account);
    // Room is made when the one goes out of the window that is as far back as there may be payments in it.
    const blocking = [this.#paid.at(-FAUCET_IN_ALL), own.at(-FAUCET_PER_ADDRESS)];
    return Math.max(0, ...blocking.map((payment) => (payment ? payment.at + WINDOW_MS - now : 0)));
  }

  /** Records a payment that was made. */
  record(account: AccountId, now: number): void {
    this.#paid.push({ account, at: now });
  }
}
