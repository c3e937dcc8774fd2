/** What a row of a holder says of the account itself, whatever it holds. */
import { decimalText } from '../engine/codec/amount.ts';
import { unixMs } from '../engine/ripple-time.ts';
import type { State } from '../engine/state/state.ts';

const XRP_EXPONENT = -6;

/**
 * The members are always there; null is what the ledgers read so far do not tell. They tell no account's name, and not yet
 * who funded it.
 */
export function holderAccount({ accounts, pools }: State, id: number): Record<string, unknown> {
  const active = accounts.lastActive[id]!;
  const drops = accounts.exists(id) ? accounts.balanceDrops(id) : undefined;
  return {
    xrpBalance: drops === undefined ? null : decimalText({ m: drops, e: XRP_EXPONENT }),
    lastActive: active > 0 ? unixMs(active) : null,
    name: null,
    domain: accounts.domain(id) ?? null,
    funder: null,
    ...(pools.byAccount(id) !== undefined && { isAMM: true }),
  };
}
