/** Tokens that share an audience with a token (engine/metrics/related-tokens.ts), as readers see them. */
import type { Engine } from '../engine/engine.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import { type RelatedTokens, relatedTokens } from '../engine/metrics/related-tokens.ts';
import { atOneVersion } from './at-one-version.ts';
import { tokenName } from './identity.ts';
import { rounded } from './number-format.ts';

/** Rows of an answer. */
const ROWS = 20;
/** Close time for which an answer is kept: audiences change slowly. */
const KEPT_SECONDS = 300;
const KEPT_TOKENS = 256;

export class Related {
  readonly #engine: Engine;
  readonly #heavy: HeavyReads | undefined;
  readonly #kept = new Map<number, { readonly time: number; readonly found: Promise<RelatedTokens> }>();

  constructor(engine: Engine, heavy: HeavyReads | undefined) {
    this.#engine = engine;
    this.#heavy = heavy;
  }

  /** @throws HeavyReadsBusyError */
  async of(token: number) {
    const { state, flows } = this.#engine;
    const { tokens } = state;
    const { audience, tokens: found } = await this.#found(token);
    const creator = flows.creators.of(token);
    const related = found
      .filter((one) => tokens.pools[one.token] === 0)
      .slice(0, ROWS)
      .map(({ token: other, shared, holders, score }) => ({
        type: 'token' as const,
        md5: tokens.md5(other),
        slug: tokens.slug(other),
        name: tokenName(state, other),
        issuer: tokens.issuerText(other),
        holders,
        sharedHolders: shared,
        sharedPct: rounded((shared / audience) * 100, 2),
        score: rounded(score, 6),
        sameProject: tokens.issuer(other) === tokens.issuer(token) || flows.creators.of(other) === creator,
      }));
    return { md5: tokens.md5(token), audience, count: related.length, related };
  }

  /** Kept for a while of close time. */
  #found(token: number): Promise<RelatedTokens> {
    const time = this.#engine.head?.closeTime ?? 0;
    const kept = this.#kept.get(token);
    if (kept && time - kept.time < KEPT_SECONDS) return kept.found;
    if (this.#kept.size >= KEPT_TOKENS) this.#kept.delete(this.#kept.keys().next().value as number);
    const found = this.#find(token);
    this.#kept.set(token, { time, found });
    // What failed is tried again by the next reader.
    found.catch(() => this.#kept.delete(token));
    return found;
  }

  async #find(token: number): Promise<RelatedTokens> {
    if (this.#heavy) return (await this.#heavy.run('relateTokens', { token })).value;
    return atOneVersion([this.#engine], () => relatedTokens(this.#engine.state, token));
  }
}
