import type { Answer } from '../../net/rest.ts';

/** What the reader asks for. Amounts are decimal text. */
export interface Asked {
  /** Token ids; XRP is 'XRP'. */
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  /** Which side the amount is exact on. */
  readonly side: 'spend' | 'receive';
  /** r-address; undefined: not said. */
  readonly account: string | undefined;
  /** A fraction: '0.02' is 2 %. */
  readonly slippage: string;
}

type QuoteAnswer = Answer<'/dex/quote', 'POST'>;
export type Quote = NonNullable<QuoteAnswer['quote']>;

/** A frame of `/ws/quote`. */
export interface QuoteFrame extends Pick<QuoteAnswer, 'requiresTrustline' | 'alternatives'> {
  /** null where there is no way. */
  readonly quote: Quote | null;
  readonly ledger_index: number;
}

export type QuotedAmount = Quote['source_amount'];
