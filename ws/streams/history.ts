/** `/ws/history/{md5}`: trades and liquidity events of a token, ledger by ledger. */
import type { LedgerEvent } from '../../engine/engine.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { Input, Params } from '../../requests/param.ts';
import type { TradeKind } from '../../views/history-views.ts';
import type { Client } from '../client.ts';
import { CloseCode } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Rows of one frame: a ledger with thousands of trades is sent in several frames. */
const ROWS_PER_FRAME = 500;
/**
 * Rows that may wait for one flush of one topic: more than any single ledger has. If more wait while the engine catches
 * up, the older ones are reported as a gap.
 */
const PENDING_MAX = 5_000;

interface Subscription {
  readonly token: number;
  readonly md5: string;
  readonly kind: TradeKind;
  readonly pairType: 'xrp' | 'token' | undefined;
  rows: string[];
  missed: number;
}

const params = {
  md5: tokenId,
  limit: { in: 'query', kind: 'int', default: 20, min: 1, max: 100, about: 'Rows of the initial frame.' },
  type: {
    in: 'query',
    kind: 'enum',
    values: ['trades', 'liquidity', 'all'],
    default: 'trades',
    code: CloseCode.parameter,
    about: 'Which events.',
  },
  pair_type: {
    in: 'query',
    kind: 'enum',
    values: ['xrp', 'token'],
    aliases: ['pairType'],
    code: CloseCode.parameter,
    about: '`xrp`: only trades against XRP; `token`: only others.',
  },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const historyStream = stream({
  path: '/ws/history/{md5}',
  summary: 'Trades and liquidity events of a token',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', 'md5', 'count', 'trades[]'],
      about: 'The latest rows, newest first.',
    },
    { name: 'trades', fields: ['e', 'E', 's', 'trades[]'], about: 'New rows, in ledger order.' },
    {
      name: 'gap',
      fields: ['e', 'E', 's', 'missed'],
      about: 'Rows that were too many to send one by one; read them from /history.',
    },
  ],
  serve: (context) => new HistoryServer(context),
});

class HistoryServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #dirty = new Set<Topic<Subscription>>();

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'history', {
      tokens: ({ token }) => [token],
      settle: (topic) => this.#publish(topic),
    });
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Client, input: StreamInput): void {
    const { tokens, history } = this.#context.views;
    const token = tokenOf(tokens, input.md5);
    const kind = input.type;
    const pairType = input.pair_type;
    const md5 = tokens.md5(token);
    const key = `${token}|${kind}|${pairType ?? ''}`;
    const subscription = () => ({ token, md5, kind, pairType, rows: [], missed: 0 });
    this.#topics.join(connection, key, subscription);
    const { count, rows } = history.latest(token, kind, pairType, input.limit);
    connection.send(`{"type":"initial","md5":"${md5}","count":${count},"trades":[${rows}]}`);
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    if (this.#topics.size === 0) return;
    for (const trade of this.#context.views.history.newTrades(event)) {
      const pair = trade.paid === XRP || trade.got === XRP ? 'xrp' : 'token';
      for (const token of trade.paid === trade.got ? [trade.paid] : [trade.paid, trade.got]) {
        for (const topic of this.#topics.of(token)) {
          const { kind, pairType, rows } = topic.subscription;
          if (kind !== 'all' && (kind === 'liquidity') !== trade.isLiquidity) continue;
          if (pairType !== undefined && pairType !== pair) continue;
          rows.push(trade.json());
          this.#dirty.add(topic);
        }
      }
    }
    for (const { subscription } of this.#dirty) {
      const over = subscription.rows.length - PENDING_MAX;
      if (over <= 0) continue;
      subscription.rows.splice(0, over);
      subscription.missed += over;
    }
  }

  flush(): void {
    for (const topic of this.#dirty) this.#topics.queue(topic, (one) => this.#publish(one));
    this.#dirty.clear();
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    const time = this.#context.now();
    const { md5, rows, missed } = subscription;
    subscription.rows = [];
    subscription.missed = 0;
    if (missed > 0) channel.publish(JSON.stringify({ e: 'gap', E: time, s: md5, missed }));
    for (let at = 0; at < rows.length; at += ROWS_PER_FRAME) {
      const part = rows.slice(at, at + ROWS_PER_FRAME).join(',');
      channel.publish(`{"e":"trades","E":${time},"s":"${md5}","trades":[${part}]}`);
    }
  }
}
