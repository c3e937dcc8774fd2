/** `/ws/holders/{id}`: the largest holders of a token, sent again when a ledger changed them. */
import { XRP } from '../../engine/state/tokens.ts';
import type { Input, Params } from '../../requests/param.ts';
import type { Client } from '../client.ts';
import type { LedgerEvent, TokenId } from '../feed.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { intersects, SingleTopics, type Topic } from './topics.ts';

interface Subscription {
  readonly token: TokenId;
  readonly md5: string;
  readonly limit: number;
  /** Content of the last frame; an equal one is not sent again. */
  lastSent: string;
  /** Accounts in the list: their XRP balances and times of activity are shown too, and change without the token's lines. */
  accounts: ReadonlySet<number>;
  stale: boolean;
}

const params = {
  id: tokenId,
  limit: { in: 'query', kind: 'int', default: 50, min: 1, max: 100, about: 'Rows.' },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const holdersStream = stream({
  path: '/ws/holders/{id}',
  summary: 'Largest holders of a token',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', 'md5', 'total', 'summary', 'holders[]'],
      about: 'The list as it is now.',
    },
    {
      name: 'update',
      fields: ['e', 'E', 's', 'total', 'holders[]'],
      about: 'The whole list again, when it or the total changed.',
    },
  ],
  serve: (context) => new HoldersServer(context),
});

class HoldersServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'holders', ({ token }) => [token]);
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Client, input: StreamInput): void {
    const { feed, scheduler } = this.#context;
    const token = tokenOf(feed, input.id);
    const limit = input.limit;
    const wait = feed.holdersReady(token);
    const enter = () => this.#enter(connection, token, limit);
    const later = () => scheduler.submit(enter);
    if (wait) void wait.then(later, later);
    else enter();
  }

  #enter(connection: Client, token: TokenId, limit: number): void {
    const { feed } = this.#context;
    if (connection.closed) return;
    const md5 = feed.md5(token);
    const { total, summary, holders, accounts } = feed.holders(token, limit);
    const lastSent = `"total":${total},"holders":${holders}`;
    this.#topics.join(connection, `${token}|${limit}`, () => {
      return { token, md5, limit, lastSent, accounts: accounts(), stale: false };
    });
    connection.send(
      `{"type":"initial","md5":"${md5}","total":${total},"summary":${summary},"holders":${holders}}`,
    );
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty({ tokens, accounts }: LedgerEvent): void {
    for (const { subscription } of this.#topics.all()) {
      // Any account may now hold more XRP than those in the list.
      const xrpMoved = subscription.token === XRP && accounts.size > 0;
      subscription.stale ||=
        xrpMoved || tokens.has(subscription.token) || intersects(subscription.accounts, accounts);
    }
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish(topic: Topic<Subscription>): void {
    const wait = this.#context.feed.holdersReady(topic.subscription.token);
    if (wait) {
      const publish = () => this.#topics.queue(topic, (one) => this.#publishReady(one));
      void wait.then(publish, publish);
      return;
    }
    this.#publishReady(topic);
  }

  #publishReady({ subscription, channel }: Topic<Subscription>): void {
    const { feed, now } = this.#context;
    subscription.stale = false;
    const { total, holders, accounts } = feed.holders(subscription.token, subscription.limit);
    const content = `"total":${total},"holders":${holders}`;
    if (content === subscription.lastSent) return;
    subscription.lastSent = content;
    subscription.accounts = accounts();
    channel.publish(`{"e":"update","E":${now()},"s":"${subscription.md5}",${content}}`);
  }
}
