/**
 * The token list: sorted, filtered, paged.
 *
 * Orders are kept (see sorted-order.ts), one per sort key, built when first read: readers await `ready`, which builds them
 * in slices. Without filters a page is a slice. Filters become one byte per token (1 = stays), made without looking at a token object, and the order is
 * walked over them: about 2 ms for 500,000 tokens, once per ledger and query since answers are cached by version.
 */

import { runInSlices } from '../engine/event-loop.ts';
import type { TokenType } from '../engine/state/tokens.ts';
import type { NameIndex } from './name-index.ts';
import { SortedOrder } from './sorted-order.ts';
import type { TokenSort } from './token-fields.ts';

export interface TokenQuery {
  readonly sort: TokenSort;
  readonly ascending: boolean;
  readonly offset: number;
  readonly limit: number;
  /** Lower-case tag slug. */
  readonly tag?: string | undefined;
  readonly filter?: string | undefined;
  readonly filterNot?: string | undefined;
  readonly type?: TokenType | undefined;
  /** First seen at or after this time (Ripple epoch seconds). */
  readonly since?: number | undefined;
  /** Only tokens whose first appearance is unknown. */
  readonly undated?: boolean | undefined;
  /** Only these. */
  readonly only?: readonly number[] | undefined;
  /** Only tokens for which it is true; called for those that pass all other filters. */
  readonly keep?: ((token: number) => boolean) | undefined;
}

/** What the list needs to know about tokens. */
export interface ListedTokens {
  /** Exclusive bound of the token ids. */
  readonly end: number;
  /** How many of them are listed, and which (engine/state/listing.ts). */
  readonly listed: number;
  isListed(id: number): boolean;
  /** The key of a sort, NaN = nothing known; undefined for the sort by name. */
  sortKey(sort: TokenSort): ((id: number) => number) | undefined;
  type(id: number): string;
  /** Ripple epoch seconds; 0 = unknown. */
  createdAt(id: number): number;
  /** Ids that carry a tag; undefined for a tag that no token carries. */
  tagged(tag: string): Iterable<number> | undefined;
}

/** Sorts by what pools lock. */
const OF_POOLS = ['tvl', 'tvlChange24h', 'assessmentScore'] as const satisfies readonly TokenSort[];

/** An order that is dropped while it is built is built again this often, then by its reader. */
const TRIES_MAX = 3;

/** Native XRP is 0, and never listed. */
const FIRST_LISTED = 1;

/** Whether the names of all tokens are read. */
function usesNames({ sort, filter, filterNot }: Pick<TokenQuery, 'sort' | 'filter' | 'filterNot'>): boolean {
  return sort === 'name' || !!filter || !!filterNot;
}

export class TokenList {
  readonly #tokens: ListedTokens;
  readonly #names: NameIndex;
  readonly #orders = new Map<TokenSort, SortedOrder>();
  readonly #building = new Map<TokenSort, Promise<void>>();

  constructor(tokens: ListedTokens, names: NameIndex) {
    this.#tokens = tokens;
    this.#names = names;
  }

  /** Something about a token changed. */
  markDirty(id: number): void {
    for (const order of this.#orders.values()) order.markDirty(id);
  }

  /** The token's pools lock another value. */
  markRepriced(id: number): void {
    for (const sort of OF_POOLS) this.#orders.get(sort)?.markDirty(id);
  }

  /** The settings of the token's issuer changed. */
  markIssuerChanged(id: number): void {
    this.#orders.get('assessmentScore')?.markDirty(id);
  }

  /** Whether the settings of issuers are in an order that is kept. */
  get showsIssuers(): boolean {
    return this.#orders.has('assessmentScore');
  }

  /** Forgets one order, or all. */
  drop(sort?: TokenSort): void {
    if (sort === undefined) this.#orders.clear();
    else this.#orders.delete(sort);
  }

  /** Whether lists of this sort need no long computation now. */
  isReady(sort: TokenSort): boolean {
    return this.#orders.get(sort)?.isBuilt === true;
  }

  /** Resolves when lists of this sort need no long computation; undefined: they need none now. By name: names are in. */
  ready(sort: TokenSort): Promise<void> | undefined {
    if (this.isReady(sort)) return undefined;
    let building = this.#building.get(sort);
    if (!building) {
      building = this.#build(sort).finally(() => this.#building.delete(sort));
      this.#building.set(sort, building);
    }
    return building;
  }

  async #build(sort: TokenSort): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const order = this.#order(sort);
      const { end } = this.#tokens;
      if (usesNames({ sort })) this.#names.extend(end);
      if (!order.isBuilt) await runInSlices(order.build(end));
      if (this.#orders.get(sort)?.isBuilt) return;
    }
  }

