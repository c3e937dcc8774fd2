/**
 * The ground truth of the scenarios, as data: every transaction that was part of a scenario, with its ledger and its
 * result, and the figures measured while it ran. Analytics are tested against this.
 *
 * A row is added when a transaction is signed, and completed one step later from the ledger that contains it. The store
 * keeps all rows, in the same commit as the ledgers, so that a restart loses none. No agent reads them.
 *
 * Rows are kept in one volume a week. The volume of week 0, which also holds the catalogue, is kept forever; there are
 * slots for the volumes of KEPT_WEEKS other weeks, and a new week replaces the oldest. So the size is bounded, and only
 * volumes that changed are written.
 */
import type { ParsedTransaction } from '../apply/environment.ts';
import type { ClosedLedger } from '../ledger/ledger.ts';
import type { Network } from '../node/network.ts';
import { RESULT_OF_CODE } from '../protocol/results.ts';
import type { Agent } from './agents.ts';
import type { Annotation } from './simulation-step.ts';
import { FIRST_SIZE, type PopulationSize } from './size.ts';
import { KEPT_WEEKS, weekOfId } from './week.ts';

/** Name under which the store keeps the first volume. */
const STORE_KEY = 'population';
/** Ledgers after which a transaction that is in none of them counts as not applied. */
const LEDGERS_TO_WAIT = 5;

export interface GroundTruthRow {
  /** Id of the scenario or of the row of the catalogue. */
  readonly id: string;
  /** Label of the action in its scenario. */
  readonly step?: string;
  /** The expected result, where it is not tesSUCCESS. The store keeps it under this name. */
  readonly meant?: string;
  readonly type: string;
  /** Base58. */
  readonly account: string;
  readonly hash: string;
  /** Index of the ledger it was signed for; once applied, of the ledger that contains it. */
  ledger: number;
  /** Ripple epoch seconds; absent until it is in a ledger. */
  closeTime?: number;
  /** Undefined until then; `not applied` when no ledger contains it. */
  result?: string;
}

export type Facts = Record<string, number | string>;

interface Volume {
  /** Undefined in the first volume: week 0. */
  readonly week?: number;
  readonly rows: GroundTruthRow[];
  readonly facts: Record<string, Facts>;
}

interface FirstVolume extends Volume {
  readonly seed: string;
  readonly epoch: number;
  /** Absent in networks that were created before there were sizes. */
  readonly size?: PopulationSize;
}

/** Whether a network was started with a population. */
export const hasPopulation = (network: Network): boolean => network.ledgers.text(STORE_KEY) !== undefined;

const slotOf = (week: number): string => (week === 0 ? STORE_KEY : `${STORE_KEY}/${week % KEPT_WEEKS}`);

export class GroundTruth {
  readonly #network: Network;
  readonly #first: FirstVolume;
  /** By the name under which the store keeps them. */
  readonly #volumes = new Map<string, Volume>();
  /** Rows without a result yet. */
  #pending: GroundTruthRow[];

  /** @param seed for a new network, as is `size`; an existing one keeps those it was created with */
  constructor(network: Network, seed: string, size: PopulationSize) {
    this.#network = network;
    const text = network.ledgers.text(STORE_KEY);
    this.#first =
      text === undefined
        ? { seed, size, epoch: network.ledgers.byIndex(2)!.closeTime, rows: [], facts: {} }
        : (JSON.parse(text) as FirstVolume);
    this.#volumes.set(STORE_KEY, this.#first);
    for (let week = 1; week <= KEPT_WEEKS; week++) {
      const kept = network.ledgers.text(slotOf(week));
      if (kept !== undefined) this.#volumes.set(slotOf(week), JSON.parse(kept) as Volume);
    }
    this.#pending = this.rows.filter(({ result }) => result === undefined);
    if (text === undefined) this.#save(0);
  }

  get seed(): string {
    return this.#first.seed;
  }

  get size(): PopulationSize {
    return this.#first.size ?? FIRST_SIZE;
  }

  /** Close time of the chain's second ledger, Ripple epoch seconds. */
  get epoch(): number {
    return this.#first.epoch;
  }

  /** All rows, ordered by week, then by signing. */
  get rows(): readonly GroundTruthRow[] {
    return [...this.#volumes.values()]
      .sort((a, b) => (a.week ?? 0) - (b.week ?? 0))
      .flatMap(({ rows }) => rows);
  }

  /** Rows of the scenarios of a week; week 0 includes the catalogue. Empty when the week is no longer kept. */
  rowsOf(week: number): readonly GroundTruthRow[] {
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
    this.#save(week);
  }

  record(
    { id, label, expectedResult }: Annotation,
    transaction: ParsedTransaction,
    agent: Agent,
    ledger: number,
  ): void {
    const row: GroundTruthRow = {
      id,
      ...(label === undefined ? {} : { step: label }),
      ...(expectedResult === undefined ? {} : { meant: expectedResult }),
      type: transaction.fields.TransactionType,
      account: agent.address,
      hash: transaction.hash,
      ledger,
    };
    const week = weekOfId(id);
    this.#volume(week).rows.push(row);
    this.#pending.push(row);
    this.#save(week);
  }

  /** Sets ledger, close time and result of the pending rows that a ledger contains. */
  complete(ledger: ClosedLedger): void {
    if (this.#pending.length === 0) return;
    const byHash = new Map(ledger.transactions.map((transaction) => [transaction.hashText, transaction]));
    const changed = new Set<number>();
    this.#pending = this.#pending.filter((row) => {
      const found = byHash.get(row.hash);
      if (found !== undefined) {
        row.ledger = ledger.index;
        row.closeTime = ledger.closeTime;
        row.result = RESULT_OF_CODE.get(found.metaFields.TransactionResult ?? 0) ?? 'unknown';
      } else if (ledger.index >= row.ledger + LEDGERS_TO_WAIT) row.result = 'not applied';
      if (row.result !== undefined) changed.add(weekOfId(row.id));
      return row.result === undefined;
    });
    for (const week of changed) this.#save(week);
  }

  /** The volume of a week; a new one replaces the oldest in its slot. */
  #volume(week: number): Volume {
    const slot = slotOf(week);
    let volume = this.#volumes.get(slot);
    if (volume === undefined || (volume.week ?? 0) < week) {
      volume = { week, rows: [], facts: {} };
      this.#volumes.set(slot, volume);
    }
    return volume;
  }

  #save(week: number): void {
    const slot = slotOf(week);
    this.#network.ledgers.setText(slot, () => JSON.stringify(this.#volumes.get(slot)));
  }
}
