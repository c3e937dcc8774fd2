/**
 * Trades and liquidity events of a ledger, derived from the changes of ledger entries by each transaction.
 *
 * Goal: every exchange of two assets exactly once, with exact amounts, in the order in which it was executed.
 * Non-goals: transfers, fees, rippling through trust lines (no exchange of assets), offers that are only placed.
 *
 *   Offer node with PreviousFields          -> one book trade: paid = TakerPays before - after, got = TakerGets ...
 *   pool account: one asset less, one more  -> one pool trade (net: two swaps of one transaction in the same pool
 *                                              show as one, metadata contains no more)
 *   AMMDeposit, AMMWithdraw, AMMCreate, AMMClawback -> one liquidity event, and no trade, whatever changed
 *
 * Only results of class tes apply: a tec result keeps nothing but the fee and the clean-up of unfunded offers, whose
 * nodes carry no previous amounts. A pool's account never signs, so its balance never includes a fee. Payments over
 * several hops and auto-bridged crossings give one record per offer and pool. Metadata sorts nodes by their index
 * (a hash), not by time; within a transaction the trades of one pair are sorted by rate, best first, as the ledger's
 * engine executes them.
 *
 * Cost: one pass over node rows; no object per trade; records of TRADE_BYTES in one reused buffer.
 */
import { AssetKind } from '../codec/amount.ts';
import {
  AccountNode,
  type Changes,
  EntryType,
  LineNode,
  MptokenNode,
  NODE_WORDS,
  Node,
  OfferNode,
  TX_WORDS,
  Tx,
} from '../codec/changes.ts';
import type { PackedLedger } from '../codec/packed.ts';
import { amountDifference } from './amount-difference.ts';
import { ExecutionOrder } from './execution-order.ts';
import { Liquidity, movesLiquidity, TransactionType } from './liquidity.ts';
import { platformNumber } from './platforms.ts';
import { PoolDeltas, zeroHigh } from './pool-deltas.ts';
import { RECORD_WORDS, RecordBuffer } from './record-buffer.ts';
import type { TradeNames } from './state-view.ts';
import { TradeAt, TradeFlag } from './trade-record.ts';

const TES_SUCCESS = 0;
/** Numbers of records fit 16 bits in the keys of the store. No ledger of the main network has had a tenth of it. */
export const RECORDS_MAX = 2 ** 16;

export class Trades {
  /** Records of the last ledger. */
  readonly buffer = new RecordBuffer();
  /** Records of whole transactions that were left out because their ledger had RECORDS_MAX already. */
  leftOut = 0;

  readonly #names: TradeNames;
  readonly #deltas: PoolDeltas;
  readonly #amount = new Uint32Array(2);
  readonly #order: ExecutionOrder;
  readonly #liquidity: Liquidity;

  constructor(names: TradeNames) {
    this.#names = names;
    this.#deltas = new PoolDeltas(names);
    this.#liquidity = new Liquidity(names, this.#deltas, this.buffer);
    this.#order = new ExecutionOrder(names.tokens);
  }

  /** Finds the trades of a ledger. The state must have applied it already, since it knows the pools. */
  read(packed: PackedLedger, changes: Changes): void {
    const { buffer } = this;
    const liquidity = this.#liquidity;
    buffer.count = 0;
    const { words } = changes;
    for (let row = 0; row < changes.transactions; row++) {
      const at = changes.txBase + row * TX_WORDS;
      if (words[at + Tx.result] !== TES_SUCCESS) continue;
      const first = buffer.count;
      const type = words[at + Tx.type]!;
      if (movesLiquidity(type)) liquidity.read(packed, changes, row, type);
      else if (type < TransactionType.AMMCreate || type > TransactionType.AMMDelete)
        this.#readTrades(packed, changes, row);
      if (buffer.count > RECORDS_MAX) {
        this.leftOut += buffer.count - first;
        buffer.count = first;
        continue;
      }
      if (buffer.count - first > 1) this.#order.sort(buffer.words, first, buffer.count);
      if (buffer.count > first) this.#complete(packed, changes, row, first);
    }
  }

  #readTrades(packed: PackedLedger, changes: Changes, row: number): void {
    const { words } = changes;
    const tx = changes.txBase + row * TX_WORDS;
    const firstNode = words[tx + Tx.firstNode]!;
    const end = firstNode + words[tx + Tx.nodes]!;
    this.#deltas.clear();
    for (let node = firstNode; node < end; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      switch (words[at + Node.entryType]) {
        case EntryType.Offer:
          if (words[at + OfferNode.prevTakerPaysAt] || words[at + OfferNode.prevTakerGetsAt])
            this.#readOffer(packed, words, at);
          break;
        case EntryType.AccountRoot:
          if (words[at + AccountNode.ammIdAt]) this.#deltas.accountRoot(packed, words, at);
          break;
        case EntryType.RippleState:
          if (words[at + LineNode.prevBalanceAt]) this.#deltas.changedLine(packed, words, at);
          break;
        case EntryType.MPToken:
          if (words[at + MptokenNode.prevAmountAt]) this.#deltas.holding(packed, words, at, false);
          break;
      }
    }
    for (let i = 0; i < this.#deltas.pools; i++) if (this.#deltas.isSwap(i)) this.#addSwap(i);
  }

