/** `/ws/sync`: the token list, live: everything that changed, or what a subscription names. */
import type { LedgerEvent } from '../../engine/engine.ts';
import { readBoolean, readNumber } from '../../requests/param-reader.ts';
import type { RowSize } from '../../views/token-fields/field.ts';
import type { Client } from '../client.ts';
import { ErrorCode } from '../limits.ts';
import { type Message, type StreamContext, type StreamServer, stream } from '../stream.ts';
import { RESUME_FRAMES, type Resume, resumed, resumeParams } from './resume.ts';
import { type Group, Groups, middleText } from './sync-groups.ts';
import {
  type Subscription,
  subscriptionOf,
  tokensOf,
  tooManyTokens,
  UNSUBSCRIBED,
} from './sync-subscription.ts';
import { authAnswer } from './token.ts';

/** Token rows of the initial frame and of a snapshot. */
const SNAPSHOT_TOKENS = 100;
const NONE: ReadonlySet<number> = new Set();

/** What answers say of a subscription; tokens and count in tokens mode, filter in filter mode. */
const DESCRIBED = ['type', 'mode', 'lightweight', 'skip_metrics', 'tokens[]?', 'count?', 'filter?'];
const ACK = [...DESCRIBED, 'seq', 'session', 'unknown[]?'];

export const syncStream = stream({
  path: '/ws/sync',
  summary: 'The token list, live',
  auth: 'none',
  tier: 'anonymous',
  params: resumeParams,
  messages: [
    {
      type: 'subscribe',
      fields:
        '{tokens: [md5]} or {filter: {minVolume?, tags?, topN? max 500}}; lightweight?, skip_metrics?, snapshot? (false: none)',
      about: 'Replaces the subscription. With neither tokens nor filter: everything that changes.',
    },
    {
      type: 'addTokens',
      fields: '{tokens: [md5]}',
      about: 'Only in tokens mode. The snapshot after it shows them first.',
    },
    { type: 'removeTokens', fields: '{tokens: [md5]}', about: 'Only in tokens mode.' },
    { type: 'unsubscribe', fields: '', about: 'No more updates until the next subscribe.' },
    { type: 'getSubscriptions', fields: '', about: 'Answers what is subscribed.' },
    {
      type: 'checkSeq',
      fields: '{lastSeq, session?}',
      about:
        'Sends the frames missed since, or a snapshot when they are no longer kept, or are more than limits.queueBytes.',
    },
    { type: 'resync', fields: '', about: 'Sends a snapshot.' },
    { type: 'auth', fields: '{apiKey}', about: 'Answers the tier.' },
  ],
  frames: [
    {
      name: 'initial',
      fields: [
        'res',
        'initial',
        'connectionInfo',
        'tier',
        'seq',
        'time',
        'session',
        'total',
        'exch',
        'H24',
        'global',
        'tags[]',
        'tokenCreation[]',
        'tokens[]',
      ],
      about: 'The 100 most traded tokens. seq is the prevSeq of the first update.',
    },
    {
      name: 'subscribed',
      fields: ACK,
      about: 'Ack of subscribe. unknown: what was named as a token and is none that is known.',
    },
    { name: 'tokensAdded', fields: ACK, about: 'Ack of addTokens.' },
    { name: 'tokensRemoved', fields: ACK, about: 'Ack of removeTokens.' },
    {
      name: 'snapshot',
      fields: ['res', 'snapshot', 'seq', 'time', 'count', 'tokens[]'],
      about: 'Up to 100.',
    },
    {
      name: 'update',
      fields: ['res', 'seq', 'prevSeq', 'time', 'session', 'total', 'exch?', 'H24?', 'global?', 'tokens[]'],
      about:
        'The tokens that the ledger changed; usd, dom, and tvl and tvlChange24h where they moved with the price of another token, are as of their last frame. With skip_metrics without exch, H24 and global. No type. prevSeq is the seq of the frame before; tokens[] is empty about every tenth seq when quiet. Unsubscribed sockets get the lightweight rows.',
    },
    {
      name: 'checkSeq',
      fields: ['type', 'status (ok, replayed, snapshot)', 'lastSeq', 'seq', 'session', 'missed?'],
      about: 'Followed by the missed frames, or by a snapshot.',
    },
    {
      name: 'subscriptions',
      fields: DESCRIBED,
      about: 'Answer of getSubscriptions.',
    },
    { name: 'unsubscribed', fields: ['type', 'mode'], about: 'Ack.' },
    { name: 'auth', fields: ['type', 'authenticated', 'tier', 'message'], about: 'Ack of auth.' },
    ...RESUME_FRAMES,
  ],
  notes: ['A frame that is not JSON gets {error, errorCode: 4026} and the connection stays open.'],
  serve: (context) => new SyncServer(context),
});

