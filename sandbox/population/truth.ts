/**
 * What the scenarios did, as data: every transaction that was part of one, with its place in the ledger and its
 * result, and figures measured on the way. Analytics are tested against this.
 *
 * A row is written when a transaction is signed and completed one turn later from the ledger it came in. All of it is
 * kept by the store, in the same commit as the ledgers, so that a restart loses none. Nothing is decided by it.
 *
 * It is kept in volumes, one for each week that is told: that of the first week, with the catalogue, for good; each
 * other takes the place of the one that is told no longer. So it never becomes more, and only what has changed is
 * written.
 */
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import { RESULT_OF_CODE } from '../protocol/results.ts';
import type { Person } from './people.ts';
import { KEPT_WEEKS, weekOfId } from './script.ts';
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

interface Volume {
  /** 0 where it is not told: the first. */
  readonly week?: number;
  readonly rows: TruthRow[];
  readonly facts: Record<string, Facts>;
}

interface FirstVolume extends Volume {
  readonly seed: string;
  readonly epoch: number;
}

/** Whether people have begun to live on a network. */
export const isLivedIn = (network: Network): boolean => network.ledgers.annotation(NOTE) !== undefined;

const slotOf = (week: number): string => (week === 0 ? NOTE : `${NOTE}/${week % KEPT_WEEKS}`);

export class Truth {
  readonly #network: Network;
  readonly #first: FirstVolume;
  /** By the name of their note. */
  readonly #volumes = new Map<string, Volume>();
  #waiting: TruthRow[];

  /** @param seed holds for a network that has none yet: one that has lived keeps its own */
  constructor(network: Network, seed: string) {
    this.#network = network;
    const text = network.ledgers.annotation(NOTE);
    this.#first =
      text === undefined
        ? { seed, epoch: network.ledgers.byIndex(2)!.closeTime, rows: [], facts: {} }
        : (JSON.parse(text) as FirstVolume);
    this.#volumes.set(NOTE, this.#first);
    for (let week = 1; week <= KEPT_WEEKS; week++) {
      const kept = network.ledgers.annotation(slotOf(week));
      if (kept !== undefined) this.#volumes.set(slotOf(week), JSON.parse(kept) as Volume);
    }
    this.#waiting = this.rows.filter(({ result }) => result === undefined);
    if (text === undefined) this.#changed(0);
  }

  get seed(): string {
    return this.#first.seed;
  }

  /** Close time of the chain's second ledger, Ripple epoch seconds. */
  get epoch(): number {
    return this.#first.epoch;
  }

  /** All that is told, in the order it was signed. */
  get rows(): readonly TruthRow[] {
    return [...this.#volumes.values()]
      .sort((a, b) => (a.week ?? 0) - (b.week ?? 0))
      .flatMap(({ rows }) => rows);
  }

  /** Rows of the scenarios of a week; those of the first one with the catalogue's. */
  rowsOf(week: number): readonly TruthRow[] {
    const volume = this.#volumes.get(slotOf(week));
    return (volume?.week ?? 0) === week ? (volume?.rows ?? []) : [];
  }

  factsOf(id: string): Facts {
    const week = weekOfId(id);
    const volume = this.#volumes.get(slotOf(week));
    return (volume?.week ?? 0) === week ? (volume?.facts[id] ?? {}) : {};
  }

  fact(id: string, name: string, value: number | string): void {
    const week = weekOfId(id);
    const { facts } = this.#volume(week);
    facts[id] = { ...facts[id], [name]: value };
    this.#changed(week);
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
    const week = weekOfId(id);
    this.#volume(week).rows.push(row);
    this.#waiting.push(row);
    this.#changed(week);
  }

  /** Completes rows from a ledger. */
  seen(ledger: ClosedLedger): void {
    if (this.#waiting.length === 0) return;
    const byHash = new Map(ledger.transactions.map((transaction) => [transaction.hashText, transaction]));
    const changed = new Set<number>();
    this.#waiting = this.#waiting.filter((row) => {
      const found = byHash.get(row.hash);
      if (found !== undefined) {
        row.ledger = ledger.index;
        row.closeTime = ledger.closeTime;
        row.result = RESULT_OF_CODE.get(found.metaFields.TransactionResult ?? 0) ?? 'unknown';
      } else if (ledger.index >= row.ledger + PATIENCE) row.result = 'not applied';
      if (row.result !== undefined) changed.add(weekOfId(row.id));
      return row.result === undefined;
    });
    for (const week of changed) this.#changed(week);
  }

  /** The volume of a week, in place of an older one. */
  #volume(week: number): Volume {
    const slot = slotOf(week);
    let volume = this.#volumes.get(slot);
    if (volume === undefined || (volume.week ?? 0) < week) {
      volume = { week, rows: [], facts: {} };
      this.#volumes.set(slot, volume);
    }
    return volume;
  }

  #changed(week: number): void {
    const slot = slotOf(week);
    this.#network.ledgers.setAnnotation(slot, () => JSON.stringify(this.#volumes.get(slot)));
  }
}
