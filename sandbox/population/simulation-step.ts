/**
 * One simulation step: agents read the state of the parent ledger and sign transactions for the next one.
 *
 * All input of an agent's decision comes from here: the parent's state, its close time, and random numbers derived from
 * the seed, the ledger index and a purpose. So the same parent ledger always gives the same next ledger.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import { Amount, amountOfText } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  type Hex,
  isIssued,
  issuerOf,
  isXrp,
} from '../../engine/codec/arithmetic/asset.ts';
import type { ParsedTransaction } from '../apply/environment.ts';
import { transactionOfFields } from '../apply/transaction.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Entry, EntryType, Fields, TransactionFields } from '../protocol/fields.ts';
import * as keylets from '../protocol/keylets.ts';
import { signingBytes } from '../protocol/keys.ts';
import type { Result } from '../protocol/results.ts';
import type { Agent, Agents } from './agents.ts';
import { RandomStream } from './random.ts';
import type { Economy } from './tokens.ts';

const FEE_DROPS = 12n;
/** For `LastLedgerSequence`: a transaction that was queued must not be applied after those of the next step. */
const LEDGERS_TO_LIVE = 2;
/** Significant digits of the amounts that agents send. */
const DIGITS = 7;
const POWERS = Array.from({ length: 193 }, (_, i) => Number(`1e${i - 96}`));
/** Seconds between two ledgers of history: the rates of agents are defined for a ledger of this length. */
const HISTORY_LEDGER_SECONDS = 60;

/** Marks a transaction that is recorded in the ground truth. */
export interface Annotation {
  /** Id of the scenario or of the row of the catalogue. */
  readonly id: string;
  readonly label?: string;
  /** Default: tesSUCCESS. */
  readonly expectedResult?: Result;
}

/** The fields that a sender decides; `autofill` adds the others. */
export type TransactionTemplate = Omit<Fields, keyof TransactionFields> & {
  TransactionType: string;
} & Partial<TransactionFields>;

/** Undefined: the sender has no account yet, and nothing was sent. */
export type Sent = ParsedTransaction | undefined;

/** Stores annotated transactions and measured figures. */
export interface GroundTruthRecorder {
  record(annotation: Annotation, transaction: ParsedTransaction, agent: Agent, ledger: number): void;
  fact(id: string, name: string, value: number | string): void;
}

export interface SimulationStepOptions {
  readonly parent: ClosedLedger;
  readonly closeTime: number;
  readonly agents: Agents;
  readonly economy: Economy;
  readonly seed: string;
  readonly epoch: number;
  readonly networkId: number;
  readonly groundTruth: GroundTruthRecorder;
}

/** An amount as a number: XRP, tokens, units of an MPT. */
export function numberOf(amount: Amount): number {
  if (amount.isNative) return Number(amount.mantissa) / DROPS_PER_XRP;
  if (amount.isZero) return 0;
  return Number(amount.mantissa) * POWERS[amount.exponent + 96]!;
}

/** An amount of an asset, rounded to drops, to units of an MPT or to seven significant digits. */
export function amountOf(asset: Asset, value: number): Amount {
  if (isXrp(asset)) return Amount.drops(Math.max(1, Math.round(value * DROPS_PER_XRP)));
  if (isIssued(asset)) return amountOfText(asset, value.toPrecision(DIGITS));
  return Amount.mpt(asset, Math.max(1, Math.round(value)));
}

export class SimulationStep {
  readonly parent: ClosedLedger;
  readonly view: ReadView;
  readonly agents: Agents;
  readonly economy: Economy;
  /** Close time of the next ledger, Ripple epoch seconds. */
  readonly closeTime: number;
  /** Close time of the parent, Ripple epoch seconds. */
  readonly now: number;
  /** Start of the simulation: close time of the chain's second ledger, Ripple epoch seconds. */
  readonly epoch: number;
  /** Index of the next ledger. */
  readonly index: number;
  readonly networkId: number;
  /** Length of the next ledger relative to one of history, at most 1: rates of agents are multiplied by it. */
  readonly durationRatio: number;
  readonly transactions: ParsedTransaction[] = [];
  readonly #seed: string;
  readonly groundTruth: GroundTruthRecorder;
  readonly #sequences = new Map<AccountId, number>();

  constructor(options: SimulationStepOptions) {
    const { parent, closeTime } = options;
    this.parent = parent;
    this.view = parent.view();
    this.agents = options.agents;
    this.economy = options.economy;
    this.closeTime = closeTime;
    this.now = parent.closeTime;
    this.epoch = options.epoch;
    this.index = parent.index + 1;
    this.networkId = options.networkId;
    this.durationRatio = Math.min(1, Math.max(1, closeTime - this.now) / HISTORY_LEDGER_SECONDS);
    this.#seed = options.seed;
    this.groundTruth = options.groundTruth;
  }

  /** Random numbers for one purpose in this ledger. */
  random(purpose: string): RandomStream {
    return new RandomStream(`${this.#seed}/${this.index}/${purpose}`);
  }

