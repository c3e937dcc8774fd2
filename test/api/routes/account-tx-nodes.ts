/** account_tx as nodes answer it: pages of the two kinds go on differently after a marker. */
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { Ask } from '../../embedded.ts';
import type { Json } from './ask.ts';

/** The shortest page of account_tx for those who are no admins (rippled `Tuning.h`). */
const RIPPLED_PAGE_MIN = 10;

/** @param node that has the transactions @param transactionsOf all of an account, in the node's order */
export function accountTxNodes(node: Ask, transactionsOf: (account: string, forward?: boolean) => Json[]) {
  /**
   * The node, as strict as rippled: after a marker that is none of the account's transactions it finds nothing (`accountTxPage`),
   * ledgers that it does not have are an error (`AccountTx.cpp`), and a page is never shorter than it has them.
   */
  async function asRippled({ command, ledger_index: _, ...params }: JsonObject): Promise<Json> {
    const { marker, ledger_index_min: first } = params as Json;
    if (first !== undefined && first !== -1 && first < 2)
      return { error: 'lgrIdxMalformed', status: 'error' };
    const isOne = (row: Json) =>
      row.ledger_index === marker.ledger && row.meta.TransactionIndex === marker.seq;
    if (marker && !transactionsOf(String(params.account)).some(isOne)) return { transactions: [] };
    const limit = Math.max(RIPPLED_PAGE_MIN, Number(params.limit));
    return node(String(command), { ...params, limit } as JsonObject) as Json;
  }

  /** Its next page begins after the transaction that the marker names; read forwards, with it or the first one behind it (Clio's backends). */
  async function asClio({ account, limit, marker, forward, ...range }: JsonObject): Promise<Json> {
    const { ledger_index_min: first, ledger_index_max: last } = range as Json;
    const of = ({ ledger_index: ledger, meta }: Json) => ledger * 2 ** 16 + meta.TransactionIndex;
    const place = marker ? (marker as Json).ledger * 2 ** 16 + (marker as Json).seq : undefined;
    const all = transactionsOf(String(account), forward === true).filter(
      (row) =>
        row.ledger_index >= Math.max(first, 2) &&
        (last === -1 || row.ledger_index <= last) &&
        (place === undefined || (forward ? of(row) >= place : of(row) < place)),
    );
    const transactions = all.slice(0, Number(limit));
    if (transactions.length < Number(limit)) return { account, transactions };
    const { ledger_index: ledger, meta } = transactions.at(-1);
    const seq = meta.TransactionIndex + (forward ? 1 : 0);
    return { account, transactions, marker: { ledger, seq } };
  }

  return { asRippled, asClio };
}
