/**
 * The transaction queue (rippled TxQ.cpp, simplified): a transaction that pays its base fee but less than the open
 * ledger requires now waits here, and moves into the next open ledgers, highest fee level first.
 *
 *     submit ──► level paid >= level required? ──► open ledger
 *                       │ no                            ▲
 *                       ▼                               │ accept, after each close
 *                 queue: by account in order of sequence, at most 10 each
 *
 * Kept from rippled: the limit per account, blockers alone in their account's queue, replacement by a quarter more,
 * fees in flight against the balance, one fee that pays for all transactions waiting before it, dropping the cheapest
 * when full, retries, expiry. Left out: penalties for accounts whose transactions expired.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { isTec, isTef, isTem, type Result } from '../protocol/results.ts';
import { sequenceOf, usesTicket } from '../protocol/sequence.ts';
import { RULES } from '../transactions/index.ts';
import { compareInAccount } from './canonical.ts';
import type { ApplyOptions, Outcome, ParsedTransaction } from './environment.ts';
import { BASE_LEVEL, FEE_SETTINGS, FeeMetrics, type FeeSettings, feeLevel } from './fee-metrics.ts';
import { baseFee, usualFee } from './fees.ts';
import type { OpenLedger } from './open-ledger.ts';
import { preclaim } from './preclaim.ts';
import { preflight } from './preflight.ts';

/** Maximum number of queued transactions of an account. */
const ACCOUNT_MAX = 10;
/** A replacement pays more than this percentage of the replaced transaction. */
const REPLACE_PERCENT = 125n;
/** Attempts to apply a queued transaction before it is dropped. */
const RETRIES = 10;
/** LastLedgerSequence must be at least this far beyond the open ledger. */
const LAST_LEDGER_BUFFER = 2;
/** A reserve within this many base fees is too small to count. */
const RESERVE_IN_BASE_FEES = 10n;

/** A transaction in the queue. */
export interface Queued {
  readonly transaction: ParsedTransaction;
  readonly level: bigint;
  /** Changes who may sign or the meaning of sequences: no other transaction of the account may be queued with it. */
  readonly blocker: boolean;
  /** Maximum XRP it can spend apart from its fee, in drops. */
  readonly spends: bigint;
  retriesRemaining: number;
  lastResult: Result | undefined;
}

const refused = (result: Result): Outcome => ({ result, applied: false, fee: 0n });
const final = (result: Result): boolean => isTef(result) || isTem(result);

/** The fee level of a transaction. */
export function levelOf(view: ReadView, { fields }: ParsedTransaction): bigint {
  const rule = RULES.get(fields.TransactionType);
  const usual = usualFee(view, fields);
  return feeLevel(fields.Fee.drops, rule === undefined ? usual : baseFee(view, fields, rule), usual);
}

export class TransactionQueue {
  readonly metrics: FeeMetrics;
  readonly #options: ApplyOptions;
  /** By account, in the order of their sequences. No list is empty. */
  readonly #accounts = new Map<AccountId, Queued[]>();
  #size = 0;

  constructor(options: ApplyOptions, settings: FeeSettings = FEE_SETTINGS) {
    this.#options = options;
    this.metrics = new FeeMetrics(settings);
  }

  /** Number of waiting transactions. */
  get size(): number {
    return this.#size;
  }

  get full(): boolean {
    return this.#size >= this.metrics.queueSize;
  }

  /** The waiting transactions of an account, in the order of sequences. */
  of(account: AccountId): readonly Queued[] {
    return this.#accounts.get(account) ?? [];
  }

