/**
 * The faucet of a test network: each address once a day. A claim is durable before anything is paid, and is taken back only
 * where nothing was: whatever ends the process in between, no address is paid twice.
 *
 *     claim stored -> payer pays -> hash
 *                         |- refused:  the claim is taken back
 *                         `- unknown:  it stays, for it may have paid
 */
import { HOUR_MS } from '../engine/ripple-time.ts';
import type { Collection, PlatformStore } from './store.ts';

/** What each claim gets, XRP, and the most. The contract's figure. */
export const FAUCET_XRP = 200;
/** Hours between two claims of one address. The contract's figure. */
export const COOLDOWN_HOURS = 24;
const COOLDOWN_MS = COOLDOWN_HOURS * HOUR_MS;
/** Claims that are over and are deleted with each new one. */
const SWEPT = 8;

/** Unix ms by r-address. */
const CLAIMS: Collection<number> = {
  name: 'faucet-claims',
  version: 1,
  upgrades: [],
  limits: { valueBytes: 16, rows: 1_000_000 },
  indexes: { time: { unique: false, keys: (at) => [[at]] } },
};

export const FAUCET_COLLECTIONS = [CLAIMS as Collection<unknown>];

export type Paid =
  | { readonly kind: 'paid'; readonly hash: string }
  /** Nothing was paid. `retryMs`: it may be tried again then. */
  | { readonly kind: 'refused'; readonly reason: string; readonly retryMs?: number };

/** Who has the XRP. */
export interface FaucetPayer {
  /** r-address. */
  readonly address: string;
  /** @param destination r-address. Rejects where it is not known whether it paid */
  pay(destination: string, xrp: number): Promise<Paid>;
}

export type Claimed = Paid | { readonly kind: 'cooldown'; readonly retryMs: number };

export class Faucet {
  readonly address: string;
  readonly #payer: FaucetPayer;
  #store: PlatformStore | undefined;

  constructor(payer: FaucetPayer) {
    this.#payer = payer;
    this.address = payer.address;
  }

  /** From now on claims are kept there. */
  attach(store: PlatformStore): void {
    this.#store = store;
  }

  /**
   * Pays once a day.
   * @param destination r-address @param now Unix ms
   * Rejects where it is not known whether it paid: the claim stays
   */
  async claim(destination: string, now: number): Promise<Claimed> {
    const store = this.#store;
    if (!store) return { kind: 'refused', reason: 'The faucet is not open yet' };
    const waitMs = await store.transaction((transaction) => {
      let at = transaction.get(CLAIMS, [destination]);
      // A clock that was ahead must not lock an address for longer than a day.
      if (at !== undefined && at > now) {
        transaction.put(CLAIMS, [destination], now);
        at = now;
      }
      if (at !== undefined && now - at < COOLDOWN_MS) return at + COOLDOWN_MS - now;
      const over: string[] = [];
      transaction.walkIndex(CLAIMS, 'time', { limit: SWEPT }, (at, [address]) => {
        if (now - at >= COOLDOWN_MS) over.push(String(address));
        return true;
      });
      for (const address of over) transaction.delete(CLAIMS, [address]);
      transaction.put(CLAIMS, [destination], now);
      return 0;
    });
    if (waitMs > 0) return { kind: 'cooldown', retryMs: waitMs };
    const paid = await this.#payer.pay(destination, FAUCET_XRP);
    if (paid.kind === 'refused') await store.transaction((each) => each.delete(CLAIMS, [destination]));
    return paid;
  }
}
