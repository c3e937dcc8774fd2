/**
 * Tokens and collections of NFTs that share an audience with a token or a collection (engine/metrics/related-tokens.ts,
 * related-collections.ts), as readers see them.
 */

import { accountText } from '../engine/codec/base58.ts';
import type { Engine } from '../engine/engine.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import { collectionsOfAudience, type RelatedCollection } from '../engine/metrics/related-collections.ts';
import {
  AUDIENCE,
  type RelatedTokens,
  relatedTokens,
  tokensOfAudience,
} from '../engine/metrics/related-tokens.ts';
import { atOneVersion } from './at-one-version.ts';
import { tokenName } from './identity.ts';
import { collectionId, collectionSlug } from './nfts/collection-ids.ts';
import type { NftViews } from './nfts/nfts.ts';
import { rounded } from './number-format.ts';

/** Rows of each kind in an answer. */
const ROWS = 20;
/** Close time for which an answer is kept: audiences change slowly. */
const KEPT_SECONDS = 300;
const KEPT_ANSWERS = 512;

interface Found {
  readonly audience: number;
  readonly tokens: RelatedTokens['tokens'];
  readonly collections: readonly RelatedCollection[];
}

export class Related {
  readonly #engine: Engine;
  readonly #heavy: HeavyReads | undefined;
  readonly #nfts: NftViews;
  readonly #kept = new Map<string, { readonly time: number; readonly found: Promise<Found> }>();

  constructor(engine: Engine, heavy: HeavyReads | undefined, nfts: NftViews) {
    this.#engine = engine;
    this.#heavy = heavy;
    this.#nfts = nfts;
  }

  /** @throws HeavyReadsBusyError */
  async of(token: number) {
    const { state, flows } = this.#engine;
    const { tokens } = state;
    const found = await this.#found(`token ${token}`, () => this.#ofToken(token));
    const creator = flows.creators.of(token);
    const isSame = (other: number) =>
      tokens.issuer(other) === tokens.issuer(token) || flows.creators.of(other) === creator;
    const related = this.#rows(found, isSame, tokens.issuerText(token));
    return { md5: tokens.md5(token), audience: found.audience, count: related.length, related };
  }

  /** @param row of the collections. @throws HeavyReadsBusyError */
  async ofCollection(row: number) {
    const { state, nfts } = this.#engine;
    const { collections } = nfts;
    const found = await this.#found(`collection ${row}`, () => this.#ofCollection(row));
    const issuer = accountText(collections.key(row).subarray(0, 20));
    const isSame = (token: number) => state.tokens.issuerText(token) === issuer;
    const related = this.#rows(found, isSame, issuer);
    return {
      cid: collectionId(collections, row),
      slug: collectionSlug(collections, row),
      audience: found.audience,
      count: related.length,
      related,
    };
  }

  /** Those with the highest score first. @param isSame whether a token is of the same project. @param issuer r-address */
  #rows({ audience, tokens, collections }: Found, isSame: (token: number) => boolean, issuer: string) {
    const rows = [...this.#tokenRows(tokens, isSame), ...this.#collectionRows(collections, issuer)];
    return rows
      .sort((a, b) => b.score - a.score)
      .map(({ score, ...row }) => ({
        ...row,
        sharedPct: rounded((row.sharedHolders / audience) * 100, 2),
        score: rounded(score, 6),
        // Who posts about two of them is not read from anywhere.
        posts: [],
      }));
  }

  #tokenRows(found: RelatedTokens['tokens'], isSame: (token: number) => boolean) {
    const { state } = this.#engine;
    const { tokens, accounts, lines } = state;
    return found
      .filter(({ token }) => tokens.pools[token] === 0)
      .slice(0, ROWS)
      .map(({ token, shared, score, named }) => ({
        type: 'token' as const,
        md5: tokens.md5(token),
        slug: tokens.slug(token),
        name: tokenName(state, token),
        issuer: tokens.issuerText(token),
        // Not those when the audience was read: the same as in the token's row.
        holders: lines.holdersCount(token),
        sharedHolders: shared,
        score,
        wallets: named.map((account) => accounts.text(account)),
        sameProject: isSame(token),
      }));
  }

  #collectionRows(found: readonly RelatedCollection[], issuer: string) {
    const { collections, parties, nfts } = this.#engine.nfts;
    return found.slice(0, ROWS).map(({ collection, shared, score, named }) => {
      const own = accountText(collections.key(collection).subarray(0, 20));
      return {
        type: 'collection' as const,
        collectionId: collectionId(collections, collection),
        slug: collectionSlug(collections, collection),
        name: this.#nfts.collectionName(collection),
        issuer: own,
        holders: nfts.owners[collection]!,
        sharedHolders: shared,
        score,
        wallets: named.map((party) => accountText(parties.key(party))),
        sameProject: own === issuer,
      };
    });
  }

  /** Kept for a while of close time. */
  #found(key: string, find: () => Promise<Found>): Promise<Found> {
    const time = this.#engine.head?.closeTime ?? 0;
    const kept = this.#kept.get(key);
    if (kept && time - kept.time < KEPT_SECONDS) return kept.found;
    if (this.#kept.size >= KEPT_ANSWERS) this.#kept.delete(this.#kept.keys().next().value!);
    const found = find();
    this.#kept.set(key, { time, found });
    // What failed is tried again by the next reader.
    found.catch(() => this.#kept.delete(key));
    return found;
  }

  async #ofToken(token: number): Promise<Found> {
    const { state, nfts } = this.#engine;
    const { tokens, accounts, audience } = this.#heavy
      ? (await this.#heavy.run('relateTokens', { token })).value
      : await atOneVersion([this.#engine], () => relatedTokens(state, token));
    const parties = accounts
      .map((account) => nfts.parties.find(state.accounts.bytes(account), 0))
      .filter((party) => party !== 0);
    const collections = await this.#collections(parties, 0);
    return { audience, tokens, collections: collections.map((one) => scoredAmong(one, audience)) };
  }

  async #ofCollection(row: number): Promise<Found> {
    const { state, nfts } = this.#engine;
    const issuer = nfts.parties.find(nfts.collections.key(row), 0);
    const parties = (await this.#nfts.holders.largest(row, AUDIENCE + 1))
      .filter((party) => party !== issuer)
      .slice(0, AUDIENCE);
    const audience = parties
      .map((party) => state.accounts.find(nfts.parties.key(party), 0))
      .filter((account) => account !== undefined);
    const { tokens } = this.#heavy
      ? (await this.#heavy.run('relateTokens', { audience })).value
      : await atOneVersion([this.#engine], () => tokensOfAudience(state, audience, 0));
    return { audience: parties.length, tokens, collections: await this.#collections(parties, row) };
  }

  #collections(parties: readonly number[], except: number): Promise<readonly RelatedCollection[]> {
    return atOneVersion([this.#engine], () => collectionsOfAudience(this.#engine.nfts, parties, except));
  }
}

/** Of an audience of which only a part has to do with NFTs. */
function scoredAmong(one: RelatedCollection, audience: number): RelatedCollection {
  return { ...one, score: one.shared / Math.sqrt(audience * one.owners) };
}
