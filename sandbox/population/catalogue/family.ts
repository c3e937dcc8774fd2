/** Builds one family of the catalogue: a row defines what is sent, when, by which agent, and the expected result. */
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import type { Result } from '../../protocol/results.ts';
import type { Agent, Agents } from '../agents.ts';
import { fund, type ScheduledAction } from '../scenario.ts';
import type { Annotation, SimulationStep, TransactionTemplate } from '../simulation-step.ts';

/** When the catalogue begins, seconds since the epoch. */
export const CATALOGUE_BEGINS = 2 * HOUR;
/** Label of the catalogue's transactions in the ground truth. */
export const CATALOGUE_LABEL = 'catalogue';

export const drops = (count: number | bigint): Amount => Amount.drops(count);
export const xrp = (count: number): Amount => Amount.drops(Math.round(count * DROPS_PER_XRP));

export interface CatalogueRow {
  readonly id: string;
  /** Family of the transaction: `check`, `escrow`. */
  readonly kind: string;
  readonly about: string;
  /** `TransactionType`. */
  readonly tx: string;
  readonly expectedResult: Result;
}

type TemplateFields = Omit<TransactionTemplate, 'TransactionType'>;
/** `''` or undefined: an entry that the transaction needs does not exist, and nothing is sent. */
type IfPossible<T> = T | '' | undefined;

interface RowOptions {
  readonly expectedResult?: Result;
  /** The agent whose key signs, if not the sender. */
  readonly signer?: Agent;
}

/** The rows and scheduled actions of one family. */
export class CatalogueFamily {
  readonly agents: Agents;
  readonly rows: CatalogueRow[] = [];
  readonly actions: ScheduledAction[] = [];
  readonly #kind: string;

  constructor(agents: Agents, kind: string) {
    this.agents = agents;
    this.#kind = kind;
  }

  /** An agent of this family. */
  agent(name: string): Agent {
    return this.agents.get(`${this.#kind}:${name}`);
  }

  /** Seconds since the epoch of a minute of the catalogue. */
  at(minute: number): number {
    return CATALOGUE_BEGINS + minute * MINUTE;
  }

  fund(minute: number, count: number, ...agents: readonly Agent[]): void {
    this.actions.push(fund(this.at(minute), agents, count));
  }

  /** Sends a transaction that a row needs and that is no row itself. */
  prepare(
    minute: number,
    agent: Agent,
    source: TransactionTemplate | ((step: SimulationStep) => IfPossible<TransactionTemplate>),
  ): void {
    this.schedule(minute, (step) => {
      const template = typeof source === 'function' ? source(step) : source;
      if (template) step.send(agent, template);
    });
  }

  schedule(minute: number, run: (step: SimulationStep) => void): void {
    this.actions.push({ at: this.at(minute), run });
  }

  /** A row whose transaction needs code of its own to be sent. */
  customRow(
    minute: number,
    row: Omit<CatalogueRow, 'kind' | 'expectedResult'> & { expectedResult?: Result },
    run: (step: SimulationStep, annotation: Annotation) => void,
  ): void {
    const expectedResult = row.expectedResult ?? 'tesSUCCESS';
    this.rows.push({ ...row, kind: this.#kind, expectedResult });
    const annotation: Annotation = {
      id: row.id,
      label: CATALOGUE_LABEL,
      ...(expectedResult === 'tesSUCCESS' ? {} : { expectedResult }),
    };
    this.schedule(minute, (step) => run(step, annotation));
  }

  row(
    minute: number,
    id: string,
    tx: string,
    about: string,
    agent: Agent,
    source: TemplateFields | ((step: SimulationStep) => IfPossible<TemplateFields>),
    { expectedResult, signer }: RowOptions = {},
  ): void {
    this.customRow(
      minute,
      { id, tx, about, ...(expectedResult === undefined ? {} : { expectedResult }) },
      (step, annotation) => {
        const fields = typeof source === 'function' ? source(step) : source;
        if (fields) step.send(agent, { ...fields, TransactionType: tx }, annotation, signer);
      },
    );
  }
}
