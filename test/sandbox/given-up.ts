/**
 * Payments that the network gives up by rule: parts over several strands may add up to one last digit more than was
 * requested, and then nothing is paid (rippled StrandFlow.h, "dust"). The result is the same as for a rule that throws,
 * `tefEXCEPTION`; this helper calls the payment engine itself, which throws in this case.
 */
import { PaymentView } from '../../sandbox/flow/payment-view.ts';
import { rippleCalculate } from '../../sandbox/flow/ripple-calculate.ts';
import type { TransactionFields } from '../../sandbox/protocol/fields.ts';
import { pathsRequest } from '../../sandbox/transactions/payment-transfer.ts';

/** Whether a refused payment was given up for this reason, on the ledger that it did not change. */
export function isGivenUp(
  view: ConstructorParameters<typeof PaymentView>[0],
  tx: TransactionFields,
): boolean {
  if (tx.TransactionType !== 'Payment' || tx.Amount === undefined || tx.Amount.isMpt) return false;
  const { result } = rippleCalculate(new PaymentView(view), pathsRequest(tx));
  return result === 'tefEXCEPTION';
}
