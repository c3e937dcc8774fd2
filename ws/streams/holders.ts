/** `/ws/holders/{id}`: the largest holders of a token, sent again when a ledger changed them. */
import type { LedgerEvent } from '../../engine/engine.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { Input, Params } from '../../requests/param.ts';
import type { Holders } from '../../views/holders.ts';
import type { Client } from '../client.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { intersects, SingleTopics, type Topic } from './topics.ts';

interface Subscription {
  readonly token: number;
  readonly md5: string;
  readonly limit: number;
  /** Content of the last frame; an equal one is not sent again. */
  lastSent: string;
  /** Accounts in the list: their XRP balances and times of activity are shown too, and change without the token's lines. */
  accounts: ReadonlySet<number>;
  /** Close time at which balances of a day ago are others. */
  expires: number;
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
      fields: ['e', 'E', 's', 'total', 'summary', 'holders[]'],
      about: 'The whole list again, when it, the total or the summary changed.',
    },
  ],
  serve: (context) => new HoldersServer(context),
});

class HoldersServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'holders', {
      tokens: ({ token }) => [token],
      settle: (topic) => this.#publishReady(topic),
    });
  }

  get channels(): number {
    return this.#topics.size;
  }

  ready({ id }: StreamInput): Promise<void> | undefined {
    const { holders, tokens } = this.#context.views;
    return holders.largestReady(tokenOf(tokens, id));
  }

  open(connection: Client, { id, limit }: StreamInput): void {
    const token = tokenOf(this.#context.views.tokens, id);
    const md5 = this.#context.views.tokens.md5(token);
    const list = this.#context.views.holders.largest(token, limit);
    const lastSent = contentOf(list);
    this.#topics.join(connection, `${token}|${limit}`, () => {
      const { expires } = list;
      return { token, md5, limit, lastSent, accounts: new Set(list.accounts), expires, stale: false };
    });
    connection.send(`{"type":"initial","md5":"${md5}",${lastSent}}`);
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    if (this.#topics.size === 0) return;
    const tokens = this.#context.views.tokens.changed.of(event);
    const { accounts } = event.events.state;
    for (const { subscription } of this.#topics.all()) {
      // Any account may now hold more XRP than those in the list.
      const xrpMoved = subscription.token === XRP && accounts.size > 0;
      subscription.stale ||=
        event.head.closeTime >= subscription.expires ||
        xrpMoved ||
        tokens.has(subscription.token) ||
        intersects(subscription.accounts, accounts);
    }
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish(topic: Topic<Subscription>): void {
    const wait = this.#context.views.holders.largestReady(topic.subscription.token);
    if (wait) {
      const publish = () => this.#topics.queue(topic, (one) => this.#publishReady(one));
      void wait.then(publish, publish);
      return;
    }
    this.#publishReady(topic);
  }

  #publishReady({ subscription, channel }: Topic<Subscription>): void {
    if (!subscription.stale) return;
    subscription.stale = false;
    const list = this.#context.views.holders.largest(subscription.token, subscription.limit);
    const content = contentOf(list);
    subscription.expires = list.expires;
    if (content === subscription.lastSent) return;
    subscription.lastSent = content;
    subscription.accounts = new Set(list.accounts);
    const time = this.#context.now();
    channel.publish(`{"e":"update","E":${time},"s":"${subscription.md5}",${content}}`);
  }
}

/** What frames show of a list, as JSON members. */
function contentOf({ length, summary, richList }: ReturnType<Holders['largest']>): string {
  return `"total":${length},"summary":${JSON.stringify(summary)},"holders":${JSON.stringify(richList)}`;
}
