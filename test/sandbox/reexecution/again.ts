/** A recorded transaction applied again to its rebuilt before-state: differences between result and recording. */
import type { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { supplyAccounts, supplyDefaultRipple, supplyEarlyRippling, supplyTrustLine } from './accounts.ts';
import type { Archive } from './archive.ts';
import { Before } from './before.ts';
import { differences } from './differences.ts';
import { supplyDirectories } from './directories.ts';
import { inTodaysForm, supplyDrafts } from './drafts.ts';
import { type Changed, execute, rulesFor } from './execute.ts';
import { inferredOf, totalsNear } from './inferred.ts';
import { mayBridge, supplyMarkets } from './markets.ts';
import { supplyNftPages } from './nfts.ts';
import { differencesOfCreated } from './pool-created.ts';
import { supplyPool } from './pools.ts';
import { type Json, nodesOf, type Recorded } from './recorded.ts';

const MARKETS: ReadonlySet<string> = new Set(['OfferCreate', 'OfferCancel', 'Payment']);
const DAY = 24 * 3600;

/** The state before, including entries that the transaction read and did not write. */
export function stateBefore(recorded: Recorded, archive: Archive, total?: Amount, bridge = false): Before {
  const state = new Before(recorded, archive);
  supplyDirectories(state);
  supplyAccounts(state);
  supplyNftPages(state);
  if (MARKETS.has(recorded.type)) supplyMarkets(state, bridge);
  else if (recorded.type.startsWith('AMM')) supplyPool(state, total, inferredOf(recorded).lines);
  else {
    supplyDefaultRipple(state);
    supplyTrustLine(state);
  }
  supplyDrafts(state);
  supplyEarlyRippling(state);
  return state;
}

/**
 * The close time of the parent ledger, where fields of the metadata depend on it: an auction slot expires a day after
 * it, a channel that is being closed expires its settle delay after it.
 */
function changedOf({ type, meta }: Recorded): Changed {
  if (!['AMMBid', 'AMMCreate', 'PaymentChannelClaim'].includes(type)) return {};
  for (const { after, before, json } of nodesOf(meta)) {
    const slot = after?.AuctionSlot?.Expiration;
    if (slot !== undefined) return { parentCloseTime: slot - DAY };
    const set = before !== undefined && (json.PreviousFields as Json | undefined)?.Balance === undefined;
    if (set && after?.SettleDelay !== undefined && after.Expiration !== undefined)
      return { parentCloseTime: after.Expiration - after.SettleDelay };
  }
  return {};
}

export interface Again {
  /** Empty when result and every entry are equal. */
  readonly differences: readonly string[];
  /** The assumption, besides the first state and rules, that made them equal. */
  readonly assumed?: Assumption;
}

export type Assumption = 'books through XRP beside' | 'another set of amendments' | 'LP tokens worked out';

/** Applies it under each of the possible rules, on each of the states that the recording leaves open. */
export function applyAgain(original: Recorded, archive: Archive): Again {
  const recorded = inTodaysForm(original);
  const changed = changedOf(recorded);
  const inferred = inferredOf(recorded);
  let found: string[] = [];
  for (const total of totalsNear(inferred))
    for (const bridge of mayBridge(recorded) ? [false, true] : [false]) {
      const state = stateBefore(recorded, archive, total, bridge);
      for (const [at, rules] of rulesFor(recorded).entries()) {
        found =
          recorded.type === 'AMMCreate'
            ? differencesOfCreated(state, rules, changed)
            : differences(recorded, execute(state, rules, changed));
        if (found.length > 0) continue;
        if (inferred.total ?? inferred.lines[0])
          return { differences: found, assumed: 'LP tokens worked out' };
        if (bridge) return { differences: found, assumed: 'books through XRP beside' };
        return at === 0
          ? { differences: found }
          : { differences: found, assumed: 'another set of amendments' };
      }
    }
  return { differences: found };
}
