/** `/ws/account/balance/{account}` and `/ws/account/balance/pair/{account}`: what an account has, when a ledger changed it. */
import type { LedgerEvent } from '../../engine/engine.ts';
import type { Changed } from '../../engine/state/changed.ts';
import type { State } from '../../engine/state/state.ts';
import type { Input, Params } from '../../requests/param.ts';
import { assetFault, resolveIssue } from '../../views/identity.ts';
import type { Client } from '../client.ts';
import { CloseCode, Refusal } from '../limits.ts';
import { type StreamContext, type StreamServer, stream } from '../stream.ts';
import { accountIdOf, accountParam, addressOf, concerned, type OfAccount } from './account-of.ts';
import { SingleTopics, type Topic } from './topics.ts';

interface Subscription extends OfAccount {
  /** Members of the newest content as JSON; equal ones are not sent again. */
  readonly content: () => string;
  /** Whether they can be others than those that were asked for last; cheaper than to make them. */
  readonly hasChanged: () => boolean;
  lastSent: string;
}

const always = () => true;

/** Frames that may go out while a ledger is being applied: 25 to 40 us each with the write to its socket, 10 ms in all. */
const EARLY_FRAMES = 256;

/** What both streams do: `e` names the frames. */
class BalanceTopics {
  readonly #context: StreamContext;
  readonly #topics: SingleTopics<Subscription>;
  readonly #event: string;
  /** Reserves are those of the whole network. */
  #reserves = '';

