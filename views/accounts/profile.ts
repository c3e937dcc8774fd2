/**
 * What an account does, read from its newest transactions: how often and what, with whom, and the newest in a sentence each. A
 * deterministic reading: the same ledgers give the same words.
 */
import { AccountRole, type AccountTransaction } from '../../engine/accounts/account-index.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { CONDUCT_DISCLAIMER, type Conduct, readConduct } from '../../explain/conduct.ts';
import { shifted } from '../../explain/decimal.ts';
import { type Fields, isMpt, type Meta } from '../../explain/json.ts';
import { dayText } from '../date-text.ts';
import { resolveIssue } from '../identity.ts';
import { ConductSums, type TokenSum } from './conduct-sums.ts';
import type { AccountTransactions } from './transactions.ts';

/** Transactions that are counted, and those that are read. */
const COUNTED_MAX = 5000;
const READ_MAX = 200;
const RECENT_MAX = 20;
const PARTNERS_MAX = 5;
const TOKENS_MAX = 20;

export class AccountProfiles {
  readonly #engine: Engine;
  readonly #transactions: AccountTransactions;
  readonly #issuedCount: (account: number) => number;

  /** @param issuedCount tokens of an account that somebody holds */
  constructor(engine: Engine, transactions: AccountTransactions, issuedCount: (account: number) => number) {
    this.#engine = engine;
    this.#transactions = transactions;
    this.#issuedCount = issuedCount;
  }

  /** @param scams what is known of the account as a scam */
  async of(account: number, scams: Conduct['scams']) {
    const { state, reader } = this.#engine;
    const query = { account, forward: false, first: 0, last: 0xffffffff } as const;
    const { found, marker } = await this.#transactions.find({ ...query, limit: COUNTED_MAX });
    const names = reader.definitions.transactionTypes;
    const types = counts(found.map(({ type }) => names.get(type) ?? 'Unknown'));
    const sent = found.filter(({ role }) => role === AccountRole.sender).length;
    const received = found.filter(({ role }) => role === AccountRole.destination).length;
    const rows = await this.#transactions.rows(found.slice(0, READ_MAX));
    const address = state.accounts.text(account);
    const sums = new ConductSums(address);
    for (const { tx_json: tx, meta } of rows) sums.add(tx as Fields, meta as unknown as Meta);
    const recent = rows.slice(0, RECENT_MAX).map((row) => ({
      hash: row.hash,
      date: row.close_time_iso,
      type: String((row.tx_json as { TransactionType?: unknown }).TransactionType),
      text: this.#transactions.text(row.tx_json, row.meta, address),
    }));
    const partners = counts(rows.flatMap((row) => partnerOf(row, address) ?? []));
    const newest = this.#timeOf(found[0]);
    const oldest = this.#timeOf(found.at(-1));
    const summary = [
      found.length === 0
        ? 'No stored ledger has a transaction of this account.'
        : `${marker ? 'The newest ' : ''}${found.length} transactions: it sent ${sent}, was the destination of ${received}, and was affected by ${found.length - sent - received} others.`,
      ...(types[0] ? [`Most are ${types[0].name} (${types[0].count}).`] : []),
      ...(newest !== undefined && oldest !== undefined
        ? [`From ${dayText(oldest)} to ${dayText(newest)}.`]
        : []),
      ...(state.accounts.exists(account) ? [] : ['The account does not exist now.']),
    ];
    const conduct: Conduct = {
      exists: state.accounts.exists(account),
      isPool: state.accounts.amm[account] === 1,
      issued: this.#issuedCount(account),
      transactions: found.length,
      isAll: marker === undefined,
      sent,
      received,
      types,
      newest: sums,
      partner: partners[0] && { account: partners[0].name, count: partners[0].count },
      scams,
    };
    return {
      account: address,
      summary: summary.join(' '),
      analysis: readConduct(conduct),
      period:
        newest !== undefined && oldest !== undefined ? `${dayText(oldest)} to ${dayText(newest)}` : null,
      stats: {
        analysed: sums.count,
        successRate: sums.successRate,
        tradeCount: sums.trades,
        swapCount: sums.swaps,
        totalFees: Number(sums.fees),
        xrpNet: Number(sums.xrpNet),
        tokens: sums.tokens.slice(0, TOKENS_MAX).map((sum) => this.#tokenRow(sum)),
      },
      transactions: found.length,
      isAll: marker === undefined,
      sent,
      received,
      affected: found.length - sent - received,
      types: Object.fromEntries(types.map(({ name, count }) => [name, count])),
      partners: partners.slice(0, PARTNERS_MAX).map(({ name, count }) => ({ account: name, count })),
      firstTime: oldest ?? null,
      lastTime: newest ?? null,
      recent,
      disclaimer: CONDUCT_DISCLAIMER,
    };
  }

  #tokenRow({ asset, net, count }: TokenSum) {
    const { tokens } = this.#engine.state;
    const token = isMpt(asset)
      ? tokens.byMptId(asset.mpt_issuance_id)
      : resolveIssue(this.#engine.state, asset.currency, asset.issuer);
    return {
      md5: token === undefined ? null : tokens.md5(token),
      currency: isMpt(asset) ? asset.mpt_issuance_id : asset.currency,
      issuer: isMpt(asset) ? (token === undefined ? null : tokens.issuerText(token)) : asset.issuer!,
      net: isMpt(asset) ? shifted(net, tokens.mptPlaces(asset.mpt_issuance_id)) : net,
      count,
    };
  }

  /** Unix ms. */
  #timeOf(one: AccountTransaction | undefined): number | undefined {
    const packed = one && this.#engine.ledgerBytes(one.ledger);
    return packed && unixMs(packed.closeTime);
  }
}

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
