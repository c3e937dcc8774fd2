/**
 * Open offers of an account, the newest first. `funded`: its owner has something of what it gives; `distPct`: how far its price
 * is from the price now, percent (above 0: the owner asks more, or gives less, than the market).
 */
import { decimalNumber } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { type CooperativeTask, runInSlices } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { atOneVersion } from '../at-one-version.ts';
import { tokenKey } from '../identity.ts';
import { percent } from '../number-format.ts';
import { fundsOf, isGloballyFrozen } from '../orderbook.ts';
import { pairHash } from '../pair-hash.ts';
import { amountObject } from '../trade-row.ts';
import { VersionedCache } from '../versioned-cache.ts';

/** Offers read before other work may run: about 2 ms. */
const OFFERS_A_SLICE = 8192;
const KEPT = 256;

export interface OfferQuery {
  readonly account: number;
  /** Hash of a pair, or a token: only offers of it. */
  readonly pair?: string | undefined;
  readonly token?: number | undefined;
  readonly offset: number;
  readonly limit: number;
}

export class AccountOffers {
  readonly #engine: Engine;
  readonly #ids: VersionedCache<Promise<readonly number[]>>;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#ids = new VersionedCache([engine], KEPT);
  }

  async ready(): Promise<void> {
    const { byAccount } = this.#engine.state.books;
    while (!byAccount.isReady) await runInSlices(byAccount.linking());
  }

  async page(query: OfferQuery) {
    await this.ready();
    const { account, pair, token } = query;
    const ids = await this.#ids.get(`${account} ${pair ?? ''} ${token ?? ''}`, () =>
      atOneVersion([this.#engine], () => this.#matching(query)),
    );
    const page = ids.slice(query.offset, query.offset + query.limit);
    return { total: ids.length, offers: page.map((offer) => this.row(offer)), freezes: this.#freezes(page) };
  }

  /**
   * Reads which of the tokens that the offers give are frozen everywhere, as a text: whether they are funded follows from it,
   * though no transaction affects their owner.
   */
  #freezes(page: readonly number[]): () => string {
    const { state } = this.#engine;
    const given = [...new Set(page.map((offer) => state.books.getsTokens[offer]!))];
    return () => given.filter((token) => isGloballyFrozen(state, token)).join(' ');
  }

  *#matching({ account, pair, token }: OfferQuery): CooperativeTask<readonly number[]> {
    const { books } = this.#engine.state;
    const found: number[] = [];
    // An account has offers in few books, and a hash takes microseconds.
    const pairs = new Map<string, string>();
    const pairOf = (pays: number, gets: number): string => {
      const key = `${pays} ${gets}`;
      const known = pairs.get(key) ?? this.#pair(pays, gets);
      pairs.set(key, known);
      return known;
    };
    let read = 0;
    for (const offer of books.byAccount.of(account)) {
      if (++read % OFFERS_A_SLICE === 0) yield;
      const pays = books.paysTokens[offer]!;
      const gets = books.getsTokens[offer]!;
      if (token !== undefined && token !== pays && token !== gets) continue;
      if (pair !== undefined && pairOf(pays, gets) !== pair) continue;
      found.push(offer);
    }
    return found.sort((a, b) => books.sequences[b]! - books.sequences[a]!);
  }

  #pair(a: number, b: number): string {
    const { state } = this.#engine;
    return pairHash(tokenKey(state, a), tokenKey(state, b));
  }

  row(offer: number) {
    const { state, head } = this.#engine;
    const { books, tokens, accounts } = state;
    const account = books.accounts[offer]!;
    const gets = books.getsTokens[offer]!;
    const pays = books.paysTokens[offer]!;
    const sequence = books.sequences[offer]!;
    const owner = accounts.text(account);
    const expires = books.expirations[offer]!;
    const spendable = fundsOf(state, gets).spendable(account);
    const isOpen = !books.expired(offer, head?.closeTime ?? 0);
    return {
      _id: `${owner}_${sequence}`,
      account: owner,
      seq: sequence,
      flags: books.flags[offer]!,
      gets: amountObject(state, gets, tokens.text(gets, books.getsHi[offer]!, books.getsLo[offer]!)),
      pays: amountObject(state, pays, tokens.text(pays, books.paysHi[offer]!, books.paysLo[offer]!)),
      pair: this.#pair(pays, gets),
      ...(expires !== 0 && { expire: unixMs(expires) }),
      funded: isOpen && (spendable === undefined || spendable.m > 0n),
      distPct: this.#distance(offer, gets, pays),
    };
  }

  /** Percent; null where one of both has no price. */
  #distance(offer: number, gets: number, pays: number): number | null {
    const { state, market } = this.#engine;
    const { books, tokens } = state;
    const price = (token: number) => (token === 0 ? 1 : market.totals.price(token));
    const [given, wanted] = [price(gets), price(pays)];
    if (given === undefined || wanted === undefined) return null;
    const worth = decimalNumber(tokens.decimal(gets, books.getsHi[offer]!, books.getsLo[offer]!)) * given;
    const asked = decimalNumber(tokens.decimal(pays, books.paysHi[offer]!, books.paysLo[offer]!)) * wanted;
    return worth > 0 ? (percent((asked / worth - 1) * 100) ?? null) : null;
  }
}
