/**
 * How often the faucet pays. The XRP would last forever; the space in the open ledger and the number of accounts are
 * what all clients share.
 */
import type { AccountId } from '../../engine/codec/arithmetic/asset.ts';

const WINDOW_MS = 60_000;
/** Payments per minute: to one address, and in total. Enough for a test suite that creates twenty accounts a second. */
export const FAUCET_PER_ADDRESS = 5;
export const FAUCET_TOTAL = 1_200;

export class FaucetLimit {
  /** Payments of the last minute, oldest first: at most {@link FAUCET_TOTAL}. */
  #paid: { readonly account: AccountId; readonly at: number }[] = [];

  /**
   * How long an account has to wait for its next payment, ms; 0: it can be paid now.
   * @param now Unix time in ms; setting the clock back ends all waits
   */
  wait(account: AccountId, now: number): number {
    this.#paid = this.#paid.filter(({ at }) => at <= now && now - at < WINDOW_MS);
    const own = this.#paid.filter((payment) => payment.account === account);
    // The next payment is allowed when the oldest one that fills the window has left it.
    const blocking = [this.#paid.at(-FAUCET_TOTAL), own.at(-FAUCET_PER_ADDRESS)];
    return Math.max(0, ...blocking.map((payment) => (payment ? payment.at + WINDOW_MS - now : 0)));
  }

  /** Records a payment that was made. */
  record(account: AccountId, now: number): void {
    this.#paid.push({ account, at: now });
  }
}