  constructor(context: StreamContext, prefix: string, event: string) {
    this.#context = context;
    this.#topics = new SingleTopics(context, prefix, {
      tokens: ({ account }) => [account],
      settle: (topic) => {
        if (topic.subscription.stale) this.#publish(topic, (text) => topic.channel.publish(text));
      },
    });
    this.#event = event;
  }

  get size(): number {
    return this.#topics.size;
  }

  /** @returns the content that the first frame has */
  join(
    connection: Client,
    key: string,
    address: string,
    content: () => string,
    hasChanged: () => boolean = always,
  ): string {
    const account = accountIdOf(this.#context, address);
    const now = content();
    const make = () => ({ address, account, content, hasChanged, lastSent: now, stale: false });
    // An account that no ledger has named yet has a topic of its own until one does.
    this.#topics.join(connection, `${account} ${key}`, make);
    return now;
  }

  close(connection: Client): void {
    this.#topics.forget(connection);
  }

  /** Publishes frames of accounts that are known to have changed; `flush` finds nothing new in them. */
  publishEarly(accounts: Iterable<number>): void {
    if (this.#topics.size === 0) return;
    let frames = 0;
    for (const account of accounts)
      for (const topic of this.#topics.of(account)) {
        frames += topic.channel.members.size;
        if (frames > EARLY_FRAMES) return;
        this.#publish(topic, (text) => topic.channel.publishNow(text));
      }
  }

  markDirty(event: LedgerEvent): void {
    for (const { topic } of concerned(this.#topics, event)) topic.subscription.stale = true;
    // Of accounts without an id yet it is looked up whether they have one.
    for (const { subscription } of this.#topics.of(0))
      subscription.stale ||= accountIdOf(this.#context, subscription.address) !== 0;
    const { fees } = this.#context.engine.state;
    const reserves = `${fees.reserveBaseDrops} ${fees.reserveIncrementDrops}`;
    if (this.#reserves !== '' && reserves !== this.#reserves)
      for (const { subscription } of this.#topics.all()) subscription.stale = true;
    this.#reserves = reserves;
  }

  flush(): void {
    const stale = [...this.#topics.all()].filter(({ subscription }) => subscription.stale);
    this.#topics.queueAll(stale, (topic) => this.#publish(topic, (text) => topic.channel.publish(text)));
  }

  #publish({ subscription }: Topic<Subscription>, send: (text: string) => void): void {
    subscription.stale = false;
    if (!subscription.hasChanged()) return;
    const content = subscription.content();
    if (content === subscription.lastSent) return;
    subscription.lastSent = content;
    send(`{"e":"${this.#event}","E":${this.#context.now()},${content}}`);
  }
}

const params = { account: accountParam } as const satisfies Params;

const MEMBERS = [
  'account',
  'balance',
  'total',
  'balanceDrops',
  'spendableDrops',
  'reserve',
  'reserveDrops',
  'ownerCount',
  'sequence',
  'flags',
];

export const accountBalanceStream = stream({
  path: '/ws/account/balance/{account}',
  summary: 'XRP of an account',
  auth: 'none',
  tier: 'anonymous',
  params,
  messages: [],
  frames: [
    {
      name: 'initial',
      fields: ['type', ...MEMBERS, 'inception', 'parent', 'domain', 'name'],
      about: 'As `/account/balance/{account}`.',
    },
    { name: 'balance', fields: ['e', 'E', ...MEMBERS], about: 'After a ledger that changed it.' },
  ],
  serve: (context) => new BalanceServer(context),
});

class BalanceServer implements StreamServer<Input<typeof params>> {
  readonly #context: StreamContext;
  readonly #topics: BalanceTopics;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new BalanceTopics(context, 'balance', 'balance');
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed, 4021 not on the ledger */
  open(connection: Client, input: Input<typeof params>): void {
    const address = addressOf(input.account);
    const { balances, names } = this.#context.views.accounts;
    const id = balances.find(address);
    if (id === undefined) throw new Refusal(CloseCode.missing, 'account not found');
    const { state } = this.#context.engine;
    let seen = figuresOf(state, id);
    const hasChanged = () => {
      const before = seen;
      seen = figuresOf(state, id);
      return seen.some((figure, i) => figure !== before[i]);
    };
    const contentOf = () => this.#content(id, address);
    const content = this.#topics.join(connection, address, address, contentOf, hasChanged);
    const domain = this.#context.engine.state.accounts.domain(id) ?? null;
    const origin = { ...balances.origin(id), domain, name: names.of(address)?.name ?? null };
    connection.send(`{"type":"initial",${content},${JSON.stringify(origin).slice(1)}`);
  }

  close(connection: Client): void {
    this.#topics.close(connection);
  }

  /** What an account has follows from its own entry and the reserves, which are in state. */
  stateApplied({ accounts }: Changed): void {
    this.#topics.publishEarly(accounts);
  }

  markDirty(event: LedgerEvent): void {
    this.#topics.markDirty(event);
  }

  flush(): void {
    this.#topics.flush();
  }

  /** Of an account that was deleted all is zero. */
  #content(id: number, address: string): string {
    const { account: _, ...now } = this.#context.views.accounts.balances.now(id);
    return JSON.stringify({ account: address, ...now }).slice(1, -1);
  }
}

/** All that the members of a frame follow from. */
function figuresOf({ accounts, fees }: State, id: number): readonly number[] {
  const { balanceHi, balanceLo, ownerCount, sequence, flags } = accounts;
  const own = [balanceHi, balanceLo, ownerCount, sequence, flags].map((column) => column[id]!);
  return [...own, fees.reserveBaseDrops, fees.reserveIncrementDrops];
}

const currency = { in: 'query', kind: 'text', maxLength: 64, about: 'Currency.' } as const;
const issuer = { in: 'query', kind: 'text', maxLength: 64, about: 'Its issuer; XRPL for XRP.' } as const;

const pairParams = {
  account: accountParam,
  curr1: currency,
  issuer1: issuer,
  curr2: currency,
  issuer2: issuer,
} as const satisfies Params;

export const accountPairStream = stream({
  path: '/ws/account/balance/pair/{account}',
  summary: 'What an account has of two tokens',
  auth: 'none',
  tier: 'anonymous',
  params: pairParams,
  messages: [],
  frames: [
    { name: 'initial', fields: ['type', 'account', 'pair'], about: 'As `/account/balance/pair/{account}`.' },
    { name: 'pair', fields: ['e', 'E', 'account', 'pair'], about: 'After a ledger that changed it.' },
  ],
  notes: ['curr1, issuer1, curr2 and issuer2 are required (4021), issuers even for XRP.'],
  serve: (context) => new PairServer(context),
});

class PairServer implements StreamServer<Input<typeof pairParams>> {
  readonly #context: StreamContext;
  readonly #topics: BalanceTopics;

  constructor(context: StreamContext) {
    this.#context = context;
    this.#topics = new BalanceTopics(context, 'pair', 'pair');
  }

  get channels(): number {
    return this.#topics.size;
  }

  /** @throws Refusal 4020 malformed, 4021 a parameter is missing */
  open(connection: Client, input: Input<typeof pairParams>): void {
    const address = addressOf(input.account);
    const { curr1, issuer1, curr2, issuer2 } = input;
    if (!curr1 || !issuer1 || !curr2 || !issuer2)
      throw new Refusal(CloseCode.missing, 'send curr1, issuer1, curr2 and issuer2');
    for (const fault of [assetFault(curr1, issuer1), assetFault(curr2, issuer2)])
      if (fault) throw new Refusal(CloseCode.identifierForm, fault.message);
    const key = JSON.stringify([address, curr1, issuer1, curr2, issuer2]);
    const content = this.#topics.join(connection, key, address, () => {
      const { engine, views } = this.#context;
      const id = views.accounts.balances.find(address);
      const side = (code: string, by: string) =>
        views.accounts.balances.side(id, resolveIssue(engine.state, code, by), code, by);
      const pair = { curr1: side(curr1, issuer1), curr2: side(curr2, issuer2) };
      return `"account":"${address}","pair":${JSON.stringify(pair)}`;
    });
    connection.send(`{"type":"initial",${content}}`);
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