  accountRoot(agent: { readonly account: AccountId }): Readonly<Entry> | undefined {
    return this.view.read(keylets.account(agent.account));
  }

  /** Balance in XRP; 0 without an account. */
  xrp(agent: { readonly account: AccountId }): number {
    const balance = this.accountRoot(agent)?.Balance;
    return balance === undefined ? 0 : numberOf(balance);
  }

  line(account: AccountId, asset: Asset): Readonly<Entry> | undefined {
    return this.view.read(keylets.line(account, issuerOf(asset), asset.slice(0, 40)));
  }

  /** Balance of an asset: XRP, tokens or units of an MPT. */
  holds(account: AccountId, asset: Asset): number {
    if (isXrp(asset)) return this.xrp({ account });
    if (!isIssued(asset)) return Number(this.view.read(keylets.mptoken(asset, account))?.MPTAmount ?? 0n);
    const balance = this.line(account, asset)?.Balance;
    if (balance === undefined) return 0;
    return account < issuerOf(asset) ? numberOf(balance) : -numberOf(balance);
  }

  /** Entries of one type in an account's owner directory. */
  owned(account: AccountId, type: EntryType): Readonly<Entry>[] {
    return this.entriesIn(keylets.ownerDirectory(account), type);
  }

  /** Ids of the NFTs that an account owns. */
  nfts(account: AccountId): Hex[] {
    const found: Hex[] = [];
    const last = keylets.nftPageMax(account);
    let key: Hex | undefined = this.view.read(last) === undefined ? undefined : last;
    while (key !== undefined) {
      const page: Readonly<Entry> | undefined = this.view.read(key);
      for (const { NFToken } of page?.NFTokens ?? []) found.push(NFToken!.NFTokenID!);
      key = page?.PreviousPageMin;
    }
    return found;
  }

  /** Entries that a directory lists, of one type or of all. */
  entriesIn(root: Hex, type?: EntryType): Readonly<Entry>[] {
    const found: Readonly<Entry>[] = [];
    for (let page = 0n; ; ) {
      const directory = this.view.read(keylets.directoryPage(root, page));
      for (const key of directory?.Indexes ?? []) {
        const entry = this.view.read(key);
        if (entry !== undefined && (type === undefined || entry.LedgerEntryType === type)) found.push(entry);
      }
      page = directory?.IndexNext ?? 0n;
      if (page === 0n) return found;
    }
  }

  /** Next sequence number of an account, after the transactions of this step. */
  sequence(agent: Agent): number {
    return this.#sequences.get(agent.account) ?? this.accountRoot(agent)?.Sequence ?? 0;
  }

  /** Consumes sequence numbers: for transactions that are not sent by `send`, such as those inside a batch. */
  consumeSequences(agent: Agent, sequences = 1): void {
    this.#sequences.set(agent.account, this.sequence(agent) + sequences);
  }

  /** Adds the fields that every transaction has. */
  autofill(agent: Agent, fields: TransactionTemplate): TransactionFields {
    return {
      Account: agent.account,
      Fee: Amount.drops(FEE_DROPS),
      Flags: 0,
      Sequence: fields.TicketSequence === undefined ? this.sequence(agent) : 0,
      LastLedgerSequence: this.index + LEDGERS_TO_LIVE,
      NetworkID: this.networkId,
      SigningPubKey: agent.publicKey,
      ...fields,
    };
  }

  /**
   * Signs a transaction and adds it to those of this step; does nothing when the agent has no account yet.
   * @param signer the agent whose key signs, if not the sender
   */
  send(agent: Agent, fields: TransactionTemplate, annotation?: Annotation, signer = agent): Sent {
    if (this.accountRoot(agent) === undefined) return undefined;
    const filled = this.autofill(agent, { SigningPubKey: signer.publicKey, ...fields });
    filled.TxnSignature = signer.sign(signingBytes(filled));
    return this.add(agent, filled, annotation);
  }

  /** Adds a transaction that is already signed. */
  add(agent: Agent, signed: TransactionFields, annotation?: Annotation): ParsedTransaction {
    const transaction = transactionOfFields(signed);
    if (signed.TicketSequence === undefined) this.consumeSequences(agent);
    this.transactions.push(transaction);
    if (annotation !== undefined) this.groundTruth.record(annotation, transaction, agent, this.index);
    return transaction;
  }

  pay(
    from: Agent,
    to: AccountId,
    asset: Asset,
    value: number,
    more: Partial<TransactionTemplate> = {},
    annotation?: Annotation,
  ): Sent {
    const Amount = amountOf(asset, value);
    return this.send(from, { TransactionType: 'Payment', Destination: to, Amount, ...more }, annotation);
  }

  trust(
    agent: Agent,
    asset: Asset,
    limit: number,
    more: Partial<TransactionTemplate> = {},
    annotation?: Annotation,
  ): Sent {
    const LimitAmount = limit === 0 ? Amount.zero(asset) : amountOf(asset, limit);
    return this.send(agent, { TransactionType: 'TrustSet', LimitAmount, ...more }, annotation);
  }
}
