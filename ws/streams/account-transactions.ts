/**
 * `/ws/account/watch/{account}` and `/ws/account/tx/{account}`: each transaction that affects an account, a frame each; the first
 * in short, the second with the whole transaction.
 *
 *     seq = ledger index * 2^16 + place in the ledger
 *
 * The seq is that of the ledger and no counter of this process: with `from_seq` a client gets every later transaction once, in the
 * order of the ledger, then those of new ledgers, whatever was restarted in between. Missed ones are read from the account index;
 * more than MISSED_MAX are a gap, of which the client is told.
 *
 * What a client gets first is found while it joins, in one go: a ledger's frames are either in it or come after it. So what earlier
 * ledgers have not sent yet is sent to those who wait for it before another joins. The transactions themselves are read before, in
 * slices: a ledger each, about 1 ms.
 */
import type { AccountTransaction } from '../../engine/accounts/account-index.ts';
import type { LedgerEvent } from '../../engine/engine.ts';
import type { Param, Params } from '../../requests/param.ts';
import type { TransactionRow } from '../../views/accounts/transactions.ts';
import type { Client } from '../client.ts';
import { type FrameRow, type StreamContext, type StreamServer, stream } from '../stream.ts';
import { accountIdOf, accountParam, addressOf, concerned, type OfAccount } from './account-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Transactions sent to a client that resumes. */
const MISSED_MAX = 200;
const PLACES = 2 ** 16;

/** By seq; undefined: the ledger is not stored any more. */
type Rows = ReadonlyMap<number, TransactionRow | undefined>;

interface Subscription extends OfAccount {
  /** Of ledgers that have not been published yet. */
  pending: AccountTransaction[];
}

const history = <const M extends number, const D extends number>(max: M, byDefault: D) =>
  ({
    in: 'query',
    kind: 'int',
    min: 0,
    max,
    default: byDefault,
    about: 'Newest transactions sent first.',
  }) as const;

const fromSeq = {
  in: 'query',
  kind: 'int',
  min: 0,
  about:
    'After a reconnect: seq of the last transaction received. All later ones follow, in place of the history.',
} as const satisfies Param;

const watchParams = {
  account: accountParam,
  history: history(25, 10),
  from_seq: fromSeq,
} as const satisfies Params;

const txParams = {
  account: accountParam,
  history: history(50, 0),
  from_seq: fromSeq,
} as const satisfies Params;

interface StreamInput {
  readonly account: string;
  readonly history: number;
  readonly from_seq: number | undefined;
}

const EVENT = [
  'e',
  'E',
  's',
  'seq',
  'hash',
  'ledger_index',
  'time',
  'type',
  'result',
  'role',
  'account',
  'destination?',
  'text',
];

const SUBSCRIBED: FrameRow = {
  name: 'subscribed',
  fields: ['type', 'account', 'seq', 'resumed?', 'gap?'],
  about: `The first frame; seq: that of the newest ledger. gap: more than ${MISSED_MAX} were missed, their ledgers are not stored, or from_seq is of a ledger that is not known here: the newest follow.`,
};

export const accountWatchStream = stream({
  path: '/ws/account/watch/{account}',
  summary: 'What happens to an account, in short',
  auth: 'none',
  tier: 'anonymous',
  params: watchParams,
  messages: [],
  frames: [
    SUBSCRIBED,
    {
      name: 'transaction',
      fields: [...EVENT, 'historical?'],
      about: 'One transaction; historical: of a ledger from before the subscription.',
    },
  ],
  serve: (context) => new TransactionsServer(context, 'watch'),
});

export const accountTxStream = stream({
  path: '/ws/account/tx/{account}',
  summary: 'Transactions of an account',
  auth: 'none',
  tier: 'anonymous',
  params: txParams,
  messages: [],
  frames: [
    SUBSCRIBED,
    { name: 'history', fields: ['e', 'txs[]'], about: 'The newest, or those missed; oldest first.' },
    {
      name: 'transaction',
      fields: [...EVENT, 'tx'],
      about: 'One transaction; tx: as `/account/tx/{account}`.',
    },
  ],
  serve: (context) => new TransactionsServer(context, 'tx'),
});

export const seqOf = ({ ledger, tx }: AccountTransaction): number => ledger * PLACES + tx;

class TransactionsServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #isWhole: boolean;
  /** Read in `ready`, used in `open`. */
  readonly #rows = new WeakMap<StreamInput, Rows>();

  constructor(context: StreamContext, kind: 'watch' | 'tx') {
    this.#context = context;
    this.#topics = new SingleTopics(context, kind, {
      tokens: ({ account }) => [account],
      settle: (topic) => this.#publish(topic),
    });
    this.#isWhole = kind === 'tx';
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed */
  ready(input: StreamInput): Promise<void> | undefined {
    const { first } = this.#firstOf(accountIdOf(this.#context, addressOf(input.account)), input);
    return first.length === 0 ? undefined : this.#read(input, first);
  }

  async #read(input: StreamInput, first: readonly AccountTransaction[]): Promise<void> {
    const rows = await this.#context.views.accounts.transactions.rowsOf(first);
    this.#rows.set(input, new Map(first.map((one, i) => [seqOf(one), rows[i]])));
  }

  /** @throws Refusal 4020 malformed */
  open(connection: Client, input: StreamInput): void {
    const address = addressOf(input.account);
    const account = accountIdOf(this.#context, address);
    const key = `${account} ${address}`;
    this.#topics.join(connection, key, () => ({ address, account, stale: false, pending: [] }));
    const { first, resumes } = this.#firstOf(account, input);
    connection.reply({
      type: 'subscribed',
      account: address,
      seq: this.#newestSeq,
      ...(input.from_seq !== undefined && (resumes ? { resumed: true } : { gap: true })),
    });
    const known = this.#rows.get(input);
    const rows = first.flatMap((one) => {
      const seq = seqOf(one);
      // Those of ledgers that came since.
      const row = known?.has(seq) ? known.get(seq) : this.#row(one);
      return row ? { seq, row } : [];
    });
    if (this.#isWhole) {
      if (rows.length > 0)
        connection.reply({ e: 'history', txs: rows.map(({ seq, row }) => ({ ...row, seq })) });
      return;
    }
    for (const { seq, row } of rows) connection.send(this.#event(address, seq, row, { historical: true }));
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    const { accountIndex } = event.events;
    for (const { topic, entry } of concerned(this.#topics, event))
      topic.subscription.pending.push(accountIndex.at(entry));
    this.#adopt(event);
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.pending.length > 0) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    for (const one of subscription.pending.splice(0)) {
      const row = this.#row(one);
      if (row) channel.publish(this.#event(subscription.address, seqOf(one), row, {}));
    }
  }

  /** What a client gets first, and whether that is what it missed. */
  #firstOf(account: number, { history, from_seq: seq }: StreamInput) {
    const missed = seq === undefined ? undefined : this.#missed(account, seq);
    return { first: missed ?? this.#newest(account, history), resumes: missed !== undefined };
  }

  /** undefined: the ledger is not stored any more. */
  #row(one: AccountTransaction): TransactionRow | undefined {
    return this.#context.views.accounts.transactions.row(one);
  }

  /** Accounts that were watched before a ledger named them: their transactions of this ledger are their first. */
  #adopt({ events: { accountIndex } }: LedgerEvent): void {
    for (const { subscription } of this.#topics.of(0)) {
      const account = accountIdOf(this.#context, subscription.address);
      if (account === 0) continue;
      for (let entry = 0; entry < accountIndex.count; entry++)
        if (accountIndex.account(entry) === account) subscription.pending.push(accountIndex.at(entry));
    }
  }

  /** Above those of all transactions of the newest ledger. */
  get #newestSeq(): number {
    return ((this.#context.engine.head?.index ?? 0) + 1) * PLACES - 1;
  }

  /** All after a seq, oldest first; undefined: they are too many, or not known. */
  #missed(account: number, seq: number): AccountTransaction[] | undefined {
    const { engine, views } = this.#context;
    // Of another network, or of ledgers that a crash has undone: what lies between is not known.
    if (seq > this.#newestSeq) return undefined;
    const first = views.accounts.transactions.firstUnbroken;
    // Of its ledger there may be more, unless its place is the last one.
    const from = Math.floor((seq + 1) / PLACES);
    if (first === undefined || from < first) return undefined;
    const found: AccountTransaction[] = [];
    const walk = { from, to: 0xffffffff, newestFirst: false };
    for (const one of engine.accountIndex.of(account, walk)) {
      if (seqOf(one) <= seq) continue;
      if (found.length === MISSED_MAX) return undefined;
      found.push(one);
    }
    return found;
  }

  #newest(account: number, count: number): AccountTransaction[] {
    const found: AccountTransaction[] = [];
    if (count === 0 || account === 0) return found;
    const walk = {
      from: this.#context.views.accounts.transactions.first ?? 0,
      to: 0xffffffff,
      newestFirst: true,
    };
    for (const one of this.#context.engine.accountIndex.of(account, walk, count)) {
      found.push(one);
      if (found.length === count) break;
    }
    return found.reverse();
  }

  #event(address: string, seq: number, row: TransactionRow, more: object): string {
    const head = { e: 'transaction', E: this.#context.now(), s: address, seq };
    const event = { ...head, ...this.#context.views.accounts.transactions.brief(row, address), ...more };
    return JSON.stringify(this.#isWhole ? { ...event, tx: row } : event);
  }
}
