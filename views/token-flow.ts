/**
 * Where the tokens went that a creator gave away, and what became of them.
 *
 *     creator (and issuer) --gave--> level 1 --gave--> level 2
 *                                       |                 |
 *                                       `-- sold, bought, sent XRP to exchanges: after they first got tokens
 *
 * Nodes and edges are transfers of the token (engine/flows/account-events.ts); trades are those of the history. An
 * exchange is an account that requires destination tags and was sent XRP with one: its key is `address:tag`, its name the
 * domain that its account gives, null where it gives none. Addresses that used the same key are linked.
 *
 * `action` is what most of the tokens that left did: `sold`, or `transferred` (given to others, put into a pool, or back
 * with the issuer: paid to it, or clawed back); `holding` where none left.
 *
 * Amounts are what left the giver, transfer fees included.
 *
 * Bounds: the LEVEL_MAX largest recipients of each level, EVENTS_A_NODE newest events of each, and the trades that
 * account-trades.ts reads; `truncated` says so.
 */
import {
  addDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalNumber,
  decimalText,
  subDecimal,
  wholeDrops,
  ZERO,
} from '../engine/codec/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { EventHistory } from '../engine/flows/event-history.ts';
import { type EventReader, EventSide, EventType } from '../engine/flows/event-record.ts';
import { XRP } from '../engine/state/tokens.ts';
import { type Traded, tradedBy } from './account-trades.ts';
import { isExchange } from './token-facts.ts';
import { type Revision, VersionedCache } from './versioned-cache.ts';

/** Recipients of a level that are followed. */
export const LEVEL_MAX = 100;
/** Events of a node that are read: about 10 ms. */
const EVENTS_A_NODE = 10_000;
/** Hashes of an edge that are shown: the newest. */
const HASHES_SHOWN = 20;
const KEPT_ANSWERS = 64;

/** Whether it took tokens of the account back to their issuer: what is clawed back of a pool left the account when it was put there. */
const isReturn = ({ side, type }: EventReader): boolean =>
  side === EventSide.out || (side === EventSide.clawback && type !== EventType.AMMClawback);

/** Tokens that one account gave to another. */
interface Gift {
  readonly from: number;
  readonly to: number;
  amount: Decimal;
  /** Newest first. */
  readonly hashes: string[];
  /** Of the first one, Ripple epoch seconds. */
  since: number;
}

/** XRP to an exchange. */
interface Deposit {
  readonly exchange: number;
  readonly key: string;
  count: number;
  drops: number;
}

/** What the events of an account show. */
interface Sent {
  readonly gifts: readonly Gift[];
  /** Tokens that are back with the issuer. */
  readonly returned: Decimal;
  readonly deposits: readonly Deposit[];
  readonly isComplete: boolean;
}

/** Recipients of one level. */
interface Level {
  readonly followed: readonly Followed[];
  /** All recipients are there, with all that they did. */
  readonly isComplete: boolean;
}

/** An account of the graph. */
interface Followed {
  readonly account: number;
  readonly level: 1 | 2;
  readonly received: Decimal;
  readonly from: readonly number[];
  readonly sent: Sent;
  readonly traded: Traded;
}

export class TokenFlows {
  readonly #engine: Engine;
  readonly #history: EventHistory;
  readonly #kept: VersionedCache<ReturnType<TokenFlows['measure']>>;

  constructor(engine: Engine, revisions: readonly Revision[]) {
    this.#engine = engine;
    this.#history = new EventHistory(engine.store, engine.flows.accountEvents);
    this.#kept = new VersionedCache(revisions, KEPT_ANSWERS);
  }

  /** @param token not XRP */
  of(token: number): ReturnType<TokenFlows['measure']> {
    return this.#kept.get(String(token), () => this.measure(token));
  }

