/** Transactions of an account as tools read them: pages of the route, and what is needed of each. */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import type { Payment } from '../../engine/metrics/payment-flows.ts';
import { deliveredBy } from '../../explain/effects.ts';
import type { Meta } from '../../explain/json.ts';
import type { JsonObject } from './json-rpc.ts';
import type { ToolContext } from './tool.ts';

/** Transactions a page, and most pages of one answer. */
const PAGE = 200;
const PAGES_MAX = 20;

export interface AccountTransaction {
  readonly type: string;
  /** Unix ms. */
  readonly time: number;
  readonly account: string;
  readonly destination: string | undefined;
  /** XRP that a payment delivered; undefined: another currency, no payment, or not known. */
  readonly xrp: number | undefined;
  readonly isSuccess: boolean;
  readonly sourceTag: number | undefined;
}

export interface Read {
  readonly transactions: readonly AccountTransaction[];
  /** There are older ones that were not read, or may be in ledgers that neither the store nor a node has. */
  readonly isCut: boolean;
}

/** The newest transactions. @param most of them @throws ApiError for what is no account */
export async function transactionsOf(
  { call }: Pick<ToolContext, 'call'>,
  account: unknown,
  most: number,
  types?: readonly string[],
): Promise<Read> {
  const transactions: AccountTransaction[] = [];
  let marker: unknown;
  for (let page = 0; page < PAGES_MAX && transactions.length < most; page++) {
    const limit = Math.min(PAGE, most - transactions.length);
    const found = await call('GET /account/tx/{account}', { account, limit, types, marker });
    transactions.push(...(found.txs as JsonObject[]).map(transactionOf));
    marker = found.marker;
    if (found.hasMore !== true) return { transactions, isCut: found.completeFrom !== undefined };
  }
  return { transactions, isCut: true };
}

/** Those that paid XRP. */
export const xrpPayments = ({ transactions }: Read): Payment[] =>
  transactions.flatMap(({ account, destination, xrp, time, isSuccess }) =>
    isSuccess && xrp !== undefined && destination !== undefined
      ? [{ from: account, to: destination, xrp, time }]
      : [],
  );

function transactionOf({ tx_json, meta, close_time_iso }: JsonObject): AccountTransaction {
  const tx = (tx_json ?? {}) as JsonObject;
  const { TransactionType, Account, Destination, SourceTag } = tx;
  const { TransactionResult } = (meta ?? {}) as JsonObject;
  const delivered = deliveredBy(tx, (meta ?? {}) as unknown as Meta);
  return {
    type: String(TransactionType),
    time: Date.parse(String(close_time_iso)),
    account: String(Account),
    destination: typeof Destination === 'string' ? Destination : undefined,
    xrp: typeof delivered === 'string' ? Number(delivered) / DROPS_PER_XRP : undefined,
    isSuccess: TransactionResult === 'tesSUCCESS',
    sourceTag: typeof SourceTag === 'number' ? SourceTag : undefined,
  };
}