  /** All waiting transactions, highest level first. */
  all(): Queued[] {
    return [...this.#accounts.values()]
      .flat()
      .sort((a, b) => (a.level > b.level ? -1 : Number(a.level < b.level)));
  }

  /** The minimum level of a new transaction to be queued. */
  get minimumLevel(): bigint {
    return this.full ? (this.all().at(-1)?.level ?? BASE_LEVEL) + 1n : BASE_LEVEL;
  }

  /** The level required to get into this open ledger now. */
  requiredLevel(open: OpenLedger): bigint {
    return this.metrics.required(open.count);
  }

  /** The sequence number for an account's next transaction, after the waiting ones. */
  nextSequence(account: AccountId, inLedger: number): number {
    let next = inLedger;
    for (const { transaction } of this.of(account)) {
      const { fields } = transaction;
      if (usesTicket(fields) || sequenceOf(fields) !== next) continue;
      // Tickets use the numbers after the transaction that creates them.
      next += 1 + (fields.TransactionType === 'TicketCreate' ? (fields.TicketCount ?? 0) : 0);
    }
    return next;
  }

  /** Applies a transaction to the open ledger when it pays enough, else queues it (`terQUEUED`). */
  submit(
    open: OpenLedger,
    transaction: ParsedTransaction,
    { failHard = false, preflighted = false }: { failHard?: boolean; preflighted?: boolean } = {},
  ): Outcome {
    const checked = preflighted
      ? 'tesSUCCESS'
      : preflight(transaction.fields, open.view.rules, this.#options);
    if (checked !== 'tesSUCCESS') return refused(checked);
    if (open.has(transaction.hash)) return refused('tefALREADY');
    const level = levelOf(open.view, transaction);
    const direct = this.#direct(open, transaction, level, failHard);
    if (direct !== undefined) return direct;
    return this.#enqueue(open, transaction, level, failHard);
  }

  /** Applies directly to the open ledger: the next sequence, or a ticket, and a fee that is high enough. */
  #direct(
    open: OpenLedger,
    transaction: ParsedTransaction,
    level: bigint,
    failHard: boolean,
  ): Outcome | undefined {
    const { fields } = transaction;
    const account = open.view.read(keylets.account(fields.Account));
    const next = usesTicket(fields) || account?.Sequence === fields.Sequence;
    // A transaction that pays less than its base fee gets that result; it does not wait.
    if (account !== undefined && (!next || level < this.requiredLevel(open)) && level >= BASE_LEVEL)
      return undefined;
    const outcome = open.apply(transaction, { failHard, preflighted: true });
    if (outcome.applied) this.#remove(fields.Account, (other) => sameProxy(other.transaction, transaction));
    return outcome;
  }

  #enqueue(open: OpenLedger, transaction: ParsedTransaction, level: bigint, failHard: boolean): Outcome {
    const { fields } = transaction;
    const account = open.view.read(keylets.account(fields.Account));
    if (account === undefined) return refused('terNO_ACCOUNT');
    const rule = RULES.get(fields.TransactionType)!;
    const entry: Queued = {
      transaction,
      level,
      blocker: typeof rule.blocker === 'function' ? rule.blocker(fields) : rule.blocker === true,
      spends: rule.spends?.(fields) ?? 0n,
      retriesRemaining: RETRIES,
      lastResult: undefined,
    };
    const waiting = this.of(fields.Account).filter(
      (other) =>
        usesTicket(other.transaction.fields) ||
        sequenceOf(other.transaction.fields) >= (account.Sequence ?? 0),
    );
    const replaced = waiting.find((other) => sameProxy(other.transaction, transaction));
    const held = (): Result | undefined => this.#checkHeld(open, entry, waiting, replaced, failHard);
    const claims = (): Result | undefined => this.#checkClaims(open, account, entry, waiting, replaced);
    // With others waiting its sequence is checked before its fee; alone its own errors are reported first.
    const hasOthers = waiting.length > 1 || (waiting.length === 1 && replaced === undefined);
    const result =
      this.#checkPlace(open, account, entry, waiting, replaced) ??
      (hasOthers
        ? (held() ?? this.#checkOrder(account, entry, waiting, replaced) ?? claims())
        : (this.#checkOrder(account, entry, waiting, replaced) ?? claims() ?? held()));
    if (result !== undefined) return refused(result);
    const cleared = this.#clear(open, entry, waiting);
    if (cleared !== undefined) return cleared;
    const full = replaced === undefined ? this.#makeRoom(entry) : undefined;
    if (full !== undefined) return refused(full);
    if (replaced !== undefined) this.#remove(fields.Account, (other) => other === replaced);
    const list = this.#accounts.get(fields.Account) ?? [];
    this.#accounts.set(fields.Account, list);
    list.push(entry);
    list.sort((a, b) => compareInAccount(a.transaction, b.transaction));
    this.#size++;
    return refused('terQUEUED');
  }

  /**
   * Applies all waiting transactions of an account before a transaction, and the transaction, when together they pay what
   * the open ledger requires; undefined when they do not, or one would not be applied.
   */
  #clear(open: OpenLedger, entry: Queued, waiting: readonly Queued[]): Outcome | undefined {
    const { transaction, level } = entry;
    const { fields } = transaction;
    const required = this.requiredLevel(open);
    if (usesTicket(fields) || level <= required || required <= BASE_LEVEL) return undefined;
    const ahead = waiting.filter(
      ({ transaction: other }) => !usesTicket(other.fields) && sequenceOf(other.fields) < sequenceOf(fields),
    );
    // A transaction that was tried before would likely fail again.
    if (ahead.length === 0 || ahead[0]!.retriesRemaining < RETRIES) return undefined;
    const paid = ahead.reduce((sum, other) => sum + other.level, level);
    if (paid < this.metrics.requiredTogether(open.count, ahead.length + 1)) return undefined;
    const series = [...ahead.map((other) => other.transaction), transaction];
    const applicable = open.applicable(series);
    if (applicable < series.length) {
      for (const tried of ahead.slice(0, applicable + 1)) tried.retriesRemaining--;
      return undefined;
    }
    const outcomes = series.map((each) => open.apply(each, { preflighted: true }));
    this.#remove(
      fields.Account,
      (other) => ahead.includes(other) || sameProxy(other.transaction, transaction),
    );
    return outcomes.at(-1);
  }

  /** Whether it may be in its account's queue; undefined when it may. */
  #checkPlace(
    open: OpenLedger,
    account: Readonly<Entry>,
    entry: Queued,
    waiting: readonly Queued[],
    replaced: Queued | undefined,
  ): Result | undefined {
    const { fields } = entry.transaction;
    const next = account.Sequence ?? 0;
    if (usesTicket(fields)) {
      const ticket = fields.TicketSequence!;
      if (open.view.read(keylets.ticket(fields.Account, ticket)) === undefined)
        return ticket < next ? 'tefNO_TICKET' : 'terPRE_TICKET';
    }
    const alone = waiting.length === 0 || (waiting.length === 1 && replaced !== undefined);
    if (entry.blocker && !alone) return 'telCAN_NOT_QUEUE_BLOCKS';
    if (waiting[0]?.blocker && replaced === undefined) return 'telCAN_NOT_QUEUE_BLOCKED';
    if (replaced !== undefined && entry.level * 100n <= replaced.level * REPLACE_PERCENT)
      return 'telCAN_NOT_QUEUE_FEE';
    return !usesTicket(fields) && sequenceOf(fields) < next ? 'tefPAST_SEQ' : undefined;
  }

