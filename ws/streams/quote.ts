/**
 * `/ws/quote`: the answer of POST /dex/quote, again whenever a ledger changes it. Beyond the contract.
 *
 * Any offer, pool or balance on the way may change a quote, the way itself may change, and offers expire. So each subscription is
 * quoted again after every ledger, and is sent only if it differs. Cost: a quote for each subscription and ledger, in another
 * thread where there is one; equal subscriptions share one, and there are at most TOPICS_MAX.
 */
import { HeavyReadsBusyError } from '../../engine/heavy-reads.ts';
import { isQuotable } from '../../engine/quotes/strands-of.ts';
import { XRP } from '../../engine/state/tokens.ts';
import type { Input, Params } from '../../requests/param.ts';
import { isAddress } from '../../views/identity.ts';
import type { SwapAnswer } from '../../views/quotes/quote-views.ts';
import { type SwapRequest, swapAmount } from '../../views/quotes/swap-request.ts';
import type { Client } from '../client.ts';
import { CloseCode, Refusal } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { tokenOf } from './token-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

/** Different quotes that are followed at one time: a fifth of a second of a thread a ledger at most. */
const TOPICS_MAX = 200;

/** What is asked for, by address: an account may be created after the subscription. */
interface Asked extends Omit<SwapRequest, 'sender' | 'receiver'> {
  readonly sourceAccount: string;
}

interface Subscription {
  readonly asked: Asked;
  /** Content of the last frame, without the ledger; an equal one is not sent again. */
  lastSent: string;
  /** Index of the newest ledger of which that was found. */
  ledger: number;
  /** A search is going on: what it finds is of the newest ledger when it ends. */
  isSearching: boolean;
}

/** What the first frame of a connection shows. */
interface First {
  readonly content: string;
  /** Index of the newest ledger, and version of the engine, when it was found. */
  readonly ledger: number;
  readonly version: number;
}

/** Why nothing was found. */
interface Failed {
  readonly fault: unknown;
}

const text = <const A extends string>(about: A, maxLength = 128) =>
  ({ in: 'query', kind: 'text', maxLength, code: CloseCode.parameter, about }) as const;

const params = {
  destination_token: text('Required. Token id of what is to be received.'),
  source_token: text('Token id of what is spent; XRP unless sent.'),
  source_value: text('Exact input; this or destination_value.', 64),
  destination_value: text('Exact output.', 64),
  source_account: text('Required. r-address of who pays.', 64),
  destination_account: text('r-address of who receives; the source account unless sent.', 64),
  slippage: { in: 'query', kind: 'float', default: 0.02, min: 0, max: 0.5, about: 'Tolerance, a fraction.' },
} as const satisfies Params;

type StreamInput = Input<typeof params>;

const FIELDS = ['quote', 'requiresTrustline', 'alternatives[]', 'ledger_index'] as const;

export const quoteStream = stream({
  path: '/ws/quote',
  summary: 'A quote, again whenever a ledger changes it',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', ...FIELDS],
      about: 'As POST /dex/quote answers; quote is null where none can be had.',
    },
    { name: 'quote', fields: ['e', 'E', ...FIELDS], about: 'The same, after a ledger that changed it.' },
  ],
  notes: [`At most ${TOPICS_MAX} different quotes are followed at one time; one more closes with 4011.`],
  serve: (context) => new QuoteServer(context),
});

