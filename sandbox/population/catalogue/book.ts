/** What a catalogue is written with: a row says what is sent, when, by whom, and with which result it is meant. */
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Amount } from '../../protocol/amount.ts';
import type { Result } from '../../protocol/results.ts';
import type { People, Person } from '../people.ts';
import { fund, type Step } from '../script.ts';
import type { Noted, Turn, Wish } from '../turn.ts';

/** The catalogue begins so long after the epoch. */
export const CATALOGUE_BEGINS = 2 * HOUR;
export const CATALOGUE_STEP = 'catalogue';

export const drops = (count: number | bigint): Amount => Amount.drops(count);
export const xrp = (count: number): Amount => Amount.drops(Math.round(count * DROPS_PER_XRP));

export interface CatalogueRow {
  readonly id: string;
  /** Family of the transaction: `check`, `escrow`. */
  readonly kind: string;
  readonly about: string;
  /** `TransactionType`. */
  readonly tx: string;
  readonly meant: Result;
}

type Said = Omit<Wish, 'TransactionType'>;
/** `''` as undefined: what it was to be about is not there, and nothing is sent. */
type Unless<T> = T | '' | undefined;

interface RowOptions {
  readonly meant?: Result;
  /** Whose key signs, when it is another's. */
  readonly signer?: Person;
}

/** The rows and steps of one family. */
export class Book {
  readonly people: People;
  readonly rows: CatalogueRow[] = [];
  readonly steps: Step[] = [];
  readonly #kind: string;

  constructor(people: People, kind: string) {
    this.people = people;
    this.#kind = kind;
  }

  /** Somebody of this family. */
  person(name: string): Person {
    return this.people.get(`${this.#kind}:${name}`);
  }

  /** Seconds since the epoch of a minute of the catalogue. */
  at(minute: number): number {
    return CATALOGUE_BEGINS + minute * MINUTE;
  }

  fund(minute: number, count: number, ...people: readonly Person[]): void {
    this.steps.push(fund(this.at(minute), people, count));
  }

  /** What is needed for rows and is none itself. */
  also(minute: number, person: Person, wish: Wish | ((turn: Turn) => Unless<Wish>)): void {
    this.act(minute, (turn) => {
      const said = typeof wish === 'function' ? wish(turn) : wish;
      if (said) turn.send(person, said);
    });
  }

  act(minute: number, act: (turn: Turn) => void): void {
    this.steps.push({ at: this.at(minute), act });
  }

  /** A row that is sent in a way of its own. */
  special(
    minute: number,
    row: Omit<CatalogueRow, 'kind' | 'meant'> & { meant?: Result },
    act: (turn: Turn, note: Noted) => void,
  ): void {
    const meant = row.meant ?? 'tesSUCCESS';
    this.rows.push({ ...row, kind: this.#kind, meant });
    const note: Noted = { id: row.id, step: CATALOGUE_STEP, ...(meant === 'tesSUCCESS' ? {} : { meant }) };
    this.act(minute, (turn) => act(turn, note));
  }

  row(
    minute: number,
    id: string,
    tx: string,
    about: string,
    person: Person,
    said: Said | ((turn: Turn) => Unless<Said>),
    { meant, signer }: RowOptions = {},
  ): void {
    this.special(minute, { id, tx, about, ...(meant === undefined ? {} : { meant }) }, (turn, note) => {
      const fields = typeof said === 'function' ? said(turn) : said;
      if (fields) turn.send(person, { ...fields, TransactionType: tx }, note, signer);
    });
  }
}
