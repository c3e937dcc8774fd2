/**
 * Liquidity events: AMMCreate, AMMDeposit, AMMWithdraw and AMMClawback, one record each, with the changes of the pool's
 * reserves and of its outstanding LP tokens.
 */
import { AssetKind } from '../codec/amount.ts';
import {
  AccountNode,
  AmmNode,
  type Changes,
  EntryType,
  LineNode,
  MptokenNode,
  NODE_WORDS,
  Node,
  NodeAction,
  TX_WORDS,
  Tx,
} from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { amountDifference } from './amount-difference.ts';
import { equal20, issuerAt, type PoolDeltas, sameCurrency, zeroHigh } from './pool-deltas.ts';
import type { RecordBuffer } from './record-buffer.ts';
import type { TradeNames } from './state-view.ts';
import { TradeAt, TradeFlag, TradeType } from './trade-record.ts';

/** TransactionType codes of pools. */
export const TransactionType = {
  AMMClawback: 31,
  AMMCreate: 35,
  AMMDeposit: 36,
  AMMWithdraw: 37,
  AMMVote: 38,
  AMMBid: 39,
  AMMDelete: 40,
} as const;

/** Whether a transaction of this type puts assets into a pool or takes them out. */
export function movesLiquidity(type: number): boolean {
  return (
    (type >= TransactionType.AMMCreate && type <= TransactionType.AMMWithdraw) ||
    type === TransactionType.AMMClawback
  );
}

export class Liquidity {
  readonly #names: TradeNames;
  readonly #deltas: PoolDeltas;
  readonly #buffer: RecordBuffer;
  readonly #amount = new Uint32Array(2);

  constructor(names: TradeNames, deltas: PoolDeltas, buffer: RecordBuffer) {
    this.#names = names;
    this.#deltas = deltas;
    this.#buffer = buffer;
  }

  /** Adds the event of a transaction for which `movesLiquidity` is true, if its metadata has a pool. */
  read(packed: PackedLedger, changes: Changes, row: number, type: number): void {
    const { words } = changes;
    const tx = changes.txBase + row * TX_WORDS;
    const firstNode = words[tx + Tx.firstNode]!;
    const end = firstNode + words[tx + Tx.nodes]!;
    for (let node = firstNode; node < end; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      if (words[at + Node.entryType] !== EntryType.AMM) continue;
      if (!words[at + AmmNode.accountAt] || !words[at + AmmNode.lpBalanceAt]) continue;
      const holder = this.#collectPool(packed, changes, firstNode, end, at);
      this.#addLiquidity(packed, words, at, type, holder);
      return;
    }
  }

  /** Collects the changes of balances of an AMM node's pool; returns the account whose LP tokens changed, if there is one. */
  #collectPool(
    packed: PackedLedger,
    changes: Changes,
    firstNode: number,
    end: number,
    amm: number,
  ): number | undefined {
    const { words } = changes;
    const { bytes } = packed;
    const poolAt = words[amm + AmmNode.accountAt]!;
    const lpAt = words[amm + AmmNode.lpBalanceAt]!;
    let holder: number | undefined;
    this.#deltas.clear();
    for (let node = firstNode; node < end; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      const entryType = words[at + Node.entryType];
      if (entryType === EntryType.AccountRoot) {
        const accountAt = words[at + AccountNode.accountAt]!;
        if (accountAt && equal20(bytes, accountAt, poolAt)) this.#deltas.accountRoot(packed, words, at);
      } else if (entryType === EntryType.RippleState) {
        const low = words[at + LineNode.lowLimitAt]!;
        const high = words[at + LineNode.highLimitAt]!;
        const moved = words[at + LineNode.prevBalanceAt] || words[at + Node.action] === NodeAction.created;
        if (!low || !high || !moved) continue;
        const poolIsLow = equal20(bytes, issuerAt(low), poolAt);
        if (!poolIsLow && !equal20(bytes, issuerAt(high), poolAt)) continue;
        if (sameCurrency(bytes, low, lpAt))
          holder = this.#names.accounts.intern(bytes, issuerAt(poolIsLow ? high : low));
        else this.#deltas.line(packed, words, at, poolIsLow);
      } else if (entryType === EntryType.MPToken) {
        const accountAt = words[at + MptokenNode.accountAt]!;
        if (accountAt && equal20(bytes, accountAt, poolAt)) this.#deltas.holding(packed, words, at, true);
      }
    }
    return holder;
  }

  /** Writes to `#amount` by how much the outstanding LP tokens changed. @param before where their amount was before is, or 0 */
  #setLpAmount(view: DataView, after: number, before: number, action: number): void {
    const zero: [number, number] = [zeroHigh(AssetKind.issued), 0];
    const at = (offset: number): [number, number] => [view.getUint32(offset), view.getUint32(offset + 4)];
    if (before) amountDifference(AssetKind.issued, ...at(after), ...at(before), this.#amount);
    // The last withdrawal deletes a pool as it was: rippled does not take the LP tokens from its entry first.
    else this.#amount.set(action === NodeAction.modified ? zero : at(after));
  }

  #addLiquidity(
    packed: PackedLedger,
    words: Uint32Array,
    amm: number,
    type: number,
    holder: number | undefined,
  ): void {
    const { bytes, view } = packed;
    const { accounts, pools, tokens } = this.#names;
    const account = accounts.intern(bytes, words[amm + AmmNode.accountAt]!);
    const lpAt = words[amm + AmmNode.lpBalanceAt]!;
    const to = this.#buffer.next();
    const out = this.#buffer.words;
    this.#setAsset(packed, words[amm + AmmNode.assetAt]!, to, TradeAt.paidToken, TradeAt.paidHi);
    this.#setAsset(packed, words[amm + AmmNode.asset2At]!, to, TradeAt.gotToken, TradeAt.gotHi);
    this.#setLpAmount(view, lpAt, words[amm + AmmNode.prevLpBalanceAt]!, words[amm + Node.action]!);
    out[to + TradeAt.lpHi / 4] = this.#amount[0]!;
    out[to + TradeAt.lpLo / 4] = this.#amount[1]!;
    out[to + TradeAt.lpToken / 4] = tokens.ofAmount(bytes, lpAt);
    out[to + TradeAt.taker / 4] = account;
    out[to + TradeAt.pool / 4] = pools.inLedger(account) ?? 0;
    const kind =
      type === TransactionType.AMMCreate
        ? TradeType.create
        : type === TransactionType.AMMDeposit
          ? TradeType.deposit
          : TradeType.withdraw;
    out[to + TradeAt.flags / 4] = TradeFlag.liquidity | (kind << 8);
    // `account` has the holder (id + 1) until the signer is written (Trades.#complete).
    out[to + TradeAt.account / 4] =
      type === TransactionType.AMMClawback && holder !== undefined ? holder + 1 : 0;
    this.#buffer.count++;
  }

  #setAsset(packed: PackedLedger, issue: number, to: number, tokenColumn: number, highColumn: number): void {
    const token = issue ? this.#names.tokens.ofIssue(packed.bytes, issue) : 0;
    const leg = this.#deltas.pools > 0 ? this.#deltas.legOf(0, token) : -1;
    const out = this.#buffer.words;
    if (leg >= 0) {
      this.#buffer.setLeg(to, tokenColumn, highColumn, this.#deltas, leg);
      return;
    }
    out[to + tokenColumn / 4] = token;
    out[to + highColumn / 4] = zeroHigh(this.#names.tokens.kind(token));
    out[to + highColumn / 4 + 1] = 0;
  }
}
