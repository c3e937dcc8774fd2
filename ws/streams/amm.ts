/**
 * `/ws/amm/info`: one pool, when a ledger changed it, froze what it holds, or closed in another interval of its auction slot. The
 * members are those of `/amm/info`; auction slot and votes are read from the AMM entry of the ledger that changed it, or as a node
 * has it.
 */
import type { LedgerEvent } from '../../engine/engine.ts';
import { rippleSeconds } from '../../engine/ripple-time.ts';
import { isAccountForm } from '../../requests/identifiers.ts';
import type { Input, Params } from '../../requests/param.ts';
import { slotInterval } from '../../views/ledger/amm-slots.ts';
import type { TokenViews } from '../../views/token-views.ts';
import type { Client } from '../client.ts';
import { CloseCode, Refusal } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

interface Subscription {
  readonly pool: number;
  /** r-address. */
  readonly account: string;
  /** Content of the last frame; an equal one is not sent again. */
  lastSent: string;
  /** Of the auction slot; undefined: not known. Close time, Ripple epoch seconds. */
  expiration: number | undefined;
  /** The interval of the slot that the last frame has. */
  interval: number | undefined;
  /** Which of its assets were frozen in the last frame: an issuer freezes them without a transaction of the pool. */
  frozen: string;
  stale: boolean;
}

const asset = {
  in: 'query',
  kind: 'text',
  maxLength: 256,
  code: CloseCode.parameter,
  about: 'XRP, a token id, or JSON {"currency", "issuer"}.',
} as const;

const params = {
  amm_account: {
    in: 'query',
    kind: 'text',
    maxLength: 64,
    code: CloseCode.parameter,
    aliases: ['ammAccount', 'account'],
    about: 'r-address of the pool; or both assets.',
  },
  asset,
  asset2: asset,
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const ammStream = stream({
  path: '/ws/amm/info',
  summary: 'One pool, live',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    { name: 'initial', fields: ['type', 'amm'], about: 'The pool as it is now.' },
    {
      name: 'amm',
      fields: ['e', 'E', 'amm'],
      about:
        'The pool again, after a ledger that changed it, whether an issuer froze what it holds, or the interval of its slot; amm is null once it was deleted.',
    },
  ],
  serve: (context) => new AmmServer(context),
});

class AmmServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'amm', { settle: (topic) => this.#publish(topic) });
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal as `open` */
  ready(input: StreamInput): Promise<void> | undefined {
    return this.#context.views.pools.slotsReady(this.#found(input).account);
  }

  /** @throws Refusal 4020 malformed, 4021 missing or not on the ledger */
  open(connection: Client, input: StreamInput): void {
    const { pool, account } = this.#found(input);
    const { text, slot } = this.#shown(account);
    const frozen = this.#frozen(pool);
    this.#topics.join(connection, account, () => {
      return { pool, account, lastSent: text, ...slot, frozen, stale: false };
    });
    connection.send(`{"type":"initial","amm":${text}}`);
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty({ events: { state } }: LedgerEvent): void {
    const now = this.#context.engine.head?.closeTime ?? 0;
    for (const { subscription } of this.#topics.all()) {
      const { pool, expiration, interval, frozen } = subscription;
      const isLater = expiration !== undefined && slotInterval(expiration, now) !== interval;
      subscription.stale ||= isLater || state.pools.has(pool) || this.#frozen(pool) !== frozen;
    }
  }

  flush(): void {
    for (const topic of this.#topics.all())
      if (topic.subscription.stale) this.#topics.queue(topic, (one) => this.#publish(one));
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    if (!subscription.stale) return;
    subscription.stale = false;
    const { text, slot } = this.#shown(subscription.account);
    Object.assign(subscription, slot);
    subscription.frozen = this.#frozen(subscription.pool);
    if (text === subscription.lastSent) return;
    subscription.lastSent = text;
    channel.publish(`{"e":"amm","E":${this.#context.now()},"amm":${text}}`);
  }

  #frozen(pool: number): string {
    return this.#context.views.pools.frozen(pool).join();
  }

  #shown(account: string) {
    const { pools } = this.#context.views;
    const amm = pools.byAccount(account);
    const slots: ReturnType<typeof pools.slots> = amm ? pools.slots(account) : {};
    const { expiration, time_interval: interval } = slots.auction_slot ?? {};
    return {
      text: JSON.stringify(amm ? { ...amm, ...slots } : null),
      slot: { expiration: expiration === undefined ? undefined : rippleSeconds(expiration), interval },
    };
  }

  /** @throws Refusal */
  #found(input: StreamInput) {
    const { state } = this.#context.engine;
    const pool = this.#poolOf(input);
    if (pool === undefined || !state.pools.exists(pool))
      throw new Refusal(CloseCode.missing, 'pool not found');
    return { pool, account: state.accounts.text(state.pools.accounts[pool]!) };
  }

  #poolOf({ amm_account: account, asset, asset2 }: StreamInput): number | undefined {
    const { engine, views } = this.#context;
    const { accounts, pools } = engine.state;
    if (account !== undefined) {
      if (!isAccountForm(account))
        throw new Refusal(CloseCode.identifierForm, 'amm_account is not an account');
      const id = accounts.findText(account);
      return id === undefined ? undefined : pools.byAccount(id);
    }
    if (asset === undefined || asset2 === undefined)
      throw new Refusal(CloseCode.missing, 'send amm_account, or asset and asset2');
    return pools.byAssets(assetOf(views.tokens, asset), assetOf(views.tokens, asset2));
  }
}

/** @throws Refusal */
function assetOf(tokens: TokenViews, text: string): number {
  if (!text.trim().startsWith('{')) return tokenOf(tokens, text);
  let named: unknown;
  try {
    named = JSON.parse(text);
  } catch {
    throw new Refusal(CloseCode.identifierForm, 'an asset is not JSON');
  }
  const { currency, issuer } = named as { currency?: unknown; issuer?: unknown };
  if (typeof currency !== 'string' || (issuer !== undefined && typeof issuer !== 'string'))
    throw new Refusal(CloseCode.identifierForm, 'an asset needs currency and issuer');
  const token = tokens.resolveIssue(currency, issuer);
  if (token === undefined) throw new Refusal(CloseCode.missing, 'asset not found');
  return token;
}
