/** Balances of one token for loops over many of its lines: what is the same for all of them is read once. */
import { AssetKind, POSITIVE, rawNumber } from '../codec/amount.ts';

/** The columns that it reads. */
export interface BalanceColumns {
  readonly lines: {
    readonly highs: Uint32Array;
    readonly balancesHi: Uint32Array;
    readonly balancesLo: Uint32Array;
  };
  readonly tokens: {
    readonly assetScale: Uint8Array;
    kind(token: number): AssetKind;
    issuer(token: number): number;
  };
}

export class TokenBalances {
  readonly #lines: BalanceColumns['lines'];
  readonly #kind: AssetKind;
  /** Bits of a balance's upper word that are its size: for issued amounts, exponent and mantissa. */
  readonly #sizeBits: number;
  readonly #scale: number;
  readonly #issuer: number;

  constructor({ lines, tokens }: BalanceColumns, token: number) {
    this.#lines = lines;
    this.#kind = tokens.kind(token);
    this.#sizeBits = this.#kind === AssetKind.mpt ? 0xffffffff : POSITIVE - 1;
    this.#scale = tokens.assetScale[token]!;
    this.#issuer = tokens.issuer(token);
  }

  /** Balance of one of the token's lines, seen from its holder: as `Lines.balanceNumber`. */
  of(line: number): number {
    const { highs, balancesHi, balancesLo } = this.#lines;
    const high = highs[line]!;
    const hi = balancesHi[line]!;
    const isLow = high === 0 || high === this.#issuer;
    return rawNumber(this.#kind, isLow ? hi : (hi ^ POSITIVE) >>> 0, balancesLo[line]!, this.#scale);
  }

  /**
   * A number that grows with the size of a line's balance, whichever side holds it: one with a smaller number is smaller.
   * For passes over many lines: it needs one column.
   */
  sizeOf(line: number): number {
    return (this.#lines.balancesHi[line]! & this.#sizeBits) >>> 0;
  }
}
