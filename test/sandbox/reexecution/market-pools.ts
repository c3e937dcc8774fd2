/**
 * Pools that a payment or offer traded with. Metadata shows how their balances changed, and seldom their entry; their
 * trading fee is computed: one whole number that agrees with all digits of the swap.
 */

import { swapAssetIn, swapAssetOut } from '../../../engine/codec/arithmetic/amm-math.ts';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { type AccountId, type Asset, issuerOf, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { lpTokenAsset } from '../../../sandbox/assets/amm.ts';
import { rulesAt } from '../../../sandbox/protocol/amendments.ts';
import type { Entry, Fields } from '../../../sandbox/protocol/fields.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { type Before, madeUp } from './before.ts';

const sizeOf = (amount: Amount): number => Number(amount.mantissa) * 10 ** amount.exponent;

interface Move {
  readonly before: Amount;
  readonly after: Amount;
}

/** What an account has of each asset before and after, by the entries that were written. */
function movesOf(state: Before, account: AccountId): Map<Asset, Move> {
  const moves = new Map<Asset, Move>();
  for (const { type, before, after, kind } of state.nodes) {
    const now: Fields | undefined = kind === 'DeletedNode' ? before : after;
    if (!now?.Balance) continue;
    if (type === 'AccountRoot' && now.Account === account && before?.Balance)
      moves.set(XRP, { before: before.Balance, after: now.Balance });
    if (type !== 'RippleState' || !before?.Balance || !after) continue;
    const [low, high] = [issuerOf(now.LowLimit!.asset), issuerOf(now.HighLimit!.asset)];
    if (low !== account && high !== account) continue;
    const asset = now.Balance.asset.slice(0, 40) + (low === account ? high : low);
    const own = (amount: Amount): Amount => (low === account ? amount : amount.negate()).withAsset(asset);
    moves.set(asset, { before: own(before.Balance), after: own(now.Balance) });
  }
  for (const [asset, { before, after }] of moves) if (before.equals(after)) moves.delete(asset);
  return moves;
}

/** The last balance of a deleted line is zero. */
const emptied = (line: Entry): Fields => ({ ...line, Balance: Amount.zero(line.Balance!.asset) });

/** Accounts of pools that the entries show: by their root, or by the flag of their lines. */
function poolAccounts(state: Before): Set<AccountId> {
  const pools = new Set<AccountId>();
  for (const {
    AMMID,
    Account,
    LedgerEntryType,
    Flags,
    Balance,
    LowLimit,
    HighLimit,
  } of state.entries.values()) {
    if (AMMID !== undefined) pools.add(Account!);
    if (LedgerEntryType !== 'RippleState' || (Flags! & Lsf.lsfAMMNode) === 0) continue;
    pools.add(issuerOf((Balance!.mantissa > 0n ? LowLimit! : HighLimit!).asset));
  }
  return pools;
}

/**
 * What a pool received or paid of an asset. The balances of the other accounts show it with more digits than the large
 * balance of the pool; they are used where both agree.
 */
function movedBy(state: Before, account: AccountId, asset: Asset, move: Move): Amount {
  const own = move.after.sub(move.before);
  let others = Amount.zero(asset);
  for (const { type, before, after, kind } of state.nodes) {
    if (type !== 'RippleState') continue;
    const now = kind === 'DeletedNode' ? emptied(before!) : after;
    const limit = now?.LowLimit ?? before?.LowLimit;
    const high = now?.HighLimit ?? before?.HighLimit;
    if (!now?.Balance || !limit || !high || limit.asset.slice(0, 40) !== asset.slice(0, 40)) continue;
    const sides = [issuerOf(limit.asset), issuerOf(high.asset)];
    if (!sides.includes(issuerOf(asset)) || sides.includes(account)) continue;
    const holderIsLow = sides[1] === issuerOf(asset);
    const change = before?.Balance ? now.Balance.sub(before.Balance) : now.Balance;
    others = others.add((holderIsLow ? change : change.negate()).withAsset(asset));
  }
  const near = Math.abs(sizeOf(own) + sizeOf(others)) <= 10 ** (move.before.exponent + 1);
  return asset !== XRP && !others.isZero && near ? others.negate() : own;
}

/** Of a pool's balance, what its first offer beside other strands takes in (rippled `InitialFibSeqPct`). */
const FIRST_SHARE = 0.000_25;

/**
 * The trading fee whose swap, of what came or for what went, is nearest to what the pool did. Beside other strands the price is that of its first
 * offer, of which a part was taken.
 */
function feeOf(state: Before, account: AccountId, moves: ReadonlyMap<Asset, Move>, bridge: boolean): number {
  const [a, b] = [...moves] as [[Asset, Move], [Asset, Move]];
  const [paid, given] = a[1].after.compare(a[1].before) > 0 ? [a, b] : [b, a];
  const pool = { in: paid[1].before, out: given[1].before };
  const input = movedBy(state, account, ...paid);
  const wanted = movedBy(state, account, ...given).negate();
  if (input.mantissa <= 0n || wanted.mantissa <= 0n) return 0;
  const rate = sizeOf(wanted) / sizeOf(input);
  const swapped = bridge
    ? Amount.of(pool.in.asset, pool.in.mantissa / BigInt(1 / FIRST_SHARE), pool.in.exponent)
    : input;
  // What was asked for is given to the last drop: the other side has the digits then.
  const exact = state.tx.TransactionType === 'Payment' && state.tx.Amount!.equals(wanted);
  let best = { fee: 0, distance: Number.POSITIVE_INFINITY };
  const rules = rulesAt(state.recorded.closeTime);
  for (let fee = 0; fee <= 1000; fee += 1) {
    const distance = exact
      ? Math.abs(sizeOf(swapAssetOut(rules, pool, wanted, fee)) / sizeOf(input) - 1)
      : Math.abs(sizeOf(swapAssetIn(rules, pool, swapped, fee)) / sizeOf(swapped) / rate - 1);
    if (distance < best.distance) best = { fee, distance };
  }
  return best.fee;
}

/** The entries of pools whose two balances moved. */
export function supplyTradedPools(state: Before, bridge: boolean): void {
  for (const account of poolAccounts(state)) {
    const moves = movesOf(state, account);
    if (moves.size !== 2) continue;
    const [asset, asset2] = [...moves.keys()] as [Asset, Asset];
    const index = keylets.amm(asset, asset2);
    if (state.entries.has(index)) continue;
    const root = state.root(account);
    if (root?.AMMID === undefined)
      state.entries.set(keylets.account(account), { ...madeUp(account), ...root, AMMID: index });
    state.add({
      LedgerEntryType: 'AMM',
      index,
      Account: account,
      Asset: asset,
      Asset2: asset2,
      Flags: 0,
      TradingFee: feeOf(state, account, moves, bridge),
      LPTokenBalance: Amount.issued(lpTokenAsset(asset, asset2, account), 1_000_000n, 0),
    });
  }
}
