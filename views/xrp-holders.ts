/**
 * The largest holders of XRP itself: every account holds some, so only the first RANKED_MAX are ranked.
 *
 *     all accounts --one pass in slices, once a minute of ledger time--> the largest ids --sorted by balance now--> rows
 *
 * Who is among the largest may be a minute old; balances, shares and their order are of now. Cost: a pass reads 12
 * bytes an account, about 60 ms for 7 million, in slices of 5 ms.
 *
 * Pages from the smallest on, and between bounds of the balance, are of all accounts: each takes a pass of its own. Of all
 * passes together one slice runs in a turn of the event loop. No page reaches further than RANKED_MAX rows.
 */

import { DROPS_PER_XRP, decimalNumber, decimalText, XRP_EXPONENT } from '../engine/codec/amount.ts';
import { Turns } from '../engine/event-loop.ts';
import { hasLeft } from '../engine/market/figures.ts';
import { DAY, unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';
import type { Funders } from '../engine/traders/funders.ts';
import { type HolderRow, type HolderShares, holderAccount, holderSummary } from './holder-account.ts';
import { type HolderQuery, searchOf } from './holder-query.ts';
import { rounded } from './number-format.ts';

const RANKED_MAX = 1000;
/** Candidates between two sorts. */
const GATHERED_MAX = 8 * RANKED_MAX;
const ACCOUNTS_A_SLICE = 200_000;
const AGE_MAX_S = 60;

/** The first accounts by balance, of all that are offered; put in order only when many are gathered. */
class FirstAccounts {
  readonly #ordered: (ids: readonly number[]) => number[];
  readonly #dropsOf: (id: number) => number;
  readonly #ascending: boolean;
  #ids: number[] = [];
  /** Balance of the last of them, once there are enough. */
  #edge: number | undefined;

  /** @param ordered sorts accounts: the first ones are kept. @param ascending whether the smallest are first */
  constructor(
    ordered: (ids: readonly number[]) => number[],
    dropsOf: (id: number) => number,
    ascending: boolean,
  ) {
    this.#ordered = ordered;
    this.#dropsOf = dropsOf;
    this.#ascending = ascending;
  }

  /** Ids ascend from call to call: of equal balances the smaller id is the larger holder. */
  offer(id: number, drops: number): void {
    const edge = this.#edge;
    if (edge !== undefined && (this.#ascending ? drops > edge : drops <= edge)) return;
    this.#ids.push(id);
    if (this.#ids.length < GATHERED_MAX) return;
    this.#ids = this.first();
    this.#edge = this.#dropsOf(this.#ids.at(-1)!);
  }

  /** At most RANKED_MAX, in order. */
  first(): number[] {
    return this.#ordered(this.#ids).slice(0, RANKED_MAX);
  }
}

export class XrpHolders {
  readonly #state: State;
  readonly #funders: Pick<Funders, 'of'>;
  readonly #turns = new Turns(1);
  #largest: number[] = [];
  #active = 0;
  /** Close time of the pass; undefined = none yet. */
  #at: number | undefined;
  #passing: Promise<void> | undefined;

  constructor(state: State, funders: Pick<Funders, 'of'>) {
    this.#state = state;
    this.#funders = funders;
  }

  /** Resolves when the largest are known; undefined: they are. @param now close time of the newest ledger. */
  ready(now: number): Promise<void> | undefined {
    if (this.#at !== undefined && Math.abs(now - this.#at) < AGE_MAX_S) return undefined;
    this.#passing ??= this.#pass(now).finally(() => {
      this.#passing = undefined;
    });
    return this.#passing;
  }

  drop(): void {
    this.#at = undefined;
  }

  /** Shares in percent of all XRP; accounts active in the last day. */
  info(now: number) {
    const { accounts } = this.#state;
    return {
      time: unixMs(now),
      length: accounts.existing,
      holders: accounts.existing,
      ...this.#shares(),
      active24H: this.#active,
    };
  }

  /** A page of all accounts where the largest do not say it, else of these. */
  async page(query: HolderQuery) {
    const { ascending, frozen, minBalance, maxBalance } = query;
    const isOfLargest = !ascending && minBalance === undefined && maxBalance === undefined;
    if (isOfLargest || frozen || searchOf(query) !== undefined) return this.list(query);
    const { ids, above, matching } = await this.#find(query);
    const page = ids
      .map((id, i) => ({ id, rank: ascending ? above + matching - i : above + i + 1 }))
      .slice(query.offset, query.offset + query.limit)
      .filter(({ id }) => this.#state.accounts.exists(id));
    return this.#answer(page, matching);
  }

  /** A page of the largest. */
  list(query: HolderQuery) {
    const ranked = this.#ranked();
    const places = this.#matching(ranked, query);
    const found = places ?? ranked.map((_, i) => i);
    if (query.ascending) found.reverse();
    const page = found
      .slice(query.offset, query.offset + query.limit)
      .map((at) => ({ id: ranked[at]!, rank: at + 1 }));
    return this.#answer(page, places?.length ?? this.#state.accounts.existing);
  }

  #answer(page: readonly { readonly id: number; readonly rank: number }[], length: number) {
    return {
      summary: holderSummary(this.#shares(), 0),
      length,
      richList: page.map(({ id, rank }) => this.#row(id, rank)),
      accounts: page.map(({ id }) => id),
    };
  }

  /** 1 = largest; null for an account that is not among the largest. */
  rank(account: number): number | null {
    return this.#ranked().indexOf(account) + 1 || null;
  }

  async #pass(now: number): Promise<void> {
    const { accounts } = this.#state;
    const largest = this.#firstAccounts(false);
    let active = 0;
    await this.#each((id, drops) => {
      if (!hasLeft(accounts.lastSent(id), now, DAY)) active++;
      largest.offer(id, drops);
    });
    this.#largest = largest.first();
    this.#active = active;
    this.#at = now;
  }

  /** The first accounts with a balance between the bounds, how many there are, and how many have more. */
  async #find({ ascending, minBalance = 0, maxBalance = Number.POSITIVE_INFINITY }: HolderQuery) {
    const first = this.#firstAccounts(ascending);
    let above = 0;
    let matching = 0;
    await this.#each((id, drops) => {
      const balance = drops / DROPS_PER_XRP;
      if (balance > maxBalance) above++;
      else if (balance >= minBalance) {
        matching++;
        first.offer(id, drops);
      }
    });
    return { ids: first.first(), above, matching };
  }

  #firstAccounts(ascending: boolean): FirstAccounts {
    const ordered = (ids: readonly number[]) => (ascending ? this.#sorted(ids).reverse() : this.#sorted(ids));
    return new FirstAccounts(ordered, (id) => this.#drops(id), ascending);
  }

  /** Visits all accounts, in slices. */
  async #each(visit: (id: number, drops: number) => void): Promise<void> {
    const { accounts } = this.#state;
    for (let id = 1; id < accounts.count; id++) {
      if (id % ACCOUNTS_A_SLICE === 1) await this.#turns.wait();
      if (accounts.exists(id)) visit(id, this.#drops(id));
    }
  }

  /** As a float: only ranks. */
  #drops(id: number): number {
    const { balanceHi, balanceLo } = this.#state.accounts;
    return (balanceHi[id]! & 0x3fffffff) * 0x1_0000_0000 + balanceLo[id]!;
  }

  #sorted(ids: readonly number[]): number[] {
    return ids.toSorted((a, b) => this.#drops(b) - this.#drops(a) || a - b);
  }

  #ranked(): number[] {
    return this.#sorted(this.#largest.filter((id) => this.#state.accounts.exists(id)));
  }

  /** Places among the ranked; undefined = all. */
  #matching(ranked: readonly number[], query: HolderQuery): number[] | undefined {
    const { accounts } = this.#state;
    const { minBalance, maxBalance, frozen } = query;
    const wanted = searchOf(query)?.toLowerCase();
    if (wanted === undefined && minBalance === undefined && maxBalance === undefined && !frozen)
      return undefined;
    const places: number[] = [];
    for (const [at, id] of ranked.entries()) {
      const balance = this.#drops(id) / DROPS_PER_XRP;
      if (frozen || balance < (minBalance ?? 0) || balance > (maxBalance ?? Number.POSITIVE_INFINITY))
        continue;
      if (wanted === undefined || accounts.text(id).toLowerCase().includes(wanted)) places.push(at);
    }
    return places;
  }

  #row(id: number, rank: number): HolderRow {
    const { accounts } = this.#state;
    const balance = decimalText({ m: accounts.balanceDrops(id), e: XRP_EXPONENT });
    return {
      account: accounts.text(id),
      balance,
      holding: rounded(this.#percent(this.#drops(id)), 6),
      rank,
      freeze: false,
      isCreator: false,
      ...holderAccount(this.#state, this.#funders, id),
    };
  }

  #percent(drops: number): number {
    const all = decimalNumber({ m: this.#state.fees.totalDrops, e: 0 });
    return all > 0 ? Math.min(100, (drops / all) * 100) : 0;
  }

  /** undefined: no pass was made yet, nothing is known. */
  #shares(): HolderShares | undefined {
    const ranked = this.#ranked();
    if (ranked.length === 0) return undefined;
    const share = (count: number) => {
      const drops = ranked.slice(0, count).reduce((sum, id) => sum + this.#drops(id), 0);
      return rounded(this.#percent(drops), 4);
    };
    return { top10: share(10), top20: share(20), top50: share(50), top100: share(100) };
  }
}