  /** Whether its sequence number follows those that wait; undefined when it does. */
  #checkOrder(
    account: Readonly<Entry>,
    { transaction: { fields } }: Queued,
    waiting: readonly Queued[],
    replaced: Queued | undefined,
  ): Result | undefined {
    if (usesTicket(fields) || replaced !== undefined) return undefined;
    if (sequenceOf(fields) === this.nextSequence(fields.Account, account.Sequence ?? 0)) return undefined;
    const first = waiting.find((other) => !usesTicket(other.transaction.fields));
    const inFront = first === undefined || sequenceOf(fields) < sequenceOf(first.transaction.fields);
    return inFront ? 'terPRE_SEQ' : 'telCAN_NOT_QUEUE';
  }

  /** Whether the queue accepts such a transaction at all; undefined when it does. */
  #checkHeld(
    open: OpenLedger,
    { transaction: { fields } }: Queued,
    waiting: readonly Queued[],
    replaced: Queued | undefined,
    failHard: boolean,
  ): Result | undefined {
    if (failHard || fields.AccountTxnID !== undefined) return 'telCAN_NOT_QUEUE';
    if (
      fields.LastLedgerSequence !== undefined &&
      fields.LastLedgerSequence < open.index + LAST_LEDGER_BUFFER
    )
      return 'telCAN_NOT_QUEUE';
    if (replaced !== undefined || waiting.length < ACCOUNT_MAX) return undefined;
    // Above the limit only a transaction that fills a gap before others is accepted.
    const fills = waiting.some(
      ({ transaction: other }) =>
        !usesTicket(fields) && !usesTicket(other.fields) && sequenceOf(other.fields) > sequenceOf(fields),
    );
    return fills ? undefined : 'telCAN_NOT_QUEUE_FULL';
  }

  /** Whether it can likely pay its fee after the transactions waiting before it; undefined when it can. */
  #checkClaims(
    open: OpenLedger,
    account: Readonly<Entry>,
    entry: Queued,
    waiting: readonly Queued[],
    replaced: Queued | undefined,
  ): Result | undefined {
    const others = waiting.filter((other) => other !== replaced);
    const { transaction } = entry;
    const trial = new EntryTable(open.view);
    if (others.length > 0) {
      const { fees } = open.view;
      const balance = account.Balance?.drops ?? 0n;
      const inFlight = others.reduce((sum, other) => sum + other.transaction.fields.Fee.drops, 0n);
      const reserveCounts = fees.reserve > RESERVE_IN_BASE_FEES * fees.base;
      if (inFlight >= balance || (reserveCounts && inFlight >= fees.reserve))
        return 'telCAN_NOT_QUEUE_BALANCE';
      const spends = others.reduce((sum, other) => sum + other.spends, 0n);
      const spendable = balance > fees.reserve ? balance - fees.reserve : 0n;
      const copy = trial.peek(account.index)!;
      const left = balance - inFlight - (spends < spendable ? spends : spendable);
      copy.Balance = Amount.drops(left > 0n ? left : 0n);
      copy.Sequence = usesTicket(transaction.fields)
        ? this.nextSequence(transaction.fields.Account, account.Sequence ?? 0)
        : sequenceOf(transaction.fields);
    }
    const result = preclaim(trial, transaction, this.#options);
    return result === 'tesSUCCESS' || isTec(result) ? undefined : result;
  }

  /** Makes room for one more: in a full queue the last transaction of the cheapest account is dropped, if it pays less. */
  #makeRoom(entry: Queued): Result | undefined {
    if (!this.full) return undefined;
    const { Account } = entry.transaction.fields;
    const cheapest = this.all().findLast((other) => other.transaction.fields.Account !== Account);
    if (cheapest === undefined) return 'telCAN_NOT_QUEUE_FULL';
    const list = this.of(cheapest.transaction.fields.Account);
    const average = list.reduce((sum, { level }) => sum + level, 0n) / BigInt(list.length);
    const worth = cheapest.level > entry.level ? cheapest.level : average;
    if (entry.level <= worth) return 'telCAN_NOT_QUEUE_FULL';
    const last = list.at(-1);
    this.#remove(cheapest.transaction.fields.Account, (other) => other === last);
    return undefined;
  }

  /** Moves transactions that pay enough into a new open ledger. @returns the transactions that were applied */
  accept(open: OpenLedger): ParsedTransaction[] {
    const accepted: ParsedTransaction[] = [];
    const tried = new Set<Queued>();
    for (;;) {
      const candidate = this.#nextCandidate(open.parent.hash, tried);
      if (candidate === undefined || candidate.level < this.requiredLevel(open)) return accepted;
      tried.add(candidate);
      const { transaction } = candidate;
      const { result, applied } = open.apply(transaction, { preflighted: true });
      candidate.lastResult = result;
      if (applied) accepted.push(transaction);
      if (applied || final(result) || candidate.retriesRemaining <= 0)
        this.#remove(transaction.fields.Account, (other) => other === candidate);
      candidate.retriesRemaining--;
    }
  }

  /** The untried transaction with the highest level of those that are first in their account, or use a ticket. */
  #nextCandidate(parentHash: Hex, tried: ReadonlySet<Queued>): Queued | undefined {
    let best: Queued | undefined;
    for (const list of this.#accounts.values()) {
      for (const [at, entry] of list.entries()) {
        if (at > 0 && !usesTicket(entry.transaction.fields)) continue;
        if (!tried.has(entry) && (best === undefined || before(entry, best, parentHash))) best = entry;
      }
    }
    return best;
  }

  /** Updates from a closed ledger, and drops the transactions that can no longer apply. */
  closed(ledger: ClosedLedger): void {
    const view = ledger.view();
    this.metrics.update(
      ledger.transactions.map(({ fields, blob, hashText }) =>
        levelOf(view, { fields, blob, hash: hashText }),
      ),
    );
    for (const account of [...this.#accounts.keys()])
      this.#remove(account, ({ transaction }) => {
        const last = transaction.fields.LastLedgerSequence;
        return last !== undefined && last <= ledger.index;
      });
  }

  #remove(account: AccountId, which: (entry: Queued) => boolean): void {
    const list = this.#accounts.get(account);
    if (list === undefined) return;
    const kept = list.filter((entry) => !which(entry));
    this.#size -= list.length - kept.length;
    if (kept.length > 0) this.#accounts.set(account, kept);
    else this.#accounts.delete(account);
  }
}

/** Whether two transactions of an account use the same sequence or ticket. */
const sameProxy = (a: ParsedTransaction, b: ParsedTransaction): boolean =>
  usesTicket(a.fields) === usesTicket(b.fields) && sequenceOf(a.fields) === sequenceOf(b.fields);

/** The order of the queue: by level, equal levels by their hashes mixed with that of the parent ledger. */
function before(a: Queued, b: Queued, parentHash: Hex): boolean {
  if (a.level !== b.level) return a.level > b.level;
  const mask = BigInt(`0x${parentHash}`);
  return (BigInt(`0x${a.transaction.hash}`) ^ mask) < (BigInt(`0x${b.transaction.hash}`) ^ mask);
}
