/** `/ws/creator/{identifier}`: what the creator of a token does, as ledgers show it. */
import type { LedgerEvent } from '../../engine/engine.ts';
import { EventReader } from '../../engine/flows/event-record.ts';
import type { Input, Params } from '../../requests/param.ts';
import type { Subject } from '../../views/creator-activity.ts';
import { isAddress } from '../../views/identity.ts';
import type { Client } from '../client.ts';
import { CloseCode, Refusal } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Events of the first frame. */
const LATEST = 50;

interface Subscription {
  /** Looked up again for each ledger: a token may turn out to be another account's, an account may create another token. */
  subject: Subject;
  readonly find: () => Subject | undefined;
  /** Frames of ledgers that have not been published yet. */
  frames: string[];
}

const params = {
  identifier: { ...tokenId, about: 'Token identifier, or r-address of a creator.' },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const creatorStream = stream({
  path: '/ws/creator/{identifier}',
  summary: 'What the creator of a token does',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', 'identifier', 'count', 'events[]'],
      about: 'The newest events, newest first, as `/creator-activity/{id}` has them.',
    },
    {
      name: 'activity',
      fields: ['type', 'h', 'r', 't', 's', 'y', 'x', 'a', 'c', 'n', 'd?', 'token', 'creator?', 'fa?'],
      about:
        'One event: hash, result (other than tesSUCCESS: a rejected attempt), time, side, transaction type, XRP, amount, currency, name, destination, md5, creator, and the account that sent it.',
    },
  ],
  serve: (context) => new CreatorServer(context),
});

class CreatorServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #reader = new EventReader();

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'creator', { settle: (topic) => this.#publish(topic) });
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed, 4021 not on the ledger, or XRP */
  open(connection: Client, { identifier }: StreamInput): void {
    const { views } = this.#context;
    const address = isAddress(identifier) ? identifier : undefined;
    const token = address === undefined ? tokenOf(views.tokens, identifier) : undefined;
    const find = () =>
      token === undefined ? views.creators.ofAccount(address!) : views.creators.ofToken(token);
    const subject = find();
    if (subject === undefined) throw new Refusal(CloseCode.missing, 'creator not found');
    const key = address ?? views.tokens.md5(token!);
    this.#topics.join(connection, key, () => ({ subject, find, frames: [] }));
    const events = views.creators.latest(subject, LATEST);
    connection.send(JSON.stringify({ type: 'initial', identifier, count: events.length, events }));
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty({ events: { flows } }: LedgerEvent): void {
    if (this.#topics.size === 0 || flows.count === 0) return;
    const { creators } = this.#context.views;
    const reader = this.#reader.load(flows.bytes);
    const concerned = new Map<number, Subscription[]>();
    for (const { subscription } of this.#topics.all()) {
      subscription.subject = subscription.find() ?? subscription.subject;
      const { account } = subscription.subject;
      const others = concerned.get(account);
      if (others) others.push(subscription);
      else concerned.set(account, [subscription]);
    }
    for (let i = 0; i < flows.count; i++) {
      for (const subscription of concerned.get(reader.at(i).account) ?? []) {
        const side = creators.sideOf(subscription.subject, reader);
        if (side !== undefined)
          subscription.frames.push(this.#frame(subscription.subject, creators.row(reader, side)));
      }
    }
  }

  flush(): void {
    for (const topic of this.#topics.all()) {
      if (topic.subscription.frames.length === 0) continue;
      this.#topics.queue(topic, (one) => this.#publish(one));
    }
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    for (const frame of subscription.frames.splice(0)) channel.publish(frame);
  }

  #frame({ account }: Subject, event: ReturnType<StreamContext['views']['creators']['row']>): string {
    const { engine, views } = this.#context;
    const creator = engine.state.accounts.text(account);
    const { source } = event;
    return JSON.stringify({
      type: 'activity',
      ...views.creators.streamed(event),
      creator,
      ...(source !== undefined && { fa: source }),
    });
  }
}
