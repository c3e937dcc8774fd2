/** Search over tokens and accounts. The index of names is built when first needed; from then on each ledger adds to it. */
import { decimalNumber } from '../engine/codec/amount.ts';
import { accountBytes } from '../engine/codec/base58.ts';
import { currencyBytes } from '../engine/codec/currency.ts';
import type { Engine } from '../engine/engine.ts';
import { TokenKind, XRP } from '../engine/state/tokens.ts';
import type { Holders } from './holders.ts';
import type { Invalidation } from './invalidation.ts';
import { lpTokensNamed } from './pool-search.ts';
import { TokenSearch } from './search.ts';
import type { TokenViews } from './token-views.ts';

/** New names put into the search index per ledger: about 2 ms. */
const NAMES_A_LEDGER = 80;
const CURRENCY_HEX = /^[0-9a-f]{40}$/i;

export interface SearchAnswer {
  readonly tokens: number[];
  readonly account: {
    readonly address: string;
    /** XRP; absent when the ledgers read do not hold the account. */
    readonly balance?: number;
    /** 1 = largest; null for an account that is not among the largest. */
    readonly rank: number | null;
  } | null;
}

/** What a text names. */
interface Found {
  readonly tokens: number[];
  /** The r-address that was searched for. */
  readonly address?: string;
  /** Its account, where the ledgers read name it. */
  readonly account?: number;
}

export class SearchViews {
  readonly #engine: Engine;
  readonly #tokens: TokenViews;
  readonly #holders: Holders;
  readonly #index: TokenSearch;
  #isStarted = false;

  constructor(engine: Engine, tokens: TokenViews, holders: Holders, invalidation: Invalidation) {
    this.#engine = engine;
    this.#tokens = tokens;
    this.#holders = holders;
    const { state, market } = engine;
    this.#index = new TokenSearch({
      get end() {
        return state.tokens.count;
      },
      name: (token) => tokens.name(token),
      isIndexed: (token) => token !== XRP && tokens.type(token) !== 'lp',
      isListed: (token) => market.totals.isListed(token),
      weight: (token) => tokens.weight(token),
      byLetter: true,
    });
    invalidation.add({
      applied: () => {
        if (this.#isStarted) this.#index.advance(NAMES_A_LEDGER);
      },
      // Names never change.
      drop: () => undefined,
    });
  }

  /** Tokens that match, best first, and the account of an r-address: its balance and its rank among holders of XRP. */
  async find(text: string, limit: number): Promise<SearchAnswer> {
    const { tokens, address, account } = await this.#find(text, limit);
    if (address === undefined) return { tokens, account: null };
    const { accounts } = this.#engine.state;
    if (account === undefined || !accounts.exists(account))
      return { tokens, account: { address, rank: null } };
    await this.#holders.ready(XRP);
    const balance = decimalNumber({ m: accounts.balanceDrops(account), e: -6 });
    const rank = this.#holders.ranks(XRP, [address]).ranks[address] ?? null;
    return { tokens, account: { address, balance, rank } };
  }

  /** Builds the index, or what is missing of it, and the weights that rank what it finds; in slices. */
  async prepare(): Promise<void> {
    this.#isStarted = true;
    await this.#index.complete();
    await this.#tokens.prepareWeights();
  }

  async #find(text: string, limit: number): Promise<Found> {
    const { accounts, currencies, tokens } = this.#engine.state;
    const wanted = text.trim();
    if (wanted === '') {
      await this.#tokens.listReady('vol24hxrp');
      return { tokens: [...this.#tokens.first('vol24hxrp', limit)] };
    }
    const address = accountBytes(wanted);
    if (address) {
      const account = accounts.find(address, 0);
      if (account === undefined) return { tokens: [], address: wanted };
      return { tokens: this.#having(tokens.issuers, account, limit), address: wanted, account };
    }
    const exact = this.#tokens.resolve(wanted);
    const { totals } = this.#engine.market;
    if (exact !== undefined && exact !== XRP) return { tokens: totals.isListed(exact) ? [exact] : [] };
    const currency = CURRENCY_HEX.test(wanted) ? currencies.find(currencyBytes(wanted)!, 0) : 0;
    if (currency !== 0) return { tokens: this.#having(tokens.codes, currency, limit) };
    await this.prepare();
    return { tokens: this.#named(wanted, exact, limit) };
  }

  /** XRP itself, tokens by their name, LP tokens by the names of what their pool holds. */
  #named(wanted: string, exact: number | undefined, limit: number): number[] {
    const { state, market } = this.#engine;
    const named = this.#index.search(wanted, limit);
    const weight = (token: number) => this.#tokens.weight(token);
    const { tokens, first } = lpTokensNamed(state, this.#index, weight, wanted);
    const shares = tokens.filter((token) => market.totals.isListed(token));
    const found = first ? [...shares, ...named] : [...named, ...shares];
    return (exact === undefined ? found : [exact, ...found]).slice(0, limit);
  }

  /** Listed tokens with this issuer, or with this currency, the heaviest first; a scan of one column. */
  #having(column: Uint32Array, value: number, limit: number): number[] {
    const { totals } = this.#engine.market;
    const { tokens } = this.#engine.state;
    // The codes of MPTs are sequence numbers.
    const issuedOnly = column === tokens.codes;
    const found: { token: number; weight: number }[] = [];
    for (let token = 1; token < tokens.count; token++) {
      if (column[token] !== value || !totals.isListed(token)) continue;
      if (issuedOnly && tokens.kind(token) !== TokenKind.issued) continue;
      found.push({ token, weight: this.#tokens.weight(token) });
    }
    found.sort((a, b) => b.weight - a.weight || a.token - b.token);
    return found.slice(0, limit).map(({ token }) => token);
  }
}
