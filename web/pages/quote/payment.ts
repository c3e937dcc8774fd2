/**
 * The payment that does what was quoted, for a wallet to fill in, sign and submit. Spending exactly: at most that, and at
 * least the minimum received. Receiving exactly: that, for at most the quoted price and the tolerance.
 */
import { dropsOf, withShare } from '../../../explain/decimal.ts';
import type { Quote, QuotedAmount } from './quote.ts';

const TF_PARTIAL_PAYMENT = 131_072;

interface Swap {
  readonly account: string;
  readonly side: 'spend' | 'receive';
  readonly slippage: string;
}

/** @returns a Payment as client libraries take it; Fee, Sequence and LastLedgerSequence are the wallet's */
export function paymentOf(quote: Quote, { account, side, slippage }: Swap): object {
  const { source_amount: source, destination_amount: destination, minimum_received: least, paths } = quote;
  const common = {
    TransactionType: 'Payment',
    Account: account,
    Destination: account,
    ...(paths.length > 0 && { Paths: paths }),
  };
  if (side === 'receive') {
    const most = { ...source, value: withShare(source.value, slippage) };
    return { ...common, Amount: amountOf(destination), SendMax: amountOf(most) };
  }
  return {
    ...common,
    Amount: amountOf(destination),
    SendMax: amountOf(source),
    DeliverMin: amountOf({ ...destination, value: least }),
    Flags: TF_PARTIAL_PAYMENT,
  };
}

/** XRP as drops. */
const amountOf = ({ currency, issuer, value }: QuotedAmount): string | object =>
  issuer === undefined ? dropsOf(value) : { currency, issuer, value };
