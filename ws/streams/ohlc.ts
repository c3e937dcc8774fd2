/** `/ws/ohlc/{md5}`: candles of a token; the open candle at every change, and once more, final, when it closes. */

import type { LedgerEvent } from '../../engine/engine.ts';
import type { Input, Params } from '../../requests/param.ts';
import { CURRENCIES, type Currency, type OhlcRow, revaluedCurrencies } from '../../views/charts.ts';
import { INTERVAL_NAMES, INTERVALS, type Interval } from '../../views/intervals.ts';
import type { Client } from '../client.ts';
import { CloseCode, ErrorCode, Refusal } from '../limits.ts';
import { type Message, type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { type Topic, Topics } from './topics.ts';

const SYNONYMS = { CNY: 'CNH' } as const;
/** Candles of the initial frame, and the most that one flush publishes. */
const COUNT = 100;

interface Subscription {
  readonly token: number;
  readonly md5: string;
  readonly interval: Interval;
  readonly vs: Currency;
  /** Start (Unix ms) of the candle published last, 0 before the first, and whether it was published as final. */
  last: number;
  final: boolean;
  changed: boolean;
}

const params = {
  md5: tokenId,
  interval: {
    in: 'query',
    kind: 'enum',
    values: INTERVAL_NAMES,
    default: '5m',
    code: CloseCode.interval,
    about: 'Length of a candle.',
  },
  vs_currency: {
    in: 'query',
    kind: 'enum',
    values: CURRENCIES,
    synonyms: SYNONYMS,
    aliases: ['vsCurrency'],
    default: 'USD',
    code: CloseCode.currency,
    about: 'Currency of prices. While the ledger has no rate of it there are no candles.',
  },
  snapshot: { in: 'query', kind: 'bool', default: true, about: '`0`: no initial frame.' },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const ohlcStream = stream({
  path: '/ws/ohlc/{md5}',
  summary: 'Candles of a token',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [
    { type: 'subscribe', fields: '{md5, interval?, vs_currency?}', about: 'A further subscription.' },
    { type: 'unsubscribe', fields: '{md5, interval?, vs_currency?}', about: 'Ends one.' },
  ],
  frames: [
    {
      name: 'initial',
      fields: ['type', 'md5', 'interval', 'vs_currency', 'count', 'ohlc[][]'],
      about: 'The last 100 candles.',
    },
    {
      name: 'kline',
      fields: ['e', 'E', 's', 'k {t, T, i, o, h, l, c, v, x}'],
      about: 'x: the candle is final.',
    },
    { name: 'subscribed', fields: ['type', 'md5', 'interval', 'vs_currency', 'count'], about: 'Ack.' },
    { name: 'unsubscribed', fields: ['type', 'md5', 'interval', 'vs_currency', 'count'], about: 'Ack.' },
  ],
  notes: ['At most 10 subscriptions a connection: the next closes with 4011.'],
  serve: (context) => new OhlcServer(context),
});

class OhlcServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: Topics<Subscription>;
  readonly #of = new Map<Client, Map<string, Topic<Subscription>>>();

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new Topics(context, 'ohlc', {
      tokens: ({ token }) => [token],
      settle: (topic) => this.#publish(topic),
    });
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Client, input: StreamInput): void {
    this.#of.set(connection, new Map());
    const { md5, interval, vs_currency: vs, snapshot } = input;
    this.#subscribe(connection, md5, interval, vs, snapshot);
  }

  message(connection: Client, message: Message): boolean {
    if (message.type !== 'subscribe' && message.type !== 'unsubscribe') return false;
    const interval = message.interval ?? '5m';
    const vs = message.vs_currency ?? 'USD';
    if (typeof message.md5 !== 'string' || typeof interval !== 'string' || typeof vs !== 'string') {
      connection.sendError(
        ErrorCode.badMessage,
        `${message.type} needs md5, interval and vs_currency as text`,
      );
      return true;
    }
    const known = CURRENCIES.find((one) => one === (vs.toUpperCase() === 'CNY' ? 'CNH' : vs.toUpperCase()));
    if (!known || !isInterval(interval)) {
      connection.sendError(ErrorCode.badMessage, `interval: ${INTERVAL_NAMES}; vs_currency: ${CURRENCIES}`);
      return true;
    }
    const { tokens } = this.#context.views;
    try {
      if (message.type === 'subscribe') this.#subscribe(connection, message.md5, interval, known, true);
      else this.#unsubscribe(connection, message.md5, interval, known);
      const md5 = tokens.md5(tokenOf(tokens, message.md5));
      const count = this.#of.get(connection)?.size ?? 0;
      connection.reply({ type: `${message.type}d`, md5, interval, vs_currency: known, count });
    } catch (error) {
      // A wrong token in a message must not end the other subscriptions.
      if (!(error instanceof Refusal) || error.code === CloseCode.subscriptions) throw error;
      connection.sendError(ErrorCode.badMessage, error.message);
    }
    return true;
  }

  close(connection: Client): void {
    const mine = this.#of.get(connection);
    this.#of.delete(connection);
    if (mine) for (const topic of mine.values()) this.#topics.leave(connection, topic);
  }

  markDirty({ events }: LedgerEvent): void {
    if (this.#topics.size === 0) return;
    const { changedCandles, revalued } = events.market;
    for (const token of changedCandles)
      for (const topic of this.#topics.of(token)) topic.subscription.changed = true;
    const currencies = revaluedCurrencies(revalued.fiats);
    if (currencies.size === 0) return;
    for (const token of revalued.tokens)
      for (const { subscription } of this.#topics.of(token))
        if (currencies.has(subscription.vs)) subscription.changed = true;
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (this.#isDue(topic.subscription)) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #subscribe(connection: Client, id: string, interval: Interval, vs: Currency, initial: boolean): void {
    const { views, transport } = this.#context;
    const token = tokenOf(views.tokens, id);
    const mine = this.#of.get(connection)!;
    const key = `${token}|${interval}|${vs}`;
    if (!mine.has(key) && mine.size >= transport.limits.ohlcPerConnection) {
      throw new Refusal(
        CloseCode.subscriptions,
        `at most ${transport.limits.ohlcPerConnection} candle subscriptions a connection`,
      );
    }
    const rows = this.#candles({ token, interval, vs }, initial ? COUNT : 1);
    const md5 = views.tokens.md5(token);
    const closeTimeMs = this.#closeTimeMs;
    const last = rows.at(-1)?.[0] ?? 0;
    const final = closeTimeMs >= last + widthOf(interval);
    const topic = this.#topics.join(connection, key, () => {
      return { token, md5, interval, vs, last, final, changed: false };
    });
    mine.set(key, topic);
    if (!initial) return;
    connection.reply({ type: 'initial', md5, interval, vs_currency: vs, count: rows.length, ohlc: rows });
  }

  #unsubscribe(connection: Client, id: string, interval: Interval, vs: Currency): void {
    const key = `${tokenOf(this.#context.views.tokens, id)}|${interval}|${vs}`;
    const mine = this.#of.get(connection)!;
    const topic = mine.get(key);
    if (!topic) return;
    mine.delete(key);
    this.#topics.leave(connection, topic);
  }

  get #closeTimeMs(): number {
    return this.#context.engine.head?.closeTimeMs ?? 0;
  }

  /** Whether a candle changed, or its time is over. */
  #isDue({ changed, last, final, interval }: Subscription): boolean {
    return changed || (!final && this.#closeTimeMs >= last + widthOf(interval));
  }

  /** Publishes every candle from the one published last to the newest; those that have ended are final. */
  #publish({ subscription, channel }: Topic<Subscription>): void {
    if (!this.#isDue(subscription)) return;
    const closeTimeMs = this.#closeTimeMs;
    const { interval, last, final } = subscription;
    subscription.changed = false;
    const width = widthOf(interval);
    const passed = last === 0 ? 1 : Math.ceil((closeTimeMs - last) / width) + 1;
    const rows = this.#candles(subscription, Math.min(COUNT, Math.max(1, passed)));
    for (const row of rows) {
      if (final ? row[0] <= last : row[0] < last) continue;
      subscription.last = row[0];
      subscription.final = closeTimeMs >= row[0] + width;
      const frame = klineOf(row, subscription, width, subscription.final, this.#context.now());
      channel.publish(JSON.stringify(frame));
    }
  }

  /** The last `count` candles, oldest first; none for times at which the currency's rate is not known. */
  #candles(
    { token, interval, vs }: Pick<Subscription, 'token' | 'interval' | 'vs'>,
    count: number,
  ): readonly OhlcRow[] {
    const query = { token, interval, count, currency: vs, invert: false };
    return this.#context.views.charts.ohlc(query).rows;
  }
}

function isInterval(text: string): text is Interval {
  return Object.hasOwn(INTERVALS, text);
}

/** Milliseconds. */
function widthOf(interval: Interval): number {
  return INTERVALS[interval].seconds * 1000;
}

function klineOf(row: OhlcRow, { md5, interval }: Subscription, width: number, final: boolean, time: number) {
  const [t, o, h, l, c, v] = row;
  const k = { t, T: t + width - 1, i: interval, o, h, l, c, v, x: final };
  return { e: 'kline', E: time, s: md5, k };
}
