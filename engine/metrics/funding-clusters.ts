import type { CooperativeTask } from '../event-loop.ts';

export interface Cluster {
  /** The account that they share at the top. */
  readonly top: number;
  /** Positions in the accounts that were asked for. */
  readonly members: readonly number[];
}

/** From so many accounts on a column of all ids is faster than a map of some. */
const DENSE_FROM = 10_000;

/** The account above each, by id, as far as ids go; 0 is no account. */
class DenseParents {
  #ids = new Uint32Array(1 << 20);

  get(account: number): number | undefined {
    return this.#ids[account] || undefined;
  }

  set(account: number, parent: number): void {
    if (account >= this.#ids.length) {
      const longer = new Uint32Array(2 ** Math.ceil(Math.log2(account + 1)));
      longer.set(this.#ids);
      this.#ids = longer;
    }
    this.#ids[account] = parent;
  }
}

/** Accounts between two steps. */
const ACCOUNTS_A_STEP = 4096;

/**
 * Groups of accounts that were funded by one another or by the same account, within some hops.
 *
 *     F ──> A, F ──> G ──> B      hops 1: A and F;  hops 2: A, B, F and G are one group
 *
 * Each account is united with the funders above it (union-find with path halving, Tarjan and van Leeuwen 1984); the groups
 * are the accounts asked for that ended in the same set, largest first, those of one account left out.
 *
 * Exchanges and other hubs fund thousands who have nothing to do with each other: nothing is united across them.
 * Cost: hops steps an account, about a microsecond each, and a fifth of that from 10,000 accounts on; in steps of some milliseconds.
 * @param accounts ids, each once @param funderOf 0: not known @param isHub whether an account funds strangers
 * @returns the groups, the largest first
 */
export function* fundingClusters(
  accounts: readonly number[],
  funderOf: (account: number) => number,
  isHub: (account: number) => boolean,
  hops: number,
): CooperativeTask<Cluster[]> {
  const parents = accounts.length > DENSE_FROM ? new DenseParents() : new Map<number, number>();
  const rootOf = (account: number): number => {
    let at = account;
    for (let up = parents.get(at) ?? at; up !== at; up = parents.get(at) ?? at) {
      parents.set(at, parents.get(up) ?? up);
      at = up;
    }
    return at;
  };
  for (const [place, account] of accounts.entries()) {
    if (place % ACCOUNTS_A_STEP === ACCOUNTS_A_STEP - 1) yield;
    let at = account;
    for (let hop = 0; hop < hops; hop++) {
      const funder = funderOf(at);
      if (funder === 0 || isHub(funder)) break;
      // The funder's set stays the root: it is the older account.
      const [mine, its] = [rootOf(at), rootOf(funder)];
      if (mine !== its) parents.set(mine, its);
      at = funder;
    }
  }
  const groups = new Map<number, number[]>();
  for (const [place, account] of accounts.entries()) {
    if (place % ACCOUNTS_A_STEP === ACCOUNTS_A_STEP - 1) yield;
    const root = rootOf(account);
    const members = groups.get(root);
    if (members) members.push(place);
    else groups.set(root, [place]);
  }
  yield;
  return [...groups]
    .filter(([, members]) => members.length > 1)
    .map(([top, members]) => ({ top, members }))
    .sort((a, b) => b.members.length - a.members.length);
}
