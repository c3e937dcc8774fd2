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
 * What a client gets first is read while it joins, in one go: a ledger's frames are either in it or come after it. So what earlier
 * ledgers have not sent yet is sent to those who wait for it before another joins.
 */
import type { AccountTransaction } from '../../engine/accounts/account-index.ts';
import type { LedgerEvent } from '../../engine/engine.ts';
import type { Param, Params } from '../../requests/param.ts';
import type { Client } from '../client.ts';
import { type FrameRow, type StreamContext, type StreamServer, stream } from '../stream.ts';
import { accountIdOf, accountParam, addressOf, concerned, type OfAccount } from './account-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Transactions sent to a client that resumes: a read of a ledger each, about 1 ms. */
const MISSED_MAX = 200;
const PLACES = 2 ** 16;

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
  open(connection: Client, input: StreamInput): void {
    const address = addressOf(input.account);
    const account = accountIdOf(this.#context, address);
    const key = `${account} ${address}`;
    this.#topics.join(connection, key, () => ({ address, account, stale: false, pending: [] }));
    const missed = input.from_seq === undefined ? undefined : this.#missed(account, input.from_seq);
    const first = missed ?? this.#newest(account, input.history);
    connection.reply({
      type: 'subscribed',
      account: address,
      seq: this.#newestSeq,
      ...(input.from_seq !== undefined && (missed ? { resumed: true } : { gap: true })),
    });
    if (!this.#isWhole) {
      for (const one of first) this.#send(connection, this.#event(address, one, { historical: true }));
      return;
    }
    const txs = first.flatMap((one) => this.#context.views.accounts.transactions.row(one) ?? []);
    if (txs.length > 0)
      connection.reply({ e: 'history', txs: txs.map((row, i) => ({ ...row, seq: seqOf(first[i]!) })) });
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
      const frame = this.#event(subscription.address, one, {});
      if (frame) channel.publish(frame);
    }
  }

  #send(connection: Client, frame: string | undefined): void {
    if (frame !== undefined) connection.send(frame);
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
    const first = views.accounts.transactions.first;
    const from = Math.floor(seq / PLACES);
    if (first === undefined || from + 1 < first) return undefined;
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

  /** undefined: the ledger is not stored any more. */
  #event(address: string, one: AccountTransaction, more: object): string | undefined {
    const { transactions } = this.#context.views.accounts;
    const row = transactions.row(one);
    if (!row) return undefined;
    const head = { e: 'transaction', E: this.#context.now(), s: address, seq: seqOf(one) };
    const event = { ...head, ...transactions.brief(row, address), ...more };
    return JSON.stringify(this.#isWhole ? { ...event, tx: row } : event);
  }
}
