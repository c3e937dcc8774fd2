/** `/ws/holders/{id}`: the largest holders of a token, sent anew when a ledger changed them. */
import type { Input, Params } from '../../requests/param.ts';
import type { Connection } from '../connection.ts';
import type { LedgerNews, TokenId } from '../feed.ts';
import { type Ground, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { meet, type Topic, Topics } from './topics.ts';

const XRP: TokenId = 0;

interface Subject {
  readonly token: TokenId;
  readonly md5: string;
  readonly limit: number;
  /** What was told last; the same again is not told. */
  told: string;
  /** Who is in the list: rows show XRP balances and times of activity too, which move without the token's lines. */
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
  serve: (ground) => new HoldersServer(ground),
});

class HoldersServer implements StreamServer<StreamInput> {
  readonly #ground: Ground;
  readonly #topics: Topics<Subject>;
  readonly #of = new Map<Connection, Topic<Subject>>();

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#topics = new Topics(ground, 'holders', ({ token }) => [token]);
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Connection, input: StreamInput): void {
    const { feed, work } = this.#ground;
    const token = tokenOf(feed, input.id);
    const limit = input.limit;
    const wait = feed.holdersReady(token);
    const enter = () => this.#enter(connection, token, limit);
    const later = () => work.submit(enter);
    if (wait) void wait.then(later, later);
    else enter();
  }

  #enter(connection: Connection, token: TokenId, limit: number): void {
    const { feed } = this.#ground;
    if (connection.closed) return;
    const md5 = feed.md5(token);
    const { total, summary, holders, accounts } = feed.holders(token, limit);
    const told = `"total":${total},"holders":${holders}`;
    const topic = this.#topics.join(connection, `${token}|${limit}`, () => {
      return { token, md5, limit, told, accounts: accounts(), stale: false };
    });
    this.#of.set(connection, topic);
    connection.send(
      `{"type":"initial","md5":"${md5}","total":${total},"summary":${summary},"holders":${holders}}`,
    );
  }

  close(connection: Connection): void {
    const topic = this.#of.get(connection);
    this.#of.delete(connection);
    if (topic) this.#topics.leave(connection, topic);
  }

  note({ tokens, accounts }: LedgerNews): void {
    for (const { subject } of this.#topics.all()) {
      // Anybody may come to hold more XRP than those in the list.
      const anybody = subject.token === XRP && accounts.size > 0;
      subject.stale ||= anybody || tokens.has(subject.token) || meet(subject.accounts, accounts);
    }
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subject.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish(topic: Topic<Subject>): void {
    const wait = this.#ground.feed.holdersReady(topic.subject.token);
    if (wait) {
      const go = () => this.#topics.queue(topic, (one) => this.#publishReady(one));
      void wait.then(go, go);
      return;
    }
    this.#publishReady(topic);
  }

  #publishReady({ subject, channel }: Topic<Subject>): void {
    const { feed, now } = this.#ground;
    subject.stale = false;
    const { total, holders, accounts } = feed.holders(subject.token, subject.limit);
    const told = `"total":${total},"holders":${holders}`;
    if (told === subject.told) return;
    subject.told = told;
    subject.accounts = accounts();
    channel.publish(`{"e":"update","E":${now()},"s":"${subject.md5}",${told}}`);
  }
}
