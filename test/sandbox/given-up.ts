/**
 * Payments that the network gives up by rule: parts over several strands may add up to a last digit more than was asked
 * for, and then nothing is paid (rippled StrandFlow.h, "dust"). The result is the one of a rule that throws,
 * `tefEXCEPTION`; here the payment engine is asked itself, which would throw.
 */
import { PaymentView } from '../../sandbox/flow/payment-view.ts';
import { rippleCalculate } from '../../sandbox/flow/ripple-calculate.ts';
import type { TransactionFields } from '../../sandbox/protocol/fields.ts';
import { pathsRequest } from '../../sandbox/transactions/payment-transfer.ts';

/** Whether a refused payment was given up so, on the ledger that it did not change. */
export function isGivenUp(
  view: ConstructorParameters<typeof PaymentView>[0],
  tx: TransactionFields,
): boolean {
  if (tx.TransactionType !== 'Payment' || tx.Amount === undefined || tx.Amount.isMpt) return false;
  const { result } = rippleCalculate(new PaymentView(view), pathsRequest(tx));
  return result === 'tefEXCEPTION';
}