  #readOffer(packed: PackedLedger, words: Uint32Array, at: number): void {
    const { bytes, view } = packed;
    const { tokens, accounts } = this.#names;
    const paysAt = words[at + OfferNode.takerPaysAt]!;
    const getsAt = words[at + OfferNode.takerGetsAt]!;
    if (!paysAt || !getsAt) return;
    const paidToken = tokens.ofAmount(bytes, paysAt);
    const gotToken = tokens.ofAmount(bytes, getsAt);
    const to = this.buffer.next();
    const out = this.buffer.words;
    const paid = this.#leg(
      view,
      tokens.kind(paidToken),
      words[at + OfferNode.prevTakerPaysAt]!,
      paysAt,
      to,
      TradeAt.paidHi,
    );
    const got = this.#leg(
      view,
      tokens.kind(gotToken),
      words[at + OfferNode.prevTakerGetsAt]!,
      getsAt,
      to,
      TradeAt.gotHi,
    );
    // An offer only gets smaller. (In 2013 there were offers with negative amounts: nothing was exchanged there.)
    if (paid < 0 || got < 0 || (paid === 0 && got === 0)) return;
    out[to + TradeAt.maker / 4] = accounts.intern(bytes, words[at + OfferNode.accountAt]!);
    out[to + TradeAt.paidToken / 4] = paidToken;
    out[to + TradeAt.gotToken / 4] = gotToken;
    const sequenceAt = words[at + OfferNode.sequenceAt]!;
    out[to + TradeAt.offerSequence / 4] = sequenceAt ? view.getUint32(sequenceAt) : 0;
    if (words[at + OfferNode.domainIdAt]) out[to + TradeAt.flags / 4] = TradeFlag.domain;
    this.buffer.count++;
  }

  /** Writes before - after of one amount field and returns its sign. */
  #leg(view: DataView, kind: number, before: number, after: number, to: number, column: number): number {
    const skip = kind === AssetKind.mpt ? 1 : 0;
    let sign = 0;
    if (before === 0) {
      this.#amount[0] = zeroHigh(kind);
      this.#amount[1] = 0;
    } else
      sign = amountDifference(
        kind as AssetKind,
        view.getUint32(before + skip),
        view.getUint32(before + skip + 4),
        view.getUint32(after + skip),
        view.getUint32(after + skip + 4),
        this.#amount,
      );
    this.buffer.words[to + column / 4] = this.#amount[0]!;
    this.buffer.words[to + column / 4 + 1] = this.#amount[1]!;
    return sign;
  }

  /** The pool gave what it has less of (paid) and took what it has more of (got). */
  #addSwap(i: number): void {
    const deltas = this.#deltas;
    const to = this.buffer.next();
    const out = this.buffer.words;
    this.buffer.setLeg(to, TradeAt.paidToken, TradeAt.paidHi, deltas, deltas.gave(i));
    this.buffer.setLeg(to, TradeAt.gotToken, TradeAt.gotHi, deltas, deltas.took(i));
    const account = deltas.accounts[i]!;
    out[to + TradeAt.taker / 4] = account;
    out[to + TradeAt.flags / 4] = TradeFlag.amm;
    out[to + TradeAt.pool / 4] = this.#names.pools.inLedger(account) ?? 0;
    this.buffer.count++;
  }

  /** Writes what all records of a transaction share. */
  #complete(packed: PackedLedger, changes: Changes, row: number, first: number): void {
    const { words } = changes;
    const { view, ledgerIndex, closeTime } = packed;
    const tx = changes.txBase + row * TX_WORDS;
    const signer = this.#names.accounts.intern(packed.bytes, words[tx + Tx.accountAt]!);
    const tagAt = words[tx + Tx.sourceTagAt]!;
    const tag = tagAt ? view.getUint32(tagAt) : 0;
    const out = this.buffer.words;
    for (let i = first; i < this.buffer.count; i++) {
      const at = i * RECORD_WORDS;
      out[at + TradeAt.ledger / 4] = ledgerIndex;
      out[at + TradeAt.tx / 4] = row;
      out[at + TradeAt.number / 4] = i;
      out[at + TradeAt.closeTime / 4] = closeTime;
      for (let w = 0; w < 8; w++) out[at + TradeAt.hash / 4 + w] = words[changes.hashBase + row * 8 + w]!;
      const flags = out[at + TradeAt.flags / 4]!;
      const holder = out[at + TradeAt.account / 4]!;
      const account = holder > 0 ? holder - 1 : signer;
      if (flags & (TradeFlag.amm | TradeFlag.liquidity)) out[at + TradeAt.maker / 4] = account;
      else out[at + TradeAt.taker / 4] = signer;
      out[at + TradeAt.account / 4] = account;
      out[at + TradeAt.sourceTag / 4] = tag;
      out[at + TradeAt.flags / 4] =
        (flags | (tagAt ? TradeFlag.sourceTag : 0) | (tagAt ? platformNumber(tag) << 16 : 0)) >>> 0;
      out[at + TradeAt.paidKind / 4] =
        this.#names.tokens.kind(out[at + TradeAt.paidToken / 4]!) |
        (this.#names.tokens.kind(out[at + TradeAt.gotToken / 4]!) << 8);
    }
  }
}
