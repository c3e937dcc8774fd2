/**
 * Groups of accounts that were funded by one another or by the same account, within some hops.
 *
 *     F ──> A, F ──> G ──> B      hops 1: A and F;  hops 2: A, B, F and G are one group
 *
 * Each account is united with the funders above it (union-find with path halving, Tarjan and van Leeuwen 1984); the groups
 * are the accounts asked for that ended in the same set, largest first, those of one account left out.
 *
 * Exchanges and other hubs fund thousands who have nothing to do with each other: nothing is united across them.
 * Cost: hops steps an account.
 * @param accounts ids, each once @param funderOf 0: not known @param isHub whether an account funds strangers
 * @returns groups of positions in `accounts`, with the account id at the top that they share
 */
export function fundingClusters(
  accounts: readonly number[],
  funderOf: (account: number) => number,
  isHub: (account: number) => boolean,
  hops: number,
): { readonly top: number; readonly members: readonly number[] }[] {
  const parents = new Map<number, number>();
  const rootOf = (account: number): number => {
    let at = account;
    for (let up = parents.get(at) ?? at; up !== at; up = parents.get(at) ?? at) {
      parents.set(at, parents.get(up) ?? up);
      at = up;
    }
    return at;
  };
  for (const account of accounts) {
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
  const groups = Map.groupBy(accounts.keys(), (place) => rootOf(accounts[place]!));
  return [...groups]
    .filter(([, members]) => members.length > 1)
    .map(([top, members]) => ({ top, members }))
    .sort((a, b) => b.members.length - a.members.length);
}
