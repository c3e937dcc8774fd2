/**
 * The embedded network: a node that is a network of its own. It takes transactions, closes ledgers, keeps them and
 * publishes events. Commands, subscriptions and sockets are built on it.
 *
 *     submit ──► queue / open ledger ──► close: the set in canonical order upon the last closed ledger ──► store
 *        │ ter                              │
 *        ▼                                  ▼
 *     held, tried again            new open ledger: remaining, queued, local and held transactions
 *
 * A closed ledger is validated as soon as it is durable, because there is no other validator. Until then (while history
 * is made, many ledgers share a commit) it is built upon but not visible. The same transactions and close times give the
 * same hashes; the clock is only read when no close time is given.
 *
 * Network id: above 1024, so that transactions must contain it. Clients fill it in by themselves (they read it from
 * `server_info`). A transaction signed for this network can never be replayed on a public one, nor the other way round.
 * An id up to 1024 works as well: then clients leave the field out, and a transaction with it is refused. The default is
 * the id of no public network (21337 and 21338 are Xahau's).
 *
 * Cost: a transaction is applied twice, once when it is submitted and once when the ledger is built; its signature is
 * verified once. `build` applies a set once, for history without subscribers.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import { applySet, type LeftOut, type SetOutcome } from '../apply/canonical.ts';
import type { ApplyOptions, Outcome, ParsedTransaction, Verify } from '../apply/environment.ts';
import { BASE_LEVEL, FEE_SETTINGS, type FeeSettings } from '../apply/fee-metrics.ts';
import { OpenLedger } from '../apply/open-ledger.ts';
import { TransactionQueue } from '../apply/queue.ts';
import { applyTransaction } from '../apply/transactor.ts';
import { NextLedger } from '../ledger/close.ts';
import { genesisLedger, NETWORK_FEES, secondLedger } from '../ledger/genesis.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { SandboxStore } from '../ledger/store.ts';
import { EntryTable } from '../ledger/tables.ts';
import type { Fees } from '../ledger/view.ts';
import { PathFinder } from '../paths/path-finder.ts';
import { usualAmendments } from '../protocol/amendment-choice.ts';
import * as keylets from '../protocol/keylets.ts';
import { isTer, type Result } from '../protocol/results.ts';
import { SANDBOX_NETWORK_ID } from '../protocol/well-known.ts';
import { Ledgers } from './network-ledgers.ts';
import { HeldTransactions, LocalTransactions } from './network-pending.ts';

export interface NetworkOptions {
  readonly store: SandboxStore;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Checks signatures. */
  readonly verify: Verify;
  /** Default {@link SANDBOX_NETWORK_ID}. */
  readonly networkId?: number;
  /** Close time of ledger 2 in an empty store, Ripple epoch seconds. Default: now. */
  readonly startTime?: number;
  /** Fees of ledger 1. Default: those of the public network. */
  readonly fees?: Fees;
  /** Enabled amendments of ledger 1: ids, ascending. Default: {@link usualAmendments}. */
  readonly amendments?: readonly Hex[];
  readonly feeSettings?: FeeSettings;
}

/** Result of a submission, as rippled's `submit` reports it. */
export interface Submitted {
  readonly result: Result;
  /** In the open ledger. */
  readonly applied: boolean;
  /** Would be passed on to other nodes. */
  readonly broadcast: boolean;
  readonly queued: boolean;
  /** Will be tried again. */
  readonly kept: boolean;
  /** Any of the above. */
  readonly accepted: boolean;
  /** The account's next sequence after the open ledger and the queued transactions. */
  readonly accountSequenceNext: number;
  readonly accountSequenceAvailable: number;
  /** What the open ledger asks of a reference transaction, drops. */
  readonly openLedgerCost: bigint;
  readonly validatedLedgerIndex: number;
}

/** A transaction that got into the open ledger. */
export interface Proposed {
  readonly transaction: ParsedTransaction;
  readonly result: Result;
  /** Index of the open ledger. */
  readonly ledgerIndex: number;
}

export interface NetworkEvents {
  /** A ledger is durable, and thereby validated. */
  readonly ledger: ClosedLedger;
  readonly proposed: Proposed;
}

type Listener<Name extends keyof NetworkEvents> = (event: NetworkEvents[Name]) => void;

export interface NodeFile {
  readonly type: string;
  readonly body: string | Uint8Array;
}