class QuoteServer implements StreamServer<StreamInput> {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  /** Found in `ready`, used in `open`. */
  readonly #firsts = new WeakMap<StreamInput, First | Failed>();

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new SingleTopics(context, 'quote');
  }

  get channels(): number {
    return this.#topics.size;
  }

  async ready(input: StreamInput): Promise<void> {
    try {
      const content = contentOf(await this.#swap(this.#askedBy(input)));
      const { version } = this.#context.engine;
      this.#firsts.set(input, { content, ledger: this.#ledgerIndex, version });
    } catch (fault) {
      this.#firsts.set(input, { fault });
    }
  }

  /** @throws Refusal */
  open(connection: Client, input: StreamInput): void {
    const first = this.#firsts.get(input)!;
    if ('fault' in first) {
      const isBusy = first.fault instanceof HeavyReadsBusyError;
      throw isBusy ? new Refusal(CloseCode.rate, 'too many quotes are being searched') : first.fault;
    }
    const asked = this.#askedBy(input);
    const { amount, ...rest } = asked;
    const key = JSON.stringify([amount.text(), rest]);
    if (!this.#topics.find(key) && this.#topics.size >= TOPICS_MAX)
      throw new Refusal(CloseCode.subscriptions, 'too many different quotes are followed');
    const { content, ledger: found, version } = first;
    const topic = this.#topics.join(connection, key, () => ({
      asked,
      lastSent: content,
      ledger: found,
      isSearching: false,
    }));
    // What other members have, from which the next frame differs: it may be newer than what was found for this one.
    const { lastSent, ledger } = topic.subscription;
    connection.send(`{"type":"initial",${lastSent},"ledger_index":${ledger}}`);
    if (version !== this.#context.engine.version) this.#queue(topic);
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  flush(): void {
    for (const topic of this.#topics.all()) this.#queue(topic);
  }

  #queue(topic: Topic<Subscription>): void {
    this.#topics.queue(topic, (one) => this.#search(one));
  }

  async #search({ subscription, channel }: Topic<Subscription>): Promise<void> {
    if (subscription.isSearching) return;
    subscription.isSearching = true;
    try {
      const content = contentOf(await this.#swap(subscription.asked));
      subscription.ledger = this.#ledgerIndex;
      if (content === subscription.lastSent) return;
      subscription.lastSent = content;
      const E = this.#context.now();
      channel.publish(`{"e":"quote","E":${E},${content},"ledger_index":${this.#ledgerIndex}}`);
    } catch (fault) {
      // The next ledger asks again.
      if (!(fault instanceof HeavyReadsBusyError)) throw fault;
    } finally {
      subscription.isSearching = false;
    }
  }

  get #ledgerIndex(): number {
    return this.#context.engine.head?.index ?? 0;
  }

  #swap({ sourceAccount, ...asked }: Asked): Promise<SwapAnswer | undefined> {
    const { engine, views } = this.#context;
    const find = (address: string) => engine.state.accounts.findText(address);
    const sender = find(sourceAccount);
    const other = asked.destinationAccount;
    return views.quotes.swap({ ...asked, sender, receiver: other === undefined ? sender : find(other) });
  }

  #askedBy(input: StreamInput): Asked {
    const { state } = this.#context.engine;
    const { tokens } = this.#context.views;
    for (const name of ['source_account', 'destination_token'] as const)
      if (input[name] === undefined) throw new Refusal(CloseCode.missing, `${name} is required`);
    const destination = tokenOf(tokens, input.destination_token!);
    const source = input.source_token === undefined ? XRP : tokenOf(tokens, input.source_token);
    if (source === destination)
      throw new Refusal(CloseCode.parameter, 'source and destination are the same token');
    const sender = state.accounts.findText(input.source_account!);
    if (!isQuotable(state, source, sender) || !isQuotable(state, destination))
      throw new Refusal(CloseCode.missing, 'a token is not exchanged over paths, or is frozen');
    if (input.source_value !== undefined && input.destination_value !== undefined)
      throw new Refusal(CloseCode.parameter, 'send source_value or destination_value, not both');
    const side = input.source_value === undefined ? 'out' : 'in';
    const value = input.source_value ?? input.destination_value;
    if (value === undefined)
      throw new Refusal(CloseCode.missing, 'source_value or destination_value is required');
    const amount = swapAmount(side === 'in' ? source : destination, value);
    if (!amount) throw new Refusal(CloseCode.parameter, 'send a number above zero; XRP has six decimals');
    const other = input.destination_account === input.source_account ? undefined : input.destination_account;
    for (const address of [input.source_account, other])
      if (address !== undefined && !isAddress(address))
        throw new Refusal(CloseCode.identifierForm, `${address} is not an account`);
    return {
      source,
      destination,
      side,
      amount,
      sourceAccount: input.source_account!,
      destinationAccount: other,
      slippage: input.slippage,
    };
  }
}

function contentOf(answer: SwapAnswer | undefined): string {
  const { quote = null, requiresTrustline = null, alternatives = [] } = answer ?? {};
  return JSON.stringify({ quote, requiresTrustline, alternatives }).slice(1, -1);
}
