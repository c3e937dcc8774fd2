/**
 * The picture of a token: the one that its creator or issuer gave here, else the icon that its issuer names, once that has
 * been read, else one that is drawn from its md5. Tokens that no ledger has shown have none.
 *
 * What is drawn is kept, the oldest dropped first: at most GENERATED_MAX of 0.1 to 2 KB.
 */
import type { State } from '../../engine/state/state.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { THUMB_WIDTHS } from '../../platform/images.ts';
import type { IssuerIcons } from '../../platform/issuer-icons.ts';
import type { TokenData } from '../../platform/token-metadata.ts';
import { crossIcon, identicon } from './identicon.ts';

export interface TokenPicture {
  /** WebP. */
  readonly bytes: Uint8Array;
  /** Unix ms when its source was written, or read; undefined: it has none, it is drawn. */
  readonly changedAt: number | undefined;
}

/** What is drawn loses nothing by being shown larger. */
const DRAWN_SIDE_MAX = Math.max(...THUMB_WIDTHS);
/** 4 MB if all are of the largest width. */
export const GENERATED_MAX = 2048;

export class TokenPictures {
  readonly #state: State;
  readonly #data: TokenData;
  readonly #icons: IssuerIcons | undefined;
  readonly #iconOf: (token: number) => string | undefined;
  readonly #generated = new Map<string, Uint8Array>();

  /**
   * @param icons undefined: those of issuers are not read
   * @param iconOf address of the icon that the issuer of a token names
   */
  constructor(
    state: State,
    data: TokenData,
    icons: IssuerIcons | undefined,
    iconOf: (token: number) => string | undefined,
  ) {
    this.#state = state;
    this.#data = data;
    this.#icons = icons;
    this.#iconOf = iconOf;
  }

  /**
   * @param md5 of the token
   * @param side longest side, px: one of THUMB_WIDTHS, or IMAGE_SIDE; what is drawn is at most DRAWN_SIDE_MAX
   * @returns undefined: there is none
   */
  of(md5: string, side: number): TokenPicture | undefined {
    const changedAt = this.#data.of(md5)?.image?.changedAt;
    const bytes = changedAt === undefined ? undefined : this.#data.imageOf(md5, side);
    if (bytes) return { bytes, changedAt };
    const token = this.#state.tokens.byMd5(md5);
    if (token === undefined) return undefined;
    const address = this.#icons && this.#iconOf(token);
    const icon = address === undefined ? undefined : this.#icons?.form(address, side);
    if (icon) return icon;
    return { bytes: this.#drawn(token, md5, Math.min(side, DRAWN_SIDE_MAX)), changedAt: undefined };
  }

  /** How many drawn ones are kept. */
  get drawn(): number {
    return this.#generated.size;
  }

  #drawn(token: number, md5: string, side: number): Uint8Array {
    const key = `${md5}_${side}`;
    const known = this.#generated.get(key);
    if (known) return known;
    const made = token === XRP ? crossIcon(side) : identicon(md5, side);
    if (this.#generated.size >= GENERATED_MAX) this.#generated.delete(this.#generated.keys().next().value!);
    this.#generated.set(key, made);
    return made;
  }
}
