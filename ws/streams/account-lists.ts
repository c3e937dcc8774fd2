/** `/ws/account/offers/{account}` and `/ws/trustlines/{account}`: a page of a list of an account, when a ledger changed it. */
import type { LedgerEvent } from '../../engine/engine.ts';
import type { Input, Params } from '../../requests/param.ts';
import { readValue } from '../../requests/param-reader.ts';
import { LINE_FORMATS } from '../../views/accounts/lines.ts';
import type { Client } from '../client.ts';
import { ErrorCode } from '../limits.ts';
import { type Message, type StreamContext, type StreamServer, stream } from '../stream.ts';
import { accountIdOf, accountParam, addressOf, concerned, type OfAccount } from './account-of.ts';
import { tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Lines that are ranked by value (section 6 of the contract). */
const RANKED_MAX = 1000;
const RESYNC_MS = 5000;
const PAGE_MAX = 1_000_000;
const NEVER = Number.POSITIVE_INFINITY;

interface Subscription extends OfAccount {
  /** Takes a while where an account has many rows. */
  readonly content: () => Promise<Content>;
  /** What members have. */
  shown: Page;
}

interface Content {
  /** Members of a frame as JSON. */
  readonly text: string;
  /** Unix ms of the close time at which the next row is another, though no transaction affects the account. */
  readonly expires: number;
  /** Whether what others decide about the rows is still the same. Called for every ledger. */
  readonly isCurrent: () => boolean;
}

/** What was read, and which read that was: one that began earlier may end later. */
interface Page extends Content {
  readonly read: number;
}

const always = () => true;
const NOTHING: Page = { text: '', expires: NEVER, isCurrent: always, read: 0 };

/** A page that members share. Frames have the whole page; one that is equal to the last is not sent. */
class PageTopics {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #event: string;
  /** Connections whose first page is being read, each with what it asked for last. */
  readonly #opening = new Map<Client, object>();
  #reads = 0;

  constructor(context: StreamContext, prefix: string, event: string) {
    this.#context = context;
    // A page is settled when it has been read (`#show`).
    this.#topics = new SingleTopics(context, prefix, { tokens: ({ account }) => [account] });
    this.#event = event;
  }

  get size(): number {
    return this.#topics.size;
  }

  /** The first frame follows when the page is read, and updates after it. */
  join(connection: Client, key: string, address: string, content: () => Promise<Content>): void {
    this.#topics.forget(connection);
    const opening = {};
    this.#opening.set(connection, opening);
    const { version } = this.#context.engine;
    const enter = (page?: Page) => {
      if (this.#opening.get(connection) !== opening) return;
      this.#opening.delete(connection);
      const account = accountIdOf(this.#context, address);
      const topicKey = `${account} ${key}`;
      const before = this.#topics.find(topicKey);
      if (before && page) this.#show(before, page);
      const make = () => ({ address, account, content, shown: page ?? NOTHING, stale: false });
      const topic = this.#topics.join(connection, topicKey, make);
      this.#sendFirst(connection, page && topic.subscription.shown);
      // It may have been read before a ledger whose changes no topic waited for.
      if (version !== this.#context.engine.version) this.#topics.queue(topic, (one) => this.#publish(one));
    };
    this.#read(content, enter);
  }

  /** The whole page to one member. */
  send(connection: Client): void {
    const topic = this.#topics.joined(connection);
    if (!topic) return;
    const answer = (page?: Page) => {
      if (this.#topics.joined(connection) !== topic) return;
      if (page) this.#show(topic, page);
      this.#sendFirst(connection, page && topic.subscription.shown);
    };
    this.#read(topic.subscription.content, answer);
  }

  /** @param use of no page where it cannot be read; the fault is reported */
  #read(content: Subscription['content'], use: (page?: Page) => void): void {
    const failed = (fault: unknown) => {
      use();
      throw fault;
    };
    this.#context.scheduler.watch(this.#pageOf(content).then(use, failed));
  }

  async #pageOf(content: Subscription['content']): Promise<Page> {
    const read = ++this.#reads;
    return { ...(await content()), read };
  }

  #sendFirst(connection: Client, page: Page | undefined): void {
    if (page) connection.send(`{"type":"initial",${page.text}}`);
    else connection.sendError(ErrorCode.badMessage, 'the page cannot be read now');
  }

  close(connection: Client): void {
    this.#opening.delete(connection);
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    for (const { topic } of concerned(this.#topics, event)) topic.subscription.stale = true;
    for (const { subscription } of this.#topics.of(0))
      subscription.stale ||= accountIdOf(this.#context, subscription.address) !== 0;
    for (const { subscription } of this.#topics.all())
      subscription.stale ||=
        event.head.closeTimeMs >= subscription.shown.expires || !subscription.shown.isCurrent();
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  async #publish(topic: Topic<Subscription>): Promise<void> {
    const { subscription } = topic;
    subscription.stale = false;
    this.#show(topic, await this.#pageOf(subscription.content));
  }

  /** Publishes a page where its members have another that was not read later. */
  #show({ subscription, channel }: Topic<Subscription>, page: Page): void {
    const { shown } = subscription;
    if (page.read < shown.read) return;
    subscription.shown = page;
    if (page.text === shown.text) return;
    channel.publish(`{"e":"${this.#event}","E":${this.#context.now()},${page.text}}`);
  }
}

const page = {
  page: { in: 'query', kind: 'int', min: 0, max: PAGE_MAX, default: 0, about: 'Page, from 0 on.' },
  limit: { in: 'query', kind: 'int', min: 1, max: 50, default: 10, about: 'Rows of a page.' },
} as const;

const offerParams = {
  account: accountParam,
  pair: { in: 'query', kind: 'text', maxLength: 32, about: 'Hash of a pair: only its offers.' },
  md5: { in: 'query', kind: 'text', maxLength: 128, about: 'Token: only offers of it.' },
  ...page,
} as const satisfies Params;

export const accountOffersStream = stream({
  path: '/ws/account/offers/{account}',
  summary: 'Open offers of an account',
  auth: 'none',
  tier: 'anonymous',
  params: offerParams,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', 'account', 'total', 'page', 'limit', 'offers[]'],
      about: 'A page, as `/account/offers/{account}`.',
    },
    {
      name: 'offers',
      fields: ['e', 'E', 'account', 'total', 'page', 'limit', 'offers[]'],
      about:
        'The page again, after a ledger with a transaction that affected the account, at whose close an offer has expired, or that froze or released what an offer gives, where it differs. distPct, which trades of others move, is as of the last frame.',
    },
  ],
  serve: (context) => new OffersServer(context),
});

class OffersServer implements StreamServer<Input<typeof offerParams>> {
  readonly #context: StreamContext;
  readonly #topics: PageTopics;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new PageTopics(context, 'offers', 'offers');
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed, 4021 unknown token */
  open(connection: Client, input: Input<typeof offerParams>): void {
    const address = addressOf(input.account);
    const { pair, page, limit } = input;
    const token = input.md5 === undefined ? undefined : tokenOf(this.#context.views.tokens, input.md5);
    const key = JSON.stringify([address, pair, token, page, limit]);
    this.#topics.join(connection, key, address, async () => {
      const account = accountIdOf(this.#context, address);
      const { offers } = this.#context.views.accounts;
      const query = { account, pair, token, offset: page * limit, limit };
      const { total, offers: rows, freezes } = await offers.page(query);
      const frozen = freezes();
      const now = this.#context.engine.head?.closeTimeMs ?? 0;
      const expirations = rows.flatMap(({ expire = NEVER }) => (expire > now ? [expire] : []));
      const text = JSON.stringify({ account: address, total, page, limit, offers: rows }).slice(1, -1);
      const isCurrent = () => freezes() === frozen;
      return { text, expires: Math.min(NEVER, ...expirations), isCurrent };
    });
  }

  close(connection: Client): void {
    this.#topics.close(connection);
  }

  markDirty(event: LedgerEvent): void {
    this.#topics.markDirty(event);
  }

  flush(): void {
    this.#topics.flush();
  }
}

const lineParams = {
  account: accountParam,
  ...page,
  format: { in: 'query', kind: 'enum', values: LINE_FORMATS, default: 'default', about: 'Form of a line.' },
  sort_by_value: { in: 'query', kind: 'bool', default: false, about: 'The most valuable first.' },
} as const satisfies Params;

type LineInput = Input<typeof lineParams>;

const LINE_MEMBERS = ['account', 'accountActive', 'accountData', 'total', 'page', 'limit', 'lines[]'];
const RANKED_MEMBERS = ['totalLines?', 'truncated?'];

export const trustlinesStream = stream({
  path: '/ws/trustlines/{account}',
  summary: 'Tokens that an account holds',
  auth: 'none',
  tier: 'anonymous',
  params: lineParams,
  messages: [
    {
      type: 'setParams',
      fields: '{page?, limit?, format?, sort_by_value?}',
      about: 'Another page; what is not sent stays.',
    },
    { type: 'resync', fields: '', about: 'Sends the page again; once in 5 seconds.' },
  ],
  frames: [
    {
      name: 'initial',
      fields: ['type', ...LINE_MEMBERS, ...RANKED_MEMBERS],
      about: `A page, as \`/trustlines/{account}\`. With sort_by_value only the first ${RANKED_MAX} are ranked.`,
    },
    {
      name: 'update',
      fields: ['e', 'E', ...LINE_MEMBERS, ...RANKED_MEMBERS],
      about:
        'The page again, after a ledger with a transaction that affected the account, where it differs. value, percentOwned, token, and an order by value, which others move, are as of the last frame.',
    },
    { name: 'paramsUpdated', fields: ['type', 'params'], about: 'Ack of setParams; the page follows.' },
  ],
  serve: (context) => new LinesServer(context),
});

class LinesServer implements StreamServer<LineInput> {
  readonly #context: StreamContext;
  readonly #topics: PageTopics;
  readonly #inputs = new Map<Client, LineInput>();
  /** Unix ms of the last resync. */
  readonly #resynced = new Map<Client, number>();

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new PageTopics(context, 'lines', 'update');
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed */
  open(connection: Client, input: LineInput): void {
    const address = addressOf(input.account);
    const { page, limit, format, sort_by_value: byValue } = input;
    this.#inputs.set(connection, input);
    const key = JSON.stringify([address, page, limit, format, byValue]);
    this.#topics.join(connection, key, address, () => this.#content(address, input));
  }

  message(connection: Client, message: Message): boolean {
    const input = this.#inputs.get(connection);
    if (!input) return true;
    switch (message.type) {
      case 'setParams': {
        const next = { ...input, ...changedParams(message) };
        const { account: _, ...params } = next;
        connection.reply({ type: 'paramsUpdated', params });
        this.open(connection, next);
        return true;
      }
      case 'resync': {
        const now = this.#context.now();
        if (now - (this.#resynced.get(connection) ?? 0) < RESYNC_MS) {
          connection.sendError(ErrorCode.badMessage, 'resync: once in 5 seconds');
          return true;
        }
        this.#resynced.set(connection, now);
        this.#topics.send(connection);
        return true;
      }
      default:
        return false;
    }
  }

  close(connection: Client): void {
    this.#inputs.delete(connection);
    this.#resynced.delete(connection);
    this.#topics.close(connection);
  }

  markDirty(event: LedgerEvent): void {
    this.#topics.markDirty(event);
  }

  flush(): void {
    this.#topics.flush();
  }

  async #content(
    address: string,
    { page, limit, format, sort_by_value: byValue }: LineInput,
  ): Promise<Content> {
    const { views } = this.#context;
    const account = accountIdOf(this.#context, address);
    const offset = page * limit;
    const shown = byValue ? Math.max(0, Math.min(limit, RANKED_MAX - offset)) : limit;
    const query = { account, format, byValue, includeZero: false, search: '', lightweight: true };
    const found = await views.accounts.lines.page({ ...query, offset, limit: shown });
    const isCut = byValue && found.total > RANKED_MAX;
    const head = views.accounts.head(address);
    const text = JSON.stringify({
      account: address,
      accountActive: head.accountActive,
      accountData: head.accountData,
      total: isCut ? RANKED_MAX : found.total,
      page,
      limit,
      lines: found.lines,
      ...(isCut && { totalLines: found.total, truncated: true }),
    }).slice(1, -1);
    return { text, expires: NEVER, isCurrent: always };
  }
}

/** What a message changes, read as the address is; what cannot be read is left out. */
function changedParams(message: Message): Partial<LineInput> {
  const { page, limit, format, sort_by_value: byValue } = lineParams;
  const changes = {
    page: readValue('page', page, message.page),
    limit: readValue('limit', limit, message.limit),
    format: readValue('format', format, message.format),
    sort_by_value: readValue('sort_by_value', byValue, message.sort_by_value ?? message.sortByValue),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
