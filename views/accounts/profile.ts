/**
 * What an account does, read from its newest transactions: how often and what, with whom, and the newest in a sentence each. A
 * deterministic reading: the same ledgers give the same words.
 */
import { AccountRole, type AccountTransaction } from '../../engine/accounts/account-index.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { transactionText } from '../../explain/text.ts';
import type { AccountTransactions } from './transactions.ts';

/** Transactions that are counted, and those that are read. */
const COUNTED_MAX = 5000;
const READ_MAX = 50;
const PARTNERS_MAX = 5;

export class AccountProfiles {
  readonly #engine: Engine;
  readonly #transactions: AccountTransactions;

  constructor(engine: Engine, transactions: AccountTransactions) {
    this.#engine = engine;
    this.#transactions = transactions;
  }

  async of(account: number) {
    const { state, reader } = this.#engine;
    const query = { account, forward: false, first: 0, last: 0xffffffff } as const;
    const { found, marker } = await this.#transactions.find({ ...query, limit: COUNTED_MAX });
    const names = reader.definitions.transactionTypes;
    const types = counts(found.map(({ type }) => names.get(type) ?? 'Unknown'));
    const sent = found.filter(({ role }) => role === AccountRole.sender).length;
    const received = found.filter(({ role }) => role === AccountRole.destination).length;
    const rows = await this.#transactions.rows(found.slice(0, READ_MAX));
    const address = state.accounts.text(account);
    const recent = rows.map((row) => ({
      hash: row.hash,
      date: row.close_time_iso,
      type: String((row.tx_json as { TransactionType?: unknown }).TransactionType),
      text: transactionText(row.tx_json as object, row.meta as object, address),
    }));
    const partners = counts(rows.flatMap((row) => partnerOf(row, address) ?? []));
    const newest = this.#timeOf(found[0]);
    const oldest = this.#timeOf(found.at(-1));
    const summary = [
      found.length === 0
        ? 'No stored ledger has a transaction of this account.'
        : `${marker ? 'The newest ' : ''}${found.length} transactions: it sent ${sent}, was paid by ${received}, and was affected by ${found.length - sent - received} others.`,
      ...(types[0] ? [`Most are ${types[0].name} (${types[0].count}).`] : []),
      ...(newest !== undefined && oldest !== undefined ? [`From ${iso(oldest)} to ${iso(newest)}.`] : []),
      ...(state.accounts.exists(account) ? [] : ['The account does not exist now.']),
    ];
    return {
      account: address,
      summary: summary.join(' '),
      transactions: found.length,
      isAll: marker === undefined,
      sent,
      received,
      affected: found.length - sent - received,
      types: Object.fromEntries(types.map(({ name, count }) => [name, count])),
      partners: partners.slice(0, PARTNERS_MAX).map(({ name, count }) => ({ account: name, count })),
      firstTime: oldest ?? null,
      lastTime: newest ?? null,
      recent: recent.slice(0, 20),
    };
  }

  /** Unix ms. */
  #timeOf(one: AccountTransaction | undefined): number | undefined {
    const packed = one && this.#engine.ledgerBytes(one.ledger);
    return packed && unixMs(packed.closeTime);
  }
}

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The most frequent first. */
function counts(names: readonly string[]): { readonly name: string; readonly count: number }[] {
  const found = new Map<string, number>();
  for (const name of names) found.set(name, (found.get(name) ?? 0) + 1);
  return Array.from(found, ([name, count]) => ({ name, count })).sort(
    (a, b) => b.count - a.count || (a.name < b.name ? -1 : 1),
  );
}

/** The other end of a payment, check or escrow. */
function partnerOf(row: Record<string, unknown>, address: string): string | undefined {
  const { Account: sender, Destination: destination } = row.tx_json as Record<string, unknown>;
  if (typeof sender !== 'string' || typeof destination !== 'string') return undefined;
  return sender === address ? destination : destination === address ? sender : undefined;
}
