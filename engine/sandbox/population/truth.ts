/**
 * What the scenarios did, as data: every transaction that was part of one, with its place in the ledger and its
 * result, and figures measured on the way. Analytics are tested against this.
 *
 * A row is written when a transaction is signed and completed one turn later from the ledger it came in. All of it is
 * kept by the store, in the same commit as the ledgers, so that a restart loses none. Nothing is decided by it.
 */
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import { RESULT_OF_CODE } from '../protocol/results.ts';
import type { Person } from './people.ts';
import type { Noted } from './turn.ts';

const NOTE = 'population';
/** Ledgers after which a transaction that was not seen is given up. */
const PATIENCE = 5;

export interface TruthRow {
  /** Scenario or row of the catalogue. */
  readonly id: string;
  readonly step?: string;
  /** The result it was to have, where that is not tesSUCCESS. */
  readonly meant?: string;
  readonly type: string;
  /** Base58. */
  readonly account: string;
  readonly hash: string;
  /** Of the ledger it was meant for, then the one it is in. */
  ledger: number;
  /** Ripple epoch seconds; absent until it is in a ledger. */
  closeTime?: number;
  /** Undefined until then; `not applied` when it never came. */
  result?: string;
}

export type Facts = Record<string, number | string>;

interface Kept {
  readonly seed: string;
  readonly epoch: number;
  readonly rows: TruthRow[];
  readonly facts: Record<string, Facts>;
}

/** Whether people have begun to live on a network. */
export const isLivedIn = (network: Network): boolean => network.ledgers.note(NOTE) !== undefined;

export class Truth {
  readonly #network: Network;
  readonly #kept: Kept;
  #waiting: TruthRow[];

  /** @param seed holds for a network that has none yet: one that has lived keeps its own */
  constructor(network: Network, seed: string) {
    this.#network = network;
    const text = network.ledgers.note(NOTE);
    this.#kept =
      text === undefined
        ? { seed, epoch: network.ledgers.byIndex(2)!.closeTime, rows: [], facts: {} }
        : (JSON.parse(text) as Kept);
    this.#waiting = this.#kept.rows.filter(({ result }) => result === undefined);
    if (text === undefined) this.#changed();
  }

  get seed(): string {
    return this.#kept.seed;
  }

  /** Close time of the chain's second ledger, Ripple epoch seconds. */
  get epoch(): number {
    return this.#kept.epoch;
  }

  get rows(): readonly TruthRow[] {
    return this.#kept.rows;
  }

  factsOf(id: string): Facts {
    return this.#kept.facts[id] ?? {};
  }

  fact(id: string, name: string, value: number | string): void {
    const facts = this.#kept.facts[id] ?? {};
    this.#kept.facts[id] = facts;
    facts[name] = value;
    this.#changed();
  }

  note({ id, step, meant }: Noted, transaction: ParsedTransaction, person: Person, ledger: number): void {
    const row: TruthRow = {
      id,
      ...(step === undefined ? {} : { step }),
      ...(meant === undefined ? {} : { meant }),
      type: transaction.fields.TransactionType,
      account: person.address,
      hash: transaction.hash,
      ledger,
    };
    this.#kept.rows.push(row);
    this.#waiting.push(row);
    this.#changed();
  }

  /** Completes rows from a ledger. */
  seen(ledger: ClosedLedger): void {
    if (this.#waiting.length === 0) return;
    const byHash = new Map(ledger.transactions.map((transaction) => [transaction.hashText, transaction]));
    this.#waiting = this.#waiting.filter((row) => {
      const found = byHash.get(row.hash);
      if (found !== undefined) {
        row.ledger = ledger.index;
        row.closeTime = ledger.closeTime;
        row.result = RESULT_OF_CODE.get(found.metaFields.TransactionResult ?? 0) ?? 'unknown';
      } else if (ledger.index >= row.ledger + PATIENCE) row.result = 'not applied';
      return row.result === undefined;
    });
    this.#changed();
  }

  #changed(): void {
    this.#network.ledgers.keepNote(NOTE, () => JSON.stringify(this.#kept));
  }
}
