/**
 * Category tags that the ledger itself supports: `Stablecoin` for the tokens the rates are anchored to
 * (engine/market/anchors.ts), the platform's name and `Memes` for those that a platform launched, the asset class an MPT
 * names in its metadata, `LP Token` for shares of a pool. Kept as sets of listed tokens, extended as tokens appear.
 */

import { mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';
import { TokenKind } from '../engine/state/tokens.ts';
import type { TypeColumn } from './type-column.ts';

const MEME_TAG = 'Memes';

/** Asset classes and subclasses of XLS-89 in the words of tags. */
const CLASS_TAGS: ReadonlyMap<string, string> = new Map([
  ['rwa', 'Real World Assets'],
  ['memes', MEME_TAG],
  ['wrapped', 'Wrapped'],
  ['gaming', 'Gaming'],
  ['defi', 'DeFi'],
  ['stablecoin', 'Stablecoin'],
  ['commodity', 'Commodity'],
  ['real_estate', 'Real Estate'],
  ['private_credit', 'Private Credit'],
  ['equity', 'Equity'],
  ['treasury', 'Treasury'],
]);

const LP_TAG = 'LP Token';
const STABLE_TAG = 'Stablecoin';

/** The form of a tag in links: lower case, blanks as `-`, `&` as `and`. */
export function tagSlug(tag: string): string {
  return tag.trim().toLowerCase().replaceAll('&', 'and').replace(/\s+/g, '-');
}

/** What the market knows of a token's kind. */
export interface MarketKinds {
  /** It represents fiat money. */
  isAnchor(token: number): boolean;
  /** It claims to: its code is that of a money. */
  claims(token: number): boolean;
  /** Name of the platform that launched it. */
  launchpad(token: number): string | undefined;
  /** Tags that its creator or issuer gave it. */
  given(token: number): readonly string[];
}

export class TokenTags {
  readonly #state: State;
  readonly #types: TypeColumn;
  readonly #kinds: MarketKinds;
  readonly #isListed: (token: number) => boolean;
  readonly #byTag = new Map<string, { readonly name: string; readonly tokens: Set<number> }>();
  #taken = 1;

  /** @param isListed whether a token is among those that a tag finds. */
  constructor(state: State, types: TypeColumn, kinds: MarketKinds, isListed: (token: number) => boolean) {
    this.#isListed = isListed;
    this.#state = state;
    this.#types = types;
    this.#kinds = kinds;
  }

  /** Tags of a token as they are now. */
  of(token: number): string[] {
    const { tokens } = this.#state;
    const tags = new Set<string>();
    const launchpad = this.#kinds.launchpad(token);
    if (this.#kinds.isAnchor(token)) tags.add(STABLE_TAG);
    else if (launchpad !== undefined) tags.add(launchpad).add(MEME_TAG);
    const type = this.#types.of(token);
    if (type === 'lp') tags.add(LP_TAG);
    if (type === 'mpt') {
      const { assetClass, assetSubclass } = mptMetadata(tokens.metadata(token)) ?? {};
      for (const word of [assetClass, assetSubclass]) {
        const tag = word === undefined ? undefined : CLASS_TAGS.get(word.toLowerCase());
        if (tag !== undefined) tags.add(tag);
      }
    }
    const given = this.#kinds.given(token);
    if (given.length > 0) {
      const slugs = new Set([...tags].map(tagSlug));
      for (const tag of given) if (!slugs.has(tagSlug(tag))) tags.add(tag);
    }
    return [...tags];
  }

  /**
   * Whether the token is listed, an MPT's metadata, or whether a token that claims to be fiat money is an anchor, may have
   * changed.
   */
  update(token: number): void {
    if (token >= this.#taken) return;
    let carried = false;
    for (const { tokens } of this.#byTag.values()) carried = tokens.has(token) || carried;
    const mayChange = this.#state.tokens.kind(token) === TokenKind.mpt || this.#kinds.claims(token);
    if (carried && this.#isListed(token) && !mayChange) return;
    if (carried) for (const { tokens } of this.#byTag.values()) tokens.delete(token);
    this.#add(token);
  }

  /** Its tags have changed. */
  reclassify(token: number): void {
    if (token >= this.#taken) return;
    for (const { tokens } of this.#byTag.values()) tokens.delete(token);
    this.#add(token);
  }

  drop(): void {
    this.#byTag.clear();
    this.#taken = 1;
  }

  /** Name and tokens of a tag, by name or slug in any case; undefined when no token carries it. */
  find(tag: string): { readonly name: string; readonly tokens: ReadonlySet<number> } | undefined {
    this.extend();
    const found = this.#byTag.get(tagSlug(tag));
    return found && found.tokens.size > 0 ? found : undefined;
  }

  /** Names of all tags in use, most tokens first. */
  names(): string[] {
    this.extend();
    return [...this.#byTag.values()]
      .filter(({ tokens }) => tokens.size > 0)
      .sort((a, b) => b.tokens.size - a.tokens.size || (a.name < b.name ? -1 : 1))
      .map(({ name }) => name);
  }

  /** Tokens taken in so far; XRP counts. */
  get count(): number {
    return this.#taken;
  }

  /** Takes in up to `limit` further tokens. Returns true when all are in. */
  extend(limit = Number.POSITIVE_INFINITY): boolean {
    const { count } = this.#state.tokens;
    const end = Math.min(count, this.#taken + limit);
    while (this.#taken < end) this.#add(this.#taken++);
    return end === count;
  }

  #add(token: number): void {
    if (!this.#isListed(token)) return;
    for (const name of this.of(token)) {
      const slug = tagSlug(name);
      let entry = this.#byTag.get(slug);
      if (!entry) {
        entry = { name, tokens: new Set() };
        this.#byTag.set(slug, entry);
      }
      entry.tokens.add(token);
    }
  }
}
