/**
 * AMMClawback: an issuer takes its tokens out of a holder's share in a pool (XLS-73). They go from the pool through the holder to the
 * issuer, so that no line of the holder shows them; what else the share was worth goes to the holder.
 */
import { type Changes, Tx } from '../codec/changes.ts';
import type { State } from '../state/state.ts';

/** tfClawTwoAssets: both are the issuer's. */
const CLAWS_BOTH = 1;

interface Moved {
  /** In the ring of balance changes. */
  readonly row: number;
  readonly token: number;
}

interface PoolClawback {
  readonly holder: number;
  /** Its account. */
  readonly pool: number;
  /** Tokens of which the issuer took what left the pool. */
  readonly clawed: readonly number[];
}

/** @param moved balances that the transaction changed. @returns undefined: none of them is of shares in a pool */
export function poolClawbackOf(
  { tokens, pools }: Pick<State, 'tokens' | 'pools'>,
  accounts: ArrayLike<number>,
  bytes: Uint8Array,
  changes: Changes,
  tx: number,
  moved: readonly Moved[],
): PoolClawback | undefined {
  const shares = moved.find(({ token }) => tokens.pools[token] !== 0);
  if (!shares) return undefined;
  const isBoth = (changes.tx(tx, Tx.flags) & CLAWS_BOTH) !== 0;
  const assets = [changes.tx(tx, Tx.assetAt), isBoth ? changes.tx(tx, Tx.asset2At) : 0];
  return {
    holder: accounts[shares.row]!,
    pool: pools.accounts[tokens.poolOf(shares.token)!]!,
    clawed: assets.filter((at) => at !== 0).map((at) => tokens.ofIssue(bytes, at)),
  };
}