interface Member {
  group: Group;
  /** A snapshot is queued: further requests do not add another. */
  awaits: boolean;
  /** Tokens added since the last snapshot: they come first in the next one, which may not have room for all. */
  added: ReadonlySet<number>;
}

class SyncServer implements StreamServer<Resume> {
  readonly #context: StreamContext;
  readonly #groups: Groups;
  readonly #of = new Map<Client, Member>();
  #initial: { version: number; text: string } | undefined;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#groups = new Groups(context);
  }

  get channels(): number {
    return this.#groups.size;
  }

  get #namesMax(): number {
    return this.#context.transport.limits.tokensPerConnection;
  }

  ready(): Promise<void> | undefined {
    const { tokens } = this.#context.views;
    const rows = () => tokens.rowsReady(tokens.mostTraded({ topN: SNAPSHOT_TOKENS }));
    // The first frame has the names of all tags.
    const names = tokens.namesReady();
    return names ? names.then(rows) : rows();
  }

  open(connection: Client, resume: Resume): void {
    const group = this.#groups.join(connection, UNSUBSCRIBED);
    this.#of.set(connection, { group, awaits: false, added: NONE });
    if (resumed(connection, group.channel, resume, this.#context.session)) return;
    const info = JSON.stringify({
      id: connection.id,
      compression: connection.deflate,
      limits: { tokens: this.#context.transport.limits.tokensPerConnection },
    });
    const head = `{"res":"success","initial":true,"connectionInfo":${info},"tier":"${connection.identity.tier ?? 'anonymous'}"`;
    connection.send(`${head},"seq":${group.channel.seq},${this.#initialRest()}}`);
  }

  message(connection: Client, message: Message): boolean {
    const member = this.#of.get(connection);
    if (!member) return true;
    switch (message.type) {
      case 'subscribe':
        this.#subscribe(connection, member, message);
        return true;
      case 'addTokens':
      case 'removeTokens':
        this.#changeTokens(connection, member, message);
        return true;
      case 'unsubscribe':
        this.#move(connection, member, { mode: 'none', lightweight: true, skipMetrics: true });
        connection.reply({ type: 'unsubscribed', mode: 'none' });
        return true;
      case 'getSubscriptions':
        connection.reply({ type: 'subscriptions', ...this.#described(member.group.subscription) });
        return true;
      case 'checkSeq':
        this.#checkSeq(connection, member, message);
        return true;
      case 'resync':
        this.#snapshotSoon(connection, member);
        return true;
      case 'auth':
        connection.reply(authAnswer(connection, message));
        return true;
      default:
        return false;
    }
  }

  close(connection: Client): void {
    const member = this.#of.get(connection);
    this.#of.delete(connection);
    if (member) this.#groups.leave(connection, member.group);
  }

  markDirty(event: LedgerEvent): void {
    this.#groups.markDirty(event);
  }

  flush(): void {
    this.#groups.flush();
  }

  #subscribe(connection: Client, member: Member, message: Message): void {
    const found = subscriptionOf(this.#context.views.tokens, message, this.#namesMax);
    if (typeof found === 'string') {
      connection.sendError(ErrorCode.badMessage, found);
      return;
    }
    const { subscription, unknown } = found;
    this.#move(connection, member, subscription);
    this.#ack(connection, member, 'subscribed', unknown);
    if (readBoolean(message.snapshot) !== false) this.#snapshotSoon(connection, member);
  }

  #changeTokens(connection: Client, member: Member, message: Message): void {
    const { subscription } = member.group;
    const found = tokensOf(this.#context.views.tokens, message.tokens, this.#namesMax);
    if (typeof found === 'string' || subscription.mode !== 'tokens') {
      const error = typeof found === 'string' ? found : `${message.type} needs a subscription by tokens`;
      connection.sendError(ErrorCode.badMessage, error);
      return;
    }
    const ids = new Set(subscription.ids);
    for (const id of found.ids) {
      if (message.type === 'addTokens') ids.add(id);
      else ids.delete(id);
    }
    this.#move(connection, member, { ...subscription, ids });
    const type = message.type === 'addTokens' ? 'tokensAdded' : 'tokensRemoved';
    this.#ack(connection, member, type, found.unknown);
    if (message.type === 'addTokens' && readBoolean(message.snapshot) !== false) {
      member.added = member.added.union(new Set(found.ids));
      this.#snapshotSoon(connection, member);
    }
  }

  /** @throws Refusal 4011 when it names too many tokens. */
  #move(connection: Client, member: Member, subscription: Subscription): void {
    if (subscription.mode === 'tokens' && subscription.ids.size > this.#namesMax)
      throw tooManyTokens(this.#namesMax);
    member.group = this.#groups.move(connection, member.group, subscription);
  }

  #ack(connection: Client, { group }: Member, type: string, unknown: readonly string[]): void {
    connection.reply({
      type,
      ...this.#described(group.subscription),
      seq: group.channel.seq,
      session: this.#context.session,
      ...(unknown.length > 0 ? { unknown } : {}),
    });
  }

  #described(subscription: Subscription): Record<string, unknown> {
    const { mode, lightweight, skipMetrics } = subscription;
    const common = { mode, lightweight, skip_metrics: skipMetrics };
    if (mode === 'tokens') {
      const tokens = Array.from(subscription.ids, (id) => this.#context.views.tokens.md5(id));
      return { ...common, tokens, count: tokens.length };
    }
    if (mode === 'filter') return { ...common, filter: subscription.filter };
    return common;
  }

  #checkSeq(connection: Client, member: Member, { lastSeq: sent, session: theirs }: Message): void {
    const lastSeq = readNumber(sent);
    if (lastSeq === undefined || !Number.isSafeInteger(lastSeq) || lastSeq < 0) {
      connection.sendError(
        ErrorCode.badMessage,
        'checkSeq needs lastSeq: the seq of the last frame you have',
      );
      return;
    }
    const { channel } = member.group;
    const { seq } = channel;
    const { session } = this.#context;
    // A seq of another run of the service says nothing about this one's.
    const missed = theirs === undefined || theirs === session ? channel.since(lastSeq) : undefined;
    const status = missed === undefined ? 'snapshot' : missed.length === 0 ? 'ok' : 'replayed';
    connection.reply({ type: 'checkSeq', status, lastSeq, seq, session, missed: missed?.length });
    if (missed) for (const frame of missed) connection.send(frame);
    else this.#snapshotSoon(connection, member);
  }

  /** A snapshot is the most expensive answer: it is queued, and one answers all requests that come before it is sent. */
  #snapshotSoon(connection: Client, member: Member): void {
    if (member.awaits) return;
    member.awaits = true;
    const { scheduler, views } = this.#context;
    scheduler.submit(() => {
      if (connection.closed) return;
      const { ids, size } = this.#shown(member);
      const send = () => this.#sendSnapshot(connection, member);
      const wait = views.tokens.rowsReady(ids, size);
      const later = () => scheduler.submit(send);
      if (!wait) send();
      else void wait.then(later, later);
    });
  }

  #shown({ group, added }: Member): { readonly ids: readonly number[]; readonly size: RowSize } {
    const size = group.subscription.lightweight ? 'light' : 'full';
    return { ids: this.#groups.shown(group, SNAPSHOT_TOKENS, added), size };
  }

  #sendSnapshot(connection: Client, member: Member): void {
    member.awaits = false;
    if (connection.closed) return;
    const { views, now } = this.#context;
    const { ids, size } = this.#shown(member);
    member.added = NONE;
    const rows = ids.map((id) => views.tokens.rowText(id, size)).join(',');
    const head = `{"res":"success","snapshot":true,"seq":${member.group.channel.seq},"time":${now()}`;
    connection.send(`${head},"count":${ids.length},"tokens":[${rows}]}`);
  }

  /** The part of the initial frame that is the same for all, kept until the next ledger. */
  #initialRest(): string {
    const { tokens, version } = this.#context.views;
    if (this.#initial?.version !== version) {
      const tags = JSON.stringify(tokens.tags());
      const ids = tokens.mostTraded({ topN: SNAPSHOT_TOKENS });
      const rows = ids.map((id) => tokens.rowText(id)).join(',');
      const creation = this.#context.views.creation.text();
      const text = `${middleText(this.#context, false)},"tags":${tags},"tokenCreation":${creation},"tokens":[${rows}]`;
      this.#initial = { version, text };
    }
    return this.#initial.text;
  }
}
