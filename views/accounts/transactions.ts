/**
 * Transactions of an account, from the account index (engine/accounts/account-index.ts): pages in both directions, by type.
 *
 *     marker {ledger, seq, after: true}   the transaction that the next page begins after
 *
 * It names one that was seen, because a node gives the next page where that ledger has been pruned meanwhile: rippled's begins with
 * the transaction that a marker names, Clio's after it. Without `after` a page begins with that transaction: where none was seen.
 *
 * Only the ledgers of a page's rows are read. A filter that matches little ends a page after VISITS_MAX entries: the marker goes on.
 */
import type { AccountTransaction } from '../../engine/accounts/account-index.ts';
import { AccountRole } from '../../engine/accounts/account-index.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import type { Engine } from '../../engine/engine.ts';
import { mapInSlices, yieldToLoop } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { transactionText } from '../../explain/text.ts';
import { placedTransactionJson } from '../ledger/transaction-json.ts';

/** Entries of the index that a page looks at: about 20 ms, in slices. */
const VISITS_MAX = 20_000;
const VISITS_A_SLICE = 2000;
/** Rows made before other work may run: a ledger each, about 5 ms. */
const ROWS_A_SLICE = 4;

type RoleName = keyof typeof AccountRole;
const ROLE_NAMES = Object.fromEntries(
  Object.entries(AccountRole).map(([name, role]) => [role, name as RoleName]),
);

export interface TransactionMarker {
  readonly ledger: number;
  readonly seq: number;
  /** A page begins after that transaction, and not with it. */
  readonly after?: true;
}

export interface TransactionQuery {
  readonly account: number;
  readonly limit: number;
  readonly forward: boolean;
  /** Ledgers, both included. */
  readonly first: number;
  readonly last: number;
  /** TransactionType codes; undefined: all. */
  readonly types?: ReadonlySet<number> | undefined;
  /** Where to begin. */
  readonly marker?: TransactionMarker | undefined;
}

/** Positions of a page. */
interface FoundPage {
  readonly found: readonly AccountTransaction[];
  readonly marker: TransactionMarker | undefined;
}

export class AccountTransactions {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The first ledger from which on every stored one can be searched; undefined: none can. */
  get first(): number | undefined {
    const { from } = this.#engine.accountIndex;
    const oldest = this.#engine.ledgerRanges()[0]?.[0];
    return from === undefined || oldest === undefined ? undefined : Math.max(from, oldest);
  }

  /** The first ledger from which on none is missing and every one can be searched; undefined: none can. */
  get firstUnbroken(): number | undefined {
    const { first } = this;
    const newest = this.#engine.ledgerRanges().at(-1)?.[0];
    return first === undefined || newest === undefined ? undefined : Math.max(first, newest);
  }

  async page(query: TransactionQuery) {
    const { found, marker } = await this.find(query);
    const txs = await this.rows(found);
    // Ledgers of the others were pruned while rows were made.
    return { txs, marker, isWhole: txs.length === found.length };
  }

  async find({ account, limit, forward, types, marker, ...range }: TransactionQuery): Promise<FoundPage> {
    const first = Math.max(range.first, this.first ?? 0, forward && marker ? marker.ledger : 0);
    const last = Math.min(range.last, !forward && marker ? marker.ledger : range.last);
    const found: AccountTransaction[] = [];
    let visits = 0;
    let before: AccountTransaction | undefined;
    if (first > last || account === 0) return { found, marker: undefined };
    const walk = { from: first, to: last, newestFirst: !forward };
    for (const one of this.#engine.accountIndex.of(account, walk, Math.max(64, limit + 1))) {
      if (marker && isBefore(one, marker, forward)) continue;
      if (found.length === limit || visits >= VISITS_MAX)
        return { found, marker: before ? { ...placeOf(before), after: true } : placeOf(one) };
      before = one;
      if (++visits % VISITS_A_SLICE === 0) await yieldToLoop();
      if (types === undefined || types.has(one.type)) found.push(one);
    }
    return { found, marker: undefined };
  }

  /** Of those whose ledger is stored. */
  async rows(found: readonly AccountTransaction[]): Promise<TransactionRow[]> {
    return (await this.rowsOf(found)).flatMap((row) => row ?? []);
  }

  /** One for each; undefined: its ledger is not stored any more. */
  async rowsOf(found: readonly AccountTransaction[]): Promise<(TransactionRow | undefined)[]> {
    return mapInSlices(found, ROWS_A_SLICE, (one) => this.row(one));
  }

  /** undefined: the ledger is not stored any more. */
  row({ ledger, tx, role }: AccountTransaction) {
    const packed = this.#engine.ledgerBytes(ledger);
    return packed && { ...placedTransactionJson(packed, tx, this.#engine), role: ROLE_NAMES[role] };
  }

  /** In a sentence. @param about r-address: named `this account` */
  text(tx: JsonObject, meta: JsonObject, about?: string): string {
    const { tokens } = this.#engine.state;
    return transactionText(tx, meta, { about, places: (mpt) => tokens.mptPlaces(mpt) });
  }

  /** A row in short. @param about r-address whose transaction it is */
  brief({ tx_json, meta, hash, ledger_index, date, role }: TransactionRow, about: string) {
    const tx: JsonObject = tx_json;
    return {
      hash,
      ledger_index,
      time: unixMs(date),
      type: tx.TransactionType,
      result: meta.TransactionResult,
      role,
      account: tx.Account,
      ...(tx.Destination !== undefined && { destination: tx.Destination }),
      text: this.text(tx, meta, about),
    };
  }
}

export type TransactionRow = NonNullable<ReturnType<AccountTransactions['row']>>;

const placeOf = ({ ledger, tx }: AccountTransaction) => ({ ledger, seq: tx });

/** Whether a page that begins at the marker leaves a transaction out. */
function isBefore({ ledger, tx }: AccountTransaction, marker: TransactionMarker, forward: boolean): boolean {
  if (ledger !== marker.ledger) return false;
  if (tx === marker.seq) return marker.after === true;
  return forward ? tx < marker.seq : tx > marker.seq;
}
