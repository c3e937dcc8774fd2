/** The payment engine as used by a Payment transaction and by a path finder (rippled RippleCalc.cpp). */
import { Amount, comparable } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { qualityOf } from '../../engine/codec/arithmetic/quality.ts';
import type { PathSet } from '../protocol/fields.ts';
import { type FlowResult, flow } from './flow.ts';
import type { PaymentView } from './payment-view.ts';

export interface PaymentRequest {
  readonly source: AccountId;
  readonly destination: AccountId;
  readonly deliver: Amount;
  /** Maximum to spend; negative: no limit. */
  readonly maximum: Amount;
  readonly paths: PathSet;
  readonly defaultPath: boolean;
  readonly partial: boolean;
  /** No strand may be worse than `maximum` for `deliver`. */
  readonly limitQuality: boolean;
  readonly domain: Hex | undefined;
}

/** Pays in `view`, which changes only if the result is tesSUCCESS. */
export function rippleCalculate(view: PaymentView, request: PaymentRequest): FlowResult {
  const { deliver, maximum, source } = request;
  const unlimited =
    maximum.mantissa < 0n && comparable(maximum.asset, deliver.asset) && maximum.issuer === source;
  try {
    return flow(view, {
      ...request,
      ownerPaysTransferFee: false,
      crossing: 'no',
      limitQuality: request.limitQuality && maximum.mantissa > 0n ? qualityOf(maximum, deliver) : undefined,
      sendMax: unlimited ? undefined : maximum,
    });
  } catch (error) {
    // A number out of range: the transaction is recorded, and pays its fee.
    if (!(error instanceof Error) || error instanceof TypeError || error instanceof ReferenceError)
      throw error;
    const none = { in: Amount.zero(maximum.asset), out: Amount.zero(deliver.asset) };
    return { result: 'tecINTERNAL', ...none, removals: new Set() };
  }
}
