import { isJsonObject, type Json } from '../codec/values.ts';

/** Units of 1/100000. */
export interface FeeChange {
  /** Of the pool: r-address. */
  readonly pool: string;
  readonly before: number;
  readonly after: number;
}

/**
 * How a transaction changed what pools ask for trades: the providers vote, and the fee is the mean of the votes weighted by
 * LP tokens (XLS-30, AMMVote); the first deposit into an empty pool sets it again.
 *
 * Metadata names the fee of before only where it changed; a fee of zero is left out.
 * @param nodes AffectedNodes of its metadata
 */
export function feeChanges(nodes: Json | undefined): FeeChange[] {
  const changes: FeeChange[] = [];
  for (const node of Array.isArray(nodes) ? nodes : []) {
    const modified = isJsonObject(node) ? node.ModifiedNode : undefined;
    if (!isJsonObject(modified) || modified.LedgerEntryType !== 'AMM') continue;
    const { FinalFields: final, PreviousFields: previous } = modified;
    if (!isJsonObject(final) || !isJsonObject(previous) || previous.TradingFee === undefined) continue;
    const [before, after] = [Number(previous.TradingFee), Number(final.TradingFee ?? 0)];
    if (before !== after) changes.push({ pool: String(final.Account), before, after });
  }
  return changes;
}