  async measure(token: number) {
    const { state, flows, market } = this.#engine;
    const { accounts, tokens } = state;
    const creator = flows.creators.of(token);
    const issuer = tokens.issuer(token);
    const sources = [...new Set([creator, issuer])];
    const sent = new Map<number, Sent>();
    for (const account of sources) sent.set(account, await this.#sentBy(account, token, 0));
    const isSource = (account: number) => sources.includes(account);
    const first = await this.#follow(
      token,
      1,
      sources.flatMap((account) => sent.get(account)!.gifts),
      isSource,
    );
    const known = new Set([...sources, ...first.followed.map(({ account }) => account)]);
    const gifts = first.followed.flatMap((one) => one.sent.gifts);
    const second = await this.#follow(token, 2, gifts, (account) => known.has(account));
    const followed = [...first.followed, ...second.followed];
    const own = await tradedBy(market, state, { account: creator, token, since: 0 });
    const address = (account: number) => accounts.text(account);
    const nodes = [
      ...sources.map((account) =>
        this.#sourceNode(account, account === creator ? 'creator' : 'issuer', sent.get(account)!, own),
      ),
      ...followed.map((one) => this.#node(one)),
    ];
    const edges = [...sources.flatMap((account) => sent.get(account)!.gifts), ...gifts]
      .filter(
        ({ from, to }) => (isSource(from) || known.has(from)) && nodes.some(({ id }) => id === address(to)),
      )
      .map(({ from, to, amount, hashes }) => ({
        from: address(from),
        to: address(to),
        amount: decimalText(amount),
        hashes: hashes.slice(0, HASHES_SHOWN),
      }));
    const deposits = [
      ...followed.flatMap(({ account, sent: { deposits } }) => deposits.map((one) => ({ account, ...one }))),
      ...(sent.get(creator)?.deposits ?? []).map((one) => ({ account: creator, ...one })),
    ];
    const truncated =
      own.truncated || [...sent.values(), first, second].some(({ isComplete }) => !isComplete);
    return {
      md5: tokens.md5(token),
      creator: address(creator),
      issuer: address(issuer),
      summary: {
        totalTransferred: decimalText(
          first.followed.reduce((sum, { received }) => addDecimal(sum, received), ZERO),
        ),
        totalSoldXrp: wholeDrops(followed.reduce((sum, { traded }) => sum + traded.sellXrp, 0)),
        recipientCount: first.followed.length,
        holdingCount: followed.filter((one) => actionOf(one) === 'holding').length,
        totalToExchanges: xrpOf(deposits),
        creatorBoughtXrp: wholeDrops(own.buyXrp),
        creatorBoughtTokens: decimalText(own.bought),
        creatorSoldXrp: wholeDrops(own.sellXrp),
        creatorSoldTokens: decimalText(own.sold),
        creatorDepositXrp: wholeDrops(own.depositXrp),
        creatorDepositTokens: decimalText(own.deposited),
        creatorWithdrawXrp: wholeDrops(own.withdrawXrp),
        creatorWithdrawTokens: decimalText(own.withdrawn),
      },
      graph: { nodes, edges },
      linkedAddresses: this.#linked(deposits),
      exchangeBreakdown: this.#byExchange(deposits),
      ...(truncated && { truncated }),
    };
  }

  /** The largest recipients of gifts. @param isKnown accounts that are in the graph already */
  async #follow(
    token: number,
    level: 1 | 2,
    gifts: readonly Gift[],
    isKnown: (account: number) => boolean,
  ): Promise<Level> {
    const { state, market } = this.#engine;
    const byAccount = Map.groupBy(
      gifts.filter(({ to }) => !isKnown(to)),
      ({ to }) => to,
    );
    const recipients = Array.from(byAccount, ([account, got]) => ({
      account,
      received: got.reduce((sum, { amount }) => addDecimal(sum, amount), ZERO),
      since: Math.min(...got.map(({ since }) => since)),
      from: got.map(({ from }) => from),
    }));
    const size = new Map(recipients.map((one) => [one, decimalNumber(one.received)]));
    recipients.sort((a, b) => size.get(b)! - size.get(a)! || a.account - b.account);
    const found: Followed[] = [];
    for (const { account, received, since, from } of recipients.slice(0, LEVEL_MAX)) {
      const sent = await this.#sentBy(account, token, since);
      const traded = await tradedBy(market, state, { account, token, since });
      found.push({ account, level, received, from, sent, traded });
    }
    const isComplete =
      recipients.length <= LEVEL_MAX &&
      found.every(({ sent, traded }) => sent.isComplete && !traded.truncated);
    return { followed: found, isComplete };
  }

