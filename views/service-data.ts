/**
 * What rows of tokens show that does not follow from ledgers, by token: what creators, issuers and the admin say of them
 * here, what issuers publish at their domains, and how often they are looked at.
 *
 * Changes of the first kind are shown at once (`TokenData.version`); the others come all the time, and are shown from the
 * next ledger on, so that answers are kept as long as without them.
 */
import { mptMetadata } from '../engine/state/mpt-metadata.ts';
import type { State } from '../engine/state/state.ts';
import type { IssuerFiles } from '../platform/issuer-files.ts';
import type { Standing, TokenData, TokenMetadata } from '../platform/token-metadata.ts';
import { IssuerTexts, type PublishedTexts } from './issuer-texts.ts';

export class ServiceData {
  readonly #state: State;
  readonly #data: TokenData;
  readonly #published: IssuerTexts;

  /** @param files undefined: what issuers publish is not read */
  constructor(state: State, data: TokenData, files: IssuerFiles | undefined) {
    this.#state = state;
    this.#data = data;
    this.#published = new IssuerTexts(state, files);
  }

  /** What its creator or issuer says of a token here. */
  given(token: number): TokenMetadata | undefined {
    return this.#data.isEmpty ? undefined : this.#data.of(this.#state.tokens.md5(token));
  }

  /** What its issuer publishes of it. */
  published(token: number): PublishedTexts | undefined {
    return this.#published.of(token);
  }

  /** Tags that its creator or issuer gave it. */
  tags(token: number): readonly string[] {
    return this.given(token)?.tags ?? [];
  }

  /** What the admin vouches for. */
  standing(token: number): Standing | undefined {
    return this.#data.hasNoStandings ? undefined : this.#data.standing(this.#state.tokens.md5(token));
  }

  /** In 24 hours. */
  views(token: number): number {
    return this.#data.views.of(this.#state.tokens.md5(token));
  }

  /** Address of the image that was given here. */
  image(token: number): string | undefined {
    const image = this.given(token)?.image;
    return image && this.#data.imageAddress(this.#state.tokens.md5(token), image);
  }

  /** Address of the icon that its issuer names: with an MPT, or at its domain. */
  issuerIcon(token: number): string | undefined {
    return mptMetadata(this.#state.tokens.metadata(token))?.icon ?? this.published(token)?.icon;
  }

  /** undefined: nobody describes it. */
  description(token: number): string | undefined {
    return (
      mptMetadata(this.#state.tokens.metadata(token))?.description ??
      this.given(token)?.description ??
      this.published(token)?.description
    );
  }

  /** Calls after each change that is shown at once. */
  onChange(listener: (token: number) => void): void {
    this.#data.onChange((md5) => {
      const token = this.#state.tokens.byMd5(md5);
      if (token !== undefined) listener(token);
    });
  }

  /**
   * A ledger was applied.
   * @param closeTime Ripple epoch seconds
   * @returns tokens of which something else is shown from now on
   */
  *applied(closeTime: number): Iterable<number> {
    for (const md5 of this.#data.views.publish(closeTime)) {
      const token = this.#state.tokens.byMd5(md5);
      if (token !== undefined) yield token;
    }
    yield* this.#published.changed();
  }
}