export class Network {
  readonly networkId: number;
  readonly ledgers: Ledgers;
  readonly queue: TransactionQueue;
  readonly held = new HeldTransactions();
  readonly local = new LocalTransactions();
  /** Describes the scenarios of this network; undefined when the network has no population. */
  fixtures: (() => JsonObject) | undefined;
  /** The xrp-ledger.toml that a domain of this network serves; undefined where it serves none, or nobody has domains. */
  tomlOf: ((domain: string) => string | undefined) | undefined;
  /** What a host of this network serves beside that: metadata and pictures of NFTs. */
  fileOf: ((host: string, path: string) => NodeFile | undefined) | undefined;
  readonly pathFinder: PathFinder;
  readonly #options: ApplyOptions;
  readonly #now: () => number;
  readonly #verify: Verify;
  readonly #listeners = { ledger: new Set<Listener<'ledger'>>(), proposed: new Set<Listener<'proposed'>>() };
  #open: OpenLedger;
  /** What the newest close left out, for the next open ledger; undefined: all transactions of the present one are kept. */
  #retry: readonly LeftOut[] | undefined;

  /**
   * Continues from the end of the store; an empty store gets the first two ledgers.
   * @throws Error when the store's state fails its proof
   */
  constructor(options: NetworkOptions) {
    this.networkId = options.networkId ?? SANDBOX_NETWORK_ID;
    this.#now = options.now;
    this.#verify = options.verify;
    this.#options = { networkId: this.networkId, verify: options.verify };
    this.queue = new TransactionQueue(this.#options, options.feeSettings ?? FEE_SETTINGS);
    this.ledgers = new Ledgers(options.store, (stored) => this.#stored(stored));
    this.pathFinder = new PathFinder(this);
    if (this.ledgers.newest === undefined) this.#begin(options);
    this.#open = new OpenLedger(this.closed, this.#options);
  }

  /** The newest durable ledger, which clients see. */
  get validated(): ClosedLedger {
    return this.ledgers.validated!;
  }

  /** Ids of the amendments that are enabled, ascending. */
  get amendments(): readonly Hex[] {
    return this.closed.view().read(keylets.amendments())?.Amendments ?? [];
  }

  /** The newest closed ledger, which the next one is built upon; ahead of `validated` while history is made. */
  get closed(): ClosedLedger {
    return this.ledgers.newest!;
  }

  /** The open ledger: command parameter `ledger_index: "current"`. */
  get open(): OpenLedger {
    return this.#open;
  }

  /** Verifies a signature, as for transactions. */
  get verify(): Verify {
    return this.#verify;
  }

  /** Unix time in milliseconds. */
  get unixMs(): number {
    return this.#now();
  }

  /** Ripple epoch seconds. */
  get time(): number {
    return Math.floor(this.#now() / 1000) - RIPPLE_EPOCH;
  }

  /** What the open ledger asks of a reference transaction now, in drops. */
  get openLedgerCost(): bigint {
    const cost = this.queue.requiredLevel(this.#open) * this.#open.view.fees.base;
    return (cost + BASE_LEVEL - 1n) / BASE_LEVEL;
  }

  /** Subscribes to events of a kind. @returns a function that unsubscribes */
  on<Name extends keyof NetworkEvents>(name: Name, listener: Listener<Name>): () => void {
    const listeners = this.#listeners[name] as Set<Listener<Name>>;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Applies a transaction to the open ledger, queues it, holds it, or answers why not. */
  submit(transaction: ParsedTransaction, { failHard = false } = {}): Submitted {
    const { result, applied } = this.queue.submit(this.#open, transaction, { failHard });
    const queued = result === 'terQUEUED';
    let kept = queued;
    if (applied) this.#propose(transaction, result);
    else if (isTer(result) && !queued && !failHard) kept = this.held.add(transaction, this.#open.index);
    // With fail_hard only successful transactions are kept.
    if ((applied || kept) && !(failHard && result !== 'tesSUCCESS')) {
      this.local.add(transaction, this.#open.index);
      kept = true;
    }
    if (applied) this.#submitHeld(transaction.fields.Account);
    const { Account } = transaction.fields;
    const next = this.#open.view.read(keylets.account(Account))?.Sequence ?? 0;
    return {
      result,
      applied,
      queued,
      kept,
      broadcast: applied || queued,
      accepted: applied || queued || kept,
      accountSequenceNext: next,
      accountSequenceAvailable: this.queue.nextSequence(Account, next),
      openLedgerCost: this.openLedgerCost,
      validatedLedgerIndex: this.validated.index,
    };
  }

  /** The result that a transaction would have now; nothing is changed. It needs no signature. */
  simulate(transaction: ParsedTransaction): Outcome {
    return applyTransaction(new EntryTable(this.#open.view), transaction, {
      networkId: this.networkId,
      simulate: true,
      index: this.#open.count,
    });
  }

  /**
   * Closes the open ledger.
   * @param closeTime Ripple epoch seconds, not rounded; now when not given. 0: not agreed upon
   * @throws storage errors; the ledger is closed then and will be stored with the next one
   */
  close(closeTime = this.time): ClosedLedger {
    const set = this.#open.transactions();
    const next = new NextLedger(this.closed, closeTime);
    const { retry } = applySet(next, set, { ...this.#options, preflighted: true });
    const ledger = next.close();
    this.#retry = retry;
    this.#advance(ledger);
    // A ledger that still waits for its commit is closed all the same.
    if (this.#open.index <= ledger.index) this.#reopen();
    return ledger;
  }

  /**
   * Closes a ledger of exactly these transactions (in canonical order), independent of the open ledger, which is renewed
   * when the ledger is durable. For making history.
   * @param trusted skips the check of signatures: the caller has just made them
   */
  build(
    transactions: readonly ParsedTransaction[],
    closeTime: number,
    { trusted = false } = {},
  ): SetOutcome & { readonly ledger: ClosedLedger } {
    const next = new NextLedger(this.closed, closeTime);
    const options = trusted ? { networkId: this.networkId } : this.#options;
    const outcome = applySet(next, transactions, options);
    const ledger = next.close();
    this.#advance(ledger);
    return { ...outcome, ledger };
  }

  /** Commits the closed ledgers that are not durable yet, and publishes them. @throws storage errors */
  flush(): void {
    this.ledgers.flush();
  }

  /** Account's next sequence number, after the open ledger and the queued transactions. */
  nextSequence(account: AccountId): number {
    return this.queue.nextSequence(account, this.#open.view.read(keylets.account(account))?.Sequence ?? 0);
  }

  /** A transaction that is in no closed ledger yet: in the open one, queued or held. */
  pending(hash: Hex): ParsedTransaction | undefined {
    return (
      this.#open.transaction(hash) ??
      this.queue.all().find(({ transaction }) => transaction.hash === hash)?.transaction ??
      this.held.all().find((transaction) => transaction.hash === hash)
    );
  }

  #begin({ startTime = this.time, fees = NETWORK_FEES, amendments }: NetworkOptions): void {
    const genesis = genesisLedger({ amendments: amendments ?? usualAmendments(), fees });
    this.ledgers.commitEvery = 2;
    this.ledgers.append(genesis);
    this.ledgers.append(secondLedger(genesis, startTime));
    this.ledgers.commitEvery = 1;
  }

  /** Makes a closed ledger the newest; it is published when it is durable. */
  #advance(ledger: ClosedLedger): void {
    this.queue.closed(ledger);
    this.local.sweep(ledger);
    try {
      this.ledgers.append(ledger);
    } catch (fault) {
      // Even if storing fails, the network continues from the closed ledger.
      this.#reopen();
      throw fault;
    }
  }

  #stored(ledgers: readonly ClosedLedger[]): void {
    // The first two ledgers are stored before there is an open ledger or a listener.
    if (this.#open === undefined) return;
    this.#reopen();
    for (const ledger of ledgers) for (const listener of [...this.#listeners.ledger]) listener(ledger);
  }

  /** A new open ledger on the newest closed one: with remaining, queued, local and held transactions. */
  #reopen(): void {
    const left = this.#retry?.map(({ transaction }) => transaction) ?? this.#open.transactions();
    this.#retry = undefined;
    this.#open = new OpenLedger(this.closed, this.#options);
    for (const transaction of left) this.#open.apply(transaction, { preflighted: true });
    for (const transaction of this.queue.accept(this.#open)) this.#propose(transaction, 'tesSUCCESS');
    for (const transaction of this.local.all())
      if (!this.#open.has(transaction.hash))
        this.queue.submit(this.#open, transaction, { preflighted: true });
    this.held.sweep(this.#open.index);
    for (const transaction of this.held.all()) this.#retryHeld(transaction);
  }

  /** Tries the held transactions of an account whose sequence has come. */
  #submitHeld(account: AccountId): void {
    for (;;) {
      const transaction = this.held.takeNext(account, this.#open.view);
      if (transaction === undefined) return;
      const { result, applied } = this.queue.submit(this.#open, transaction, { preflighted: true });
      if (applied) this.#propose(transaction, result);
    }
  }

  #retryHeld(transaction: ParsedTransaction): void {
    const { result, applied } = this.queue.submit(this.#open, transaction, { preflighted: true });
    if (applied) this.#propose(transaction, result);
    if (applied || !isTer(result) || result === 'terQUEUED') this.held.remove(transaction);
  }

  #propose(transaction: ParsedTransaction, result: Result): void {
    const event = { transaction, result, ledgerIndex: this.#open.index };
    for (const listener of [...this.#listeners.proposed]) listener(event);
  }
}
