/** What accounts have, as rankings of traders need it: doubles, from a state of this thread or of another. */
import type { AccountReads, LineReads, TokenReads } from '../state/shared-state.ts';
import type { BalanceOf, TokenBalanceOf } from './rankings.ts';

export interface BalanceReads {
  /** Drops; 0: the account does not exist. */
  readonly xrp: BalanceOf;
  /** Tokens, of one token. */
  readonly of: (token: number) => TokenBalanceOf;
}

export function balanceReads(state: {
  readonly accounts: AccountReads;
  readonly tokens: TokenReads;
  readonly lines: LineReads;
}): BalanceReads {
  const { accounts, lines } = state;
  return {
    xrp: (account) => (accounts.exists(account) ? Number(accounts.balanceDrops(account)) : 0),
    of: (token) => (account) => {
      const line = lines.find(account, token);
      return line === undefined ? 0 : lines.balanceNumber(line, token);
    },
  };
}
