/**
 * `/ws/orderbook`: both sides of a book, complete, when a ledger changed what is shown. Any payment of an owner changes
 * the funding of its offers. So a watched book is built again when one of its offers or an account of an owner or issuer
 * changed, or when an offer expired, and is sent only if it differs.
 */
import type { LedgerEvent } from '../../engine/engine.ts';
import { XRP } from '../../engine/state/tokens.ts';
import { isAccountForm } from '../../requests/identifiers.ts';
import type { Input, Params } from '../../requests/param.ts';
import type { BookDependencies } from '../../views/book-views.ts';
import type { TokenViews } from '../../views/token-views.ts';
import type { Client } from '../client.ts';
import { CloseCode, Refusal } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { intersects, SingleTopics, type Topic } from './topics.ts';

interface Subscription {
  readonly base: number;
  readonly quote: number;
  readonly limit: number;
  /** Content of the last frame; an equal one is not sent again. */
  lastSent: string;
  dependencies: BookDependencies;
  stale: boolean;
}

const side = (about: string) =>
  ({ in: 'query', kind: 'text', maxLength: 64, code: CloseCode.parameter, about }) as const;

const params = {
  base_currency: side('Required. 3 characters, 40 hex digits or XRP.'),
  base_issuer: side('Required unless XRP.'),
  quote_currency: side('Required.'),
  quote_issuer: side('Required unless XRP.'),
  base: side('Not taken here: closes with 4020.'),
  quote: side('Not taken here: closes with 4020.'),
  limit: { in: 'query', kind: 'int', default: 20, min: 1, max: 100, about: 'Rows a side.' },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const orderbookStream = stream({
  path: '/ws/orderbook',
  summary: 'Order book of a pair',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'snapshot',
      fields: ['type', 'pair', 'bids[]', 'asks[]', 'ledger'],
      about: 'Best first on both sides. XRP is the quote side, whichever side it was asked on.',
    },
    { name: 'depth', fields: ['e', 'E', 's', 'b[]', 'a[]', 'l'], about: 'Both sides whole, when changed.' },
  ],
  serve: (context) => new OrderbookServer(context),
});

class OrderbookServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'orderbook', { settle: (topic) => this.#publish(topic) });
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Client, input: StreamInput): void {
    const { engine, views } = this.#context;
    const [base, quote] = pairOf(views.tokens, input);
    const limit = input.limit;
    const { pair, bids, asks } = this.#depth(base, quote, limit);
    const lastSent = `"b":${bids},"a":${asks}`;
    const subscription = () => ({
      base,
      quote,
      limit,
      lastSent,
      dependencies: views.books.dependencies(base, quote),
      stale: false,
    });
    this.#topics.join(connection, `${base}|${quote}|${limit}`, subscription);
    const ledger = engine.head?.index ?? 0;
    connection.send(
      `{"type":"snapshot","pair":${JSON.stringify(pair)},"bids":${bids},"asks":${asks},"ledger":${ledger}}`,
    );
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    const { books } = this.#context.views;
    const { accounts } = event.events.state;
    for (const { subscription } of this.#topics.all()) {
      const { base, quote, dependencies } = subscription;
      subscription.stale ||=
        books.isChanged(event, base, quote) ||
        event.head.closeTimeMs >= dependencies.expires ||
        intersects(dependencies.accounts, accounts);
    }
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    const { engine, views, now } = this.#context;
    const { base, quote, limit } = subscription;
    if (!subscription.stale) return;
    subscription.stale = false;
    subscription.dependencies = views.books.dependencies(base, quote);
    const { pair, bids, asks } = this.#depth(base, quote, limit);
    const content = `"b":${bids},"a":${asks}`;
    if (content === subscription.lastSent) return;
    subscription.lastSent = content;
    const ledger = engine.head?.index ?? 0;
    channel.publish(`{"e":"depth","E":${now()},"s":${JSON.stringify(pair)},${content},"l":${ledger}}`);
  }

  /** Both sides as JSON text of their rows. */
  #depth(base: number, quote: number, limit: number) {
    const { pair, bids, asks } = this.#context.views.books.book(base, quote, limit);
    return { pair, bids: JSON.stringify(bids), asks: JSON.stringify(asks) };
  }
}

/** @throws Refusal 4020 for `base=`/`quote=` and malformed issuers, 4021 for what is missing or unknown. */
function pairOf(tokens: TokenViews, input: StreamInput): [base: number, quote: number] {
  if (input.base !== undefined || input.quote !== undefined) {
    throw new Refusal(
      CloseCode.identifierForm,
      'base and quote ids are not taken here: send base_currency, base_issuer, quote_currency, quote_issuer',
    );
  }
  const base = sideOf(tokens, input, 'base');
  const quote = sideOf(tokens, input, 'quote');
  if (base === quote) throw new Refusal(CloseCode.parameter, 'base and quote are the same');
  // Clients expect prices in XRP per token, and amounts in tokens and XRP, even if they sent XRP as the base.
  return base === XRP ? [quote, base] : [base, quote];
}

function sideOf(tokens: TokenViews, input: StreamInput, name: 'base' | 'quote'): number {
  const currency = input[`${name}_currency`];
  const issuer = input[`${name}_issuer`];
  if (currency === undefined) throw new Refusal(CloseCode.missing, `${name}_currency is required`);
  const native = currency.toUpperCase() === 'XRP' && (issuer === undefined || issuer === 'XRPL');
  if (native) return XRP;
  if (issuer === undefined) throw new Refusal(CloseCode.missing, `${name}_issuer is required`);
  if (!isAccountForm(issuer)) throw new Refusal(CloseCode.identifierForm, `${name}_issuer is not an account`);
  const token = tokens.resolveIssue(currency, issuer);
  if (token === undefined) throw new Refusal(CloseCode.missing, `${name}: token not found`);
  return token;
}