  /** What an account gave of the token, and the XRP it sent to exchanges. @param since Ripple epoch seconds */
  async #sentBy(account: number, token: number, since: number): Promise<Sent> {
    const { pools, tokens, accounts } = this.#engine.state;
    const issuer = tokens.issuer(token);
    const gifts = new Map<number, Gift>();
    const deposits = new Map<string, Deposit>();
    let returned = ZERO;
    const take = (event: EventReader): boolean => {
      const { counterparty: to, side, result, closeTime } = event;
      if (closeTime < since) return false;
      if (result === 0 && event.token === token && to === issuer && isReturn(event))
        returned = addDecimal(returned, tokens.decimal(token, event.hi, event.lo));
      if (side !== EventSide.out || result !== 0 || to === 0) return true;
      if (event.token === token && to !== issuer && !pools.isAccount(to)) {
        const gift = gifts.get(to) ?? { from: account, to, amount: ZERO, hashes: [], since: closeTime };
        gift.amount = addDecimal(gift.amount, tokens.decimal(token, event.hi, event.lo));
        gift.hashes.push(hexOf(event.hash));
        gift.since = closeTime;
        gifts.set(to, gift);
      }
      const { tag } = event;
      if (event.token === XRP && tag !== undefined && isExchange(this.#engine.state, to)) {
        const key = `${accounts.text(to)}:${tag}`;
        const deposit = deposits.get(key) ?? { exchange: to, key, count: 0, drops: 0 };
        deposit.count++;
        deposit.drops += event.valueDrops;
        deposits.set(key, deposit);
      }
      return true;
    };
    const head = this.#engine.head?.index ?? 0;
    const isComplete = await this.#history.visit(account, head, EVENTS_A_NODE, yieldToLoop, take);
    return { gifts: [...gifts.values()], returned, deposits: [...deposits.values()], isComplete };
  }

  #sourceNode(account: number, type: 'creator' | 'issuer', sent: Sent, own: Traded) {
    const isCreator = type === 'creator';
    return {
      id: this.#engine.state.accounts.text(account),
      type,
      label: this.#labelOf(account),
      received: '0',
      soldXrp: isCreator ? wholeDrops(own.sellXrp) : 0,
      boughtXrp: isCreator ? wholeDrops(own.buyXrp) : 0,
      sells: isCreator ? own.sells : 0,
      buys: isCreator ? own.buys : 0,
      transfersOut: sent.gifts.reduce((sum, { hashes }) => sum + hashes.length, 0),
      ...exchangesOf(sent),
    };
  }

  #node(one: Followed) {
    const { account, level, received, from, sent, traded } = one;
    const { accounts } = this.#engine.state;
    return {
      id: accounts.text(account),
      type: level === 1 ? ('level1' as const) : ('level2' as const),
      label: this.#labelOf(account),
      received: decimalText(received),
      soldXrp: wholeDrops(traded.sellXrp),
      boughtXrp: wholeDrops(traded.buyXrp),
      sells: traded.sells,
      buys: traded.buys,
      relation: level === 1 ? ('direct' as const) : ('indirect' as const),
      from: accounts.text(from[0]!),
      action: actionOf(one),
      transfersOut: sent.gifts.reduce((sum, { hashes }) => sum + hashes.length, 0),
      ...exchangesOf(sent),
    };
  }

  /** The domain that an account gives; null: none. */
  #labelOf(account: number): string | null {
    return this.#engine.state.accounts.domain(account) ?? null;
  }

  /** Addresses that sent to the same key of an exchange. */
  #linked(deposits: readonly (Deposit & { readonly account: number })[]) {
    const byKey = Map.groupBy(deposits, ({ key }) => key);
    return Array.from(byKey, ([exchangeKey, ones]) => ({
      exchangeKey,
      addresses: this.#addresses(ones),
    })).filter(({ addresses }) => addresses.length > 1);
  }

  #byExchange(deposits: readonly (Deposit & { readonly account: number })[]) {
    const { accounts } = this.#engine.state;
    return Array.from(
      Map.groupBy(deposits, ({ exchange }) => exchange),
      ([exchange, ones]) => ({
        exchange: accounts.text(exchange),
        exchangeName: this.#labelOf(exchange),
        xrp: xrpOf(ones),
        addresses: this.#addresses(ones),
      }),
    ).sort((a, b) => b.xrp - a.xrp);
  }

  #addresses(ones: readonly { readonly account: number }[]): string[] {
    return [...new Set(ones.map(({ account }) => this.#engine.state.accounts.text(account)))];
  }
}

function exchangesOf({ deposits }: Sent) {
  return {
    exchangeDeposits: deposits.reduce((sum, { count }) => sum + count, 0),
    exchangeCount: new Set(deposits.map(({ exchange }) => exchange)).size,
    exchangeKeys: deposits.map(({ key }) => key),
  };
}

function xrpOf(deposits: readonly Deposit[]): number {
  return deposits.reduce((sum, { drops }) => sum + drops, 0) / DROPS_PER_XRP;
}

function actionOf({ sent, traded }: Followed): 'sold' | 'transferred' | 'holding' {
  const left = addDecimal(traded.deposited, sent.returned);
  const given = sent.gifts.reduce((sum, { amount }) => addDecimal(sum, amount), left);
  if (given.m === 0n && traded.sold.m === 0n) return 'holding';
  return subDecimal(traded.sold, given).m >= 0n ? 'sold' : 'transferred';
}
