/** A swap as it is asked for, and what may be wrong with it. */
import { type Amount, AmountError, decimalOf } from '../../engine/codec/arithmetic/amount.ts';
import { amountOfDecimal } from '../../engine/quotes/amounts.ts';

/** What is asked for. Token and account ids; accounts that no ledger named are undefined. */
export interface SwapRequest {
  readonly source: number;
  readonly destination: number;
  readonly side: 'in' | 'out';
  readonly amount: Amount;
  readonly sender: number | undefined;
  readonly receiver: number | undefined;
  /** The receiver is another account than the sender: its r-address. */
  readonly destinationAccount: string | undefined;
  /** Fraction. */
  readonly slippage: number;
}

/** What a quote warns of, in this order. */
export const WARNING_CODES = [
  'insufficient_balance',
  'line_frozen',
  'dest_limit_low',
  'token_frozen',
  'split_recommended',
  'recipient_no_trustline',
  'recipient_not_authorized',
  'recipient_line_frozen',
  'recipient_limit_low',
  'recipient_unverified',
  'destination_tag_required',
] as const;

export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/** The amount of a text, in XRP or tokens. @returns undefined for what is no amount above zero */
export function swapAmount(token: number, text: string): Amount | undefined {
  try {
    const { mantissa, exponent } = decimalOf(text.trim());
    const value = amountOfDecimal(token, { m: mantissa, e: exponent });
    return value.mantissa > 0n ? value : undefined;
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}
