/**
 * `/ws/token/{md5}`: one token's row, whole or chosen fields, or only what changed. Sockets with the same token,
 * fields and mode share one topic and one frame.
 */
import type { LedgerEvent } from '../../engine/engine.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { Input, Params } from '../../requests/param.ts';
import { readBoolean } from '../../requests/param-reader.ts';
import type { MarketTexts } from '../../views/market-views.ts';
import { PRESETS } from '../../views/token-fields/field.ts';
import type { FieldTexts } from '../../views/token-fields.ts';
import type { Client } from '../client.ts';
import { CloseCode, ErrorCode } from '../limits.ts';
import { type Message, type StreamContext, type StreamServer, stream } from '../stream.ts';
import {
  changedTexts,
  choiceOf,
  FIELDS_FORM,
  type FieldChoice,
  fieldsOf,
  jsonObject,
} from './field-choice.ts';
import { NO_RESUME, RESUME_FRAMES, type Resume, resumed, resumeParams } from './resume.ts';
import { tokenId, tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Topics that are kept for sockets that reconnect: at most limits.ringBytes of frames each. */
const IDLE_TOPICS = 256;

const METRICS = ['exch', 'H24', 'global'] as const;

interface Subscription {
  readonly token: number;
  readonly fields: FieldChoice;
  readonly delta: boolean;
  /** What was sent last. */
  texts: FieldTexts;
  /** Only those that every member was shown last. */
  metrics: Partial<MarketTexts>;
}

const params = {
  md5: tokenId,
  fields: {
    in: 'query',
    kind: 'text',
    maxLength: 4000,
    code: CloseCode.fields,
    about: `${PRESETS.join(', ')}, full, all, or a comma list of token fields; default full.`,
  },
  delta: { in: 'query', kind: 'bool', default: false, about: 'Only changed fields are sent.' },
  ...resumeParams,
} as const satisfies Params;

type StreamInput = Input<typeof params>;

export const tokenStream = stream({
  path: '/ws/token/{md5}',
  summary: 'One token',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [
    { type: 'setFields', fields: '{fields}', about: 'Preset, comma list or array.' },
    { type: 'setDelta', fields: '{enabled}', about: 'Switches the delta mode.' },
    { type: 'resync', fields: '', about: 'Sends the initial frame again.' },
    { type: 'auth', fields: '{apiKey}', about: 'Answers the tier.' },
  ],
  frames: [
    {
      name: 'initial',
      fields: [
        'res',
        'type',
        'seq',
        'session',
        'time',
        'fieldPreset',
        'fieldCount',
        'deltaMode',
        'exch',
        'H24',
        'global',
        'token',
      ],
      about: 'Everything asked for. Also after setFields, setDelta and resync.',
    },
    {
      name: 'update',
      fields: ['res', 'type', 'seq', 'prevSeq', 'time', 'delta?', 'exch?', 'H24?', 'global?', 'token'],
      about:
        'In delta mode token holds md5 and the changed fields (null: gone), and exch, H24, global come when changed.',
    },
    { name: 'fieldsUpdated', fields: ['type', 'fieldPreset', 'fieldCount'], about: 'Ack of setFields.' },
    { name: 'deltaUpdated', fields: ['type', 'deltaMode'], about: 'Ack of setDelta.' },
    { name: 'auth', fields: ['type', 'authenticated', 'tier', 'message'], about: 'Ack of auth.' },
    ...RESUME_FRAMES,
  ],
  serve: (context) => new TokenServer(context),
});

class TokenServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #dirty = new Set<Topic<Subscription>>();
  #basis = '';

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'token', {
      tokens: ({ token }) => [token],
      // What changed while it had no member goes into one frame, too.
      settle: (topic) => this.#publish(topic),
      idleMax: IDLE_TOPICS,
    });
  }

  get channels(): number {
    return this.#topics.size;
  }

  open(connection: Client, input: StreamInput): void {
    const token = tokenOf(this.#context.views.tokens, input.md5);
    this.#enter(connection, token, fieldsOf(input.fields ?? 'full'), input.delta, input);
  }

  message(connection: Client, message: Message): boolean {
    const topic = this.#topics.joined(connection);
    if (!topic) return true;
    const { token, fields, delta } = topic.subscription;
    switch (message.type) {
      case 'setFields': {
        const { fields: sent } = message;
        const wanted = isTexts(sent) ? sent.join(',') : sent;
        const chosen = typeof wanted === 'string' ? choiceOf(wanted) : undefined;
        if (!chosen) {
          connection.sendError(ErrorCode.badMessage, `${FIELDS_FORM}, or an array of them`);
          return true;
        }
        const fieldCount = this.#context.views.tokens.watchedTexts(token, chosen.names).size;
        connection.reply({ type: 'fieldsUpdated', fieldPreset: chosen.name, fieldCount });
        this.#enter(connection, token, chosen, delta);
        return true;
      }
      case 'setDelta': {
        const deltaMode = readBoolean(message.enabled);
        if (deltaMode === undefined) {
          connection.sendError(ErrorCode.badMessage, 'setDelta needs enabled: true or false');
          return true;
        }
        connection.reply({ type: 'deltaUpdated', deltaMode });
        this.#enter(connection, token, fields, deltaMode);
        return true;
      }
      case 'resync':
        // The channel's next frame then tells what differs from what this one shows.
        this.#publish(topic);
        this.#initial(connection, topic);
        return true;
      case 'auth':
        connection.reply(authAnswer(connection, message));
        return true;
      default:
        return false;
    }
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  markDirty(event: LedgerEvent): void {
    if (this.#topics.size === 0) return;
    const changed = this.#context.views.tokens.changed.rows(event);
    for (const tokens of [changed, event.events.state.repriced])
      for (const token of tokens) for (const topic of this.#topics.of(token)) this.#dirty.add(topic);
  }

  flush(): void {
    if (this.#topics.size === 0) return;
    // XRP's own row shows network figures, which every ledger moves.
    const basis = this.#context.views.market.rowBasis();
    const moved = basis === this.#basis ? this.#topics.of(XRP) : this.#topics.all();
    this.#basis = basis;
    for (const topic of moved) this.#dirty.add(topic);
    for (const topic of this.#dirty) this.#topics.queue(topic, (one) => this.#publish(one));
    this.#dirty.clear();
  }

  #enter(
    connection: Client,
    token: number,
    fields: FieldChoice,
    delta: boolean,
    resume: Resume = NO_RESUME,
  ): void {
    const { tokens, market } = this.#context.views;
    const key = `${token}|${fields.key}|${delta}`;
    const topic = this.#topics.join(connection, key, () => {
      return {
        token,
        fields,
        delta,
        texts: tokens.watchedTexts(token, fields.names),
        metrics: market.texts(),
      };
    });
    if (!resumed(connection, topic.channel, resume, this.#context.session)) this.#initial(connection, topic);
  }

  /** The state now, which the channel has. */
  #initial(connection: Client, { subscription, channel }: Topic<Subscription>): void {
    const { views, now, session } = this.#context;
    const { fields, delta, token } = subscription;
    const texts = views.tokens.watchedTexts(token, fields.names);
    const head = JSON.stringify({
      res: 'success',
      type: 'initial',
      seq: channel.seq,
      session,
      time: now(),
      fieldPreset: fields.name,
      fieldCount: texts.size,
      deltaMode: delta,
    }).slice(0, -1);
    const metrics = views.market.texts();
    // Figures do not cause frames. What the others were not shown comes in the next one, also where it is back as it was.
    subscription.metrics = commonMetrics(subscription.metrics, metrics);
    connection.send(`${head},${metricsText(metrics)},"token":${jsonObject(texts)}}`);
  }

  #publish({ subscription, channel }: Topic<Subscription>): void {
    const { views, now } = this.#context;
    const { token, fields, delta } = subscription;
    const texts = views.tokens.watchedTexts(token, fields.names);
    const metrics = views.market.texts();
    const changed = changedTexts(subscription.texts, texts);
    const shown = delta ? changedMetrics(subscription.metrics, metrics) : metrics;
    // A ledger that moved none of the chosen fields is not worth a frame.
    if (!changed) return;
    subscription.texts = texts;
    subscription.metrics = metrics;
    const prevSeq = channel.seq;
    const seq = prevSeq + 1;
    const head = JSON.stringify({
      res: 'success',
      type: 'update',
      seq,
      prevSeq,
      time: now(),
      delta: delta || undefined,
    }).slice(0, -1);
    const body = jsonObject(
      delta ? new Map([['md5', JSON.stringify(views.tokens.md5(token))], ...changed]) : texts,
    );
    const text = metricsText(shown);
    channel.publish(`${head},${text}${text ? ',' : ''}"token":${body}}`, seq);
  }
}

/** A key sent on the socket: from then on its messages are those of the key. */
export function authAnswer({ identity }: Client, { apiKey }: Message) {
  const authenticated = typeof apiKey === 'string' && identity.authenticate?.(apiKey) === true;
  const tier = identity.tier ?? 'anonymous';
  return {
    type: 'auth',
    authenticated,
    tier,
    message: authenticated
      ? `The key works: this socket is of the ${tier} tier`
      : 'The API key does not work',
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function metricsText(metrics: Partial<MarketTexts>): string {
  return Object.entries(metrics)
    .map(([name, text]) => `"${name}":${text}`)
    .join(',');
}

function changedMetrics(before: Partial<MarketTexts>, after: MarketTexts): Partial<MarketTexts> {
  const changed: Partial<Record<keyof MarketTexts, string>> = {};
  for (const name of METRICS) if (before[name] !== after[name]) changed[name] = after[name];
  return changed;
}

function commonMetrics(a: Partial<MarketTexts>, b: MarketTexts): Partial<MarketTexts> {
  const common: Partial<Record<keyof MarketTexts, string>> = {};
  for (const name of METRICS) if (a[name] === b[name]) common[name] = b[name];
  return common;
}
