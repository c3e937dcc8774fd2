/**
 * Accounts that fund strangers: whom they activated has nothing to do with one another. One is seen by either of two signs:
 *
 *     it asks for a destination tag                                           exchanges
 *     it funded more than FUNDED_MAX accounts, most of which are not          faucets, wallets' own services, exchanges
 *     among those that are looked at                                          that ask for no tag
 *
 * Somebody who funds a thousand wallets to hold one token, or to trade one collection, is none. Cost: some nanoseconds an
 * account of the ledger.
 */
import { type CooperativeTask, ROWS_A_STEP } from '../event-loop.ts';
import { AccountFlag } from '../state/accounts.ts';
import type { AccountReads } from '../state/shared-state.ts';
import type { Funders } from './funders.ts';

/** More wallets than one funds by hand, even for several tokens. */
const FUNDED_MAX = 100;

export type FunderReads = Pick<Funders, 'of'> & { readonly table: Pick<Funders['table'], 'count'> };

/** @param among account ids, each once. @returns whether an account funds strangers */
export function* services(
  { flags }: Pick<AccountReads, 'flags'>,
  funders: FunderReads,
  among: readonly number[],
): CooperativeTask<(account: number) => boolean> {
  const { count } = funders.table;
  // By funder; ids of funders may be beyond those of the accounts that were funded.
  let funded = new Uint32Array(count);
  for (let account = 1; account < count; account++) {
    if (account % ROWS_A_STEP === 0) yield;
    const funder = funders.of(account);
    if (funder >= funded.length) {
      const longer = new Uint32Array(2 * funder);
      longer.set(funded);
      funded = longer;
    }
    funded[funder]!++;
  }
  const ofThese = new Map<number, number>();
  for (let place = 0; place < among.length; place++) {
    if (place % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const funder = funders.of(among[place]!);
    if (funded[funder]! > FUNDED_MAX) ofThese.set(funder, (ofThese.get(funder) ?? 0) + 1);
  }
  return (account) => {
    if ((flags[account]! & AccountFlag.requireDestTag) !== 0) return true;
    const all = funded[account] ?? 0;
    return all > FUNDED_MAX && 2 * (ofThese.get(account) ?? 0) < all;
  };
}