  /** The first tokens of a sort, descending, that are among the given ones. */
  first(sort: TokenSort, limit: number, among: ReadonlySet<number>): number[] {
    const ids: number[] = [];
    if (limit <= 0 || among.size === 0) return ids;
    this.#order(sort).walk(this.#tokens.end, false, (id) => {
      if (among.has(id)) ids.push(id);
      return ids.length < Math.min(limit, among.size);
    });
    return ids;
  }

  /** The place of each listed token in descending order, from 1 on; of others 0. */
  places(sort: TokenSort): Uint32Array {
    const { end } = this.#tokens;
    const places = new Uint32Array(end);
    this.#order(sort).places(end, places);
    return places;
  }

  /** The keys that a sort orders listed tokens by, NaN = nothing known; until the next ledger. */
  keys(sort: TokenSort): (token: number) => number {
    const order = this.#order(sort);
    order.ids(this.#tokens.end);
    return (token) => order.keyOf(token);
  }

  get total(): number {
    return this.#tokens.listed;
  }

  /** The ids of a page, and how many tokens match in all. */
  list(query: TokenQuery): { readonly ids: number[]; readonly total: number } {
    const { end } = this.#tokens;
    if (usesNames(query)) this.#names.extend(end);
    const order = this.#order(query.sort);
    const marks = this.#marks(query);
    if (!marks) {
      return { ids: order.page(end, query.ascending, query.offset, query.limit), total: this.total };
    }
    const ids: number[] = [];
    let total = 0;
    order.walk(end, query.ascending, (id) => {
      if (!marks[id]) return true;
      if (total >= query.offset && ids.length < query.limit) ids.push(id);
      total++;
      return true;
    });
    return { ids, total };
  }

  #order(sort: TokenSort): SortedOrder {
    let order = this.#orders.get(sort);
    if (!order) {
      order = this.#newOrder(sort);
      this.#orders.set(sort, order);
    }
    return order;
  }

  #newOrder(sort: TokenSort): SortedOrder {
    const tokens = this.#tokens;
    const options = { first: FIRST_LISTED, isListed: (id: number) => tokens.isListed(id) };
    const key = tokens.sortKey(sort);
    if (key) return new SortedOrder(key, options);
    const names = this.#names;
    // Descending, as the keys are.
    const tie = (a: number, b: number) => names.compare(b, a) || a - b;
    return new SortedOrder((id) => names.key(id), { ...options, tie });
  }

  /** One byte per token, or undefined when nothing filters. */
  #marks(query: TokenQuery): Uint8Array | undefined {
    const { end } = this.#tokens;
    let marks: Uint8Array | undefined;
    const narrow = (keep: (id: number) => boolean) => {
      marks ??= new Uint8Array(end).fill(1);
      for (let id = FIRST_LISTED; id < end; id++) if (marks[id] && !keep(id)) marks[id] = 0;
    };
    if (query.only) marks = marked(end, query.only);
    if (query.tag !== undefined) {
      const tagged = marked(end, this.#tokens.tagged(query.tag) ?? []);
      narrow((id) => tagged[id] === 1);
    }
    if (query.filter) {
      const found = this.#names.containing(query.filter);
      narrow((id) => found[id] === 1);
    }
    if (query.filterNot) {
      const found = this.#names.containing(query.filterNot);
      narrow((id) => found[id] === 0);
    }
    const { type, since } = query;
    if (type !== undefined) narrow((id) => this.#tokens.type(id) === type);
    if (since !== undefined) narrow((id) => this.#tokens.createdAt(id) >= since);
    if (query.undated) narrow((id) => this.#tokens.createdAt(id) === 0);
    if (query.keep) narrow(query.keep);
    return marks;
  }
}

function marked(end: number, ids: Iterable<number>): Uint8Array {
  const marks = new Uint8Array(end);
  for (const id of ids) if (id >= FIRST_LISTED && id < end) marks[id] = 1;
  return marks;
}
