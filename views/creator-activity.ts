/**
 * What the creator of a token does: trades of it, liquidity, what it sends and gets, checks, rejected attempts.
 *
 *     events of the creator's account (engine/flows/account-events.ts) -> those of the subject -> rows, totals, signals
 *
 * The subject is one token, or all tokens of a creator. Its trades and liquidity count where they are of these tokens;
 * what the account sends and receives counts whatever it is: sides `other_send` and `other_receive` are other tokens, and
 * XRP received; `send` is XRP.
 *
 * Totals are of successful events in the time that was asked for, of the EVENTS_MAX newest; XRP of transfers is their
 * value at the token's price then.
 */
import {
  addDecimal,
  type Decimal,
  DROPS_PER_XRP,
  decimalText,
  wholeDrops,
  ZERO,
} from '../engine/codec/amount.ts';
import { hexOf } from '../engine/codec/bytes.ts';
import type { Engine } from '../engine/engine.ts';
import { yieldToLoop } from '../engine/event-loop.ts';
import { EventHistory } from '../engine/flows/event-history.ts';
import { type EventReader, EventSide } from '../engine/flows/event-record.ts';
import { unixMs } from '../engine/ripple-time.ts';
import { XRP } from '../engine/state/tokens.ts';
import { NOTHING_TRADED, tradedBy } from './account-trades.ts';
import { tokenName } from './identity.ts';
import { rounded } from './number-format.ts';

/** Events of an account that one answer reads: about 50 ms, in slices. */
export const EVENTS_MAX = 50_000;

export const CREATOR_SIDES = [
  'sell',
  'buy',
  'transfer_out',
  'receive',
  'other_send',
  'other_receive',
  'send',
  'check_incoming',
  'check_create',
  'check_receive',
  'check_send',
  'check_cancel',
  'deposit',
  'withdraw',
  'amm_create',
  'clawback',
] as const;
export type CreatorSide = (typeof CREATOR_SIDES)[number];

/** Sides that need no more than the record's. */
const PLAIN: Readonly<Partial<Record<EventSide, CreatorSide>>> = {
  [EventSide.buy]: 'buy',
  [EventSide.sell]: 'sell',
  [EventSide.deposit]: 'deposit',
  [EventSide.withdraw]: 'withdraw',
  [EventSide.ammCreate]: 'amm_create',
  [EventSide.checkCreate]: 'check_create',
  [EventSide.checkIncoming]: 'check_incoming',
  [EventSide.checkSend]: 'check_send',
  [EventSide.checkReceive]: 'check_receive',
  [EventSide.checkCancel]: 'check_cancel',
  [EventSide.clawback]: 'clawback',
};
/** Sides that count only of the subject's tokens. */
const OF_TOKENS: ReadonlySet<EventSide> = new Set([
  EventSide.buy,
  EventSide.sell,
  EventSide.deposit,
  EventSide.withdraw,
  EventSide.ammCreate,
]);

/** Sides by which an account gets tokens of another one, and gives them to another. */
const RECEIVED: ReadonlySet<EventSide> = new Set([EventSide.in, EventSide.checkReceive]);
const SENT: ReadonlySet<EventSide> = new Set([EventSide.out, EventSide.checkSend]);

/** Whose activity: an account, and the tokens it is about. */
export interface Subject {
  readonly account: number;
  readonly tokens: ReadonlySet<number>;
}

export interface CreatorEvent {
  /** Unix ms. */
  readonly time: number;
  readonly side: CreatorSide;
  /** Transaction type. */
  readonly type: string;
  readonly tokenAmount: string;
  /** XRP. */
  readonly xrpAmount: number;
  readonly hash: string;
  readonly ledger: number;
  readonly result: string;
  readonly currency: string;
  readonly name: string;
  /** md5. */
  readonly token: string;
  /** r-address of who got it, where somebody did. */
  readonly destination?: string;
  /** r-address of who gave it. */
  readonly source?: string;
  readonly destinationTag?: number;
}

export interface CreatorQuery {
  readonly limit: number;
  /** Unix ms, exclusive. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  readonly sides?: ReadonlySet<string> | undefined;
  /** Transaction type. */
  readonly type?: string | undefined;
}

interface Sum {
  count: number;
  xrp: number;
}

interface Signal {
  readonly level: 'high' | 'medium' | 'positive';
  readonly msg: string;
}

/** From this share of its deposits on, taking liquidity out is a signal. */
const WITHDRAWN_MOST = 0.9;

export class CreatorActivity {
  readonly #engine: Engine;
  readonly #history: EventHistory;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#history = new EventHistory(engine.store, engine.flows.accountEvents);
  }

  /** Of one token; undefined for XRP, which nobody created. */
  ofToken(token: number): Subject | undefined {
    return token === XRP
      ? undefined
      : { account: this.#engine.flows.creators.of(token), tokens: new Set([token]) };
  }

  /** Of all tokens of an account; undefined: no ledger names it. */
  ofAccount(address: string): Subject | undefined {
    const account = this.#engine.state.accounts.findText(address);
    if (account === undefined) return undefined;
    return { account, tokens: new Set(this.#engine.flows.creators.tokensOf(account)) };
  }

  /** A page, newest first, and totals of all that is in its time. */
  async page(subject: Subject, query: CreatorQuery) {
    const { state, head } = this.#engine;
    const events: CreatorEvent[] = [];
    const sums = new Map<CreatorSide, Sum>();
    const visit = (event: EventReader): boolean => {
      const time = unixMs(event.closeTime);
      if (query.since !== undefined && time <= query.since) return false;
      if (query.before !== undefined && time >= query.before) return true;
      const side = sideOf(subject, event);
      if (side === undefined) return true;
      if (event.result === 0) {
        const sum = sums.get(side) ?? { count: 0, xrp: 0 };
        sum.count++;
        sum.xrp += event.valueDrops / DROPS_PER_XRP;
        sums.set(side, sum);
      }
      if (events.length < query.limit && this.#matches(query, side, event))
        events.push(this.row(event, side));
      return true;
    };
    const isComplete = await this.#history.visit(
      subject.account,
      head?.index ?? 0,
      EVENTS_MAX,
      yieldToLoop,
      visit,
    );
    const stats = statsOf(sums);
    const signals = signalsOf(stats);
    return {
      creator: state.accounts.text(subject.account),
      count: events.length,
      events,
      stats,
      signals,
      warning: signals.find(({ level }) => level === 'high')?.msg ?? null,
      ...(!isComplete && { truncated: true }),
    };
  }

  /** The newest events, newest first; read in one go. */
  latest(subject: Subject, limit: number): CreatorEvent[] {
    const found: CreatorEvent[] = [];
    this.#history.visitLatest(subject.account, this.#engine.head?.index ?? 0, (event) => {
      const side = sideOf(subject, event);
      if (side !== undefined) found.push(this.row(event, side));
      return found.length < limit;
    });
    return found;
  }

  /** What the creator of a token did last; undefined: nothing that is known. */
  lastAction(token: number) {
    const subject = this.ofToken(token);
    const last = subject && this.latest(subject, 1)[0];
    if (!last) return undefined;
    const { side, type, result, hash, time, xrpAmount, tokenAmount, token: md5 } = last;
    return {
      side,
      type,
      result,
      hash,
      time,
      xrp: xrpAmount,
      token: tokenAmount,
      amountType: md5 === this.#engine.state.tokens.md5(XRP) ? ('xrp' as const) : ('token' as const),
    };
  }

  /** How an event is about a subject; undefined: it is not. */
  sideOf(subject: Subject, event: EventReader): CreatorSide | undefined {
    return event.account === subject.account ? sideOf(subject, event) : undefined;
  }

  /** An event as readers see it. */
  row(event: EventReader, side: CreatorSide): CreatorEvent {
    const { state, reader } = this.#engine;
    const { accounts, tokens } = state;
    const { token, counterparty, account } = event;
    const isOut =
      event.side === EventSide.out ||
      event.side === EventSide.checkSend ||
      event.side === EventSide.checkCreate ||
      (event.side === EventSide.clawback && tokens.issuer(token) !== account);
    const other = counterparty === 0 ? undefined : accounts.text(counterparty);
    const destination = other === undefined ? undefined : isOut ? other : accounts.text(account);
    const { tag } = event;
    return {
      time: unixMs(event.closeTime),
      side,
      type: reader.definitions.transactionTypes.get(event.type) ?? String(event.type),
      tokenAmount: event.hi === 0 && event.lo === 0 ? '0' : tokens.text(token, event.hi, event.lo),
      xrpAmount: event.valueDrops / DROPS_PER_XRP,
      hash: hexOf(event.hash),
      ledger: event.ledger,
      result: reader.definitions.transactionResults.get(event.result) ?? String(event.result),
      currency: tokens.currencyText(token),
      name: tokenName(state, token),
      token: tokens.md5(token),
      ...(destination !== undefined && { destination }),
      ...(other !== undefined && !isOut && { source: other }),
      ...(tag !== undefined && { destinationTag: tag }),
    };
  }

  /** The same in the short members of `/ws/creator`. */
  streamed({
    time,
    side,
    type,
    tokenAmount,
    xrpAmount,
    hash,
    result,
    currency,
    name,
    token,
    destination,
  }: CreatorEvent) {
    return {
      h: hash,
      r: result,
      t: time,
      s: side,
      y: type,
      x: xrpAmount,
      a: tokenAmount,
      c: currency,
      n: name,
      ...(destination !== undefined && { d: destination }),
      token,
    };
  }

  #matches({ sides, type }: CreatorQuery, side: CreatorSide, event: EventReader): boolean {
    if (sides !== undefined && !sides.has(side)) return false;
    if (type === undefined) return true;
    return (
      this.#engine.reader.definitions.transactionTypes.get(event.type)?.toLowerCase() === type.toLowerCase()
    );
  }

  /** What an account did with the tokens that the creator gave it. */
  async receiver(token: number, address: string) {
    const { state, head, market } = this.#engine;
    const { tokens, accounts } = state;
    const subject = this.ofToken(token)!;
    const receiver = accounts.findText(address);
    const received = { count: 0, tokens: ZERO };
    const out = { count: 0, tokens: ZERO };
    let firstTime = Number.POSITIVE_INFINITY;
    const take = (sum: { count: number; tokens: Decimal }, event: EventReader): void => {
      sum.count++;
      sum.tokens = addDecimal(sum.tokens, tokens.decimal(token, event.hi, event.lo));
    };
    let isComplete = true;
    if (receiver !== undefined) {
      const lastLedger = head?.index ?? 0;
      const read = (visit: (event: EventReader) => boolean) =>
        this.#history.visit(receiver, lastLedger, EVENTS_MAX, yieldToLoop, visit);
      isComplete = await read((event) => {
        if (event.token !== token || event.result !== 0) return true;
        if (RECEIVED.has(event.side) && event.counterparty === subject.account) {
          take(received, event);
          firstTime = Math.min(firstTime, event.closeTime);
        }
        return true;
      });
      await read((event) => {
        if (event.closeTime < firstTime) return false;
        if (event.token === token && event.result === 0 && SENT.has(event.side)) take(out, event);
        return true;
      });
    }
    const since = Number.isFinite(firstTime) ? firstTime : undefined;
    const traded =
      receiver === undefined || since === undefined
        ? NOTHING_TRADED
        : await tradedBy(market, state, { account: receiver, token, since });
    const left = { sold: traded.sold, transferred: out.tokens, deposited_lp: traded.deposited };
    return {
      address,
      creator: accounts.text(subject.account),
      token: tokens.md5(token),
      stats: {
        received: { count: received.count, tokens: decimalText(received.tokens) },
        sell: { count: traded.sells, xrp: traded.sellXrp },
        transfer_out: { count: out.count, tokens: decimalText(out.tokens) },
        deposit: { count: traded.deposits },
      },
      behavior: behaviorOf(left),
      ...((traded.truncated || !isComplete) && { truncated: true }),
    };
  }
}

function sideOf({ tokens }: Subject, event: EventReader): CreatorSide | undefined {
  const { side, token } = event;
  const isOwn = tokens.has(token);
  if (OF_TOKENS.has(side) && !isOwn) return undefined;
  if (side === EventSide.out) return isOwn ? 'transfer_out' : token === XRP ? 'send' : 'other_send';
  if (side === EventSide.in) return isOwn ? 'receive' : 'other_receive';
  return PLAIN[side];
}

/** Totals as readers see them. `sellBuyRatio` is null before the first purchase. */
function statsOf(sums: ReadonlyMap<CreatorSide, Sum>) {
  const of = (side: CreatorSide) => {
    const { count, xrp } = sums.get(side) ?? { count: 0, xrp: 0 };
    return { count, xrp: wholeDrops(xrp) };
  };
  const [buy, sell, deposit, withdraw, created] = [
    of('buy'),
    of('sell'),
    of('deposit'),
    of('withdraw'),
    of('amm_create'),
  ];
  return {
    buy,
    sell,
    deposit,
    withdraw,
    amm_create: created,
    transfer_out: { count: of('transfer_out').count },
    sellBuyRatio: buy.xrp > 0 ? rounded(sell.xrp / buy.xrp, 4) : null,
    netXrp: wholeDrops(sell.xrp + withdraw.xrp - buy.xrp - deposit.xrp - created.xrp),
  };
}

type CreatorStats = ReturnType<typeof statsOf>;

/** What stands out in the totals. */
function signalsOf({ buy, sell, deposit, withdraw, amm_create, transfer_out }: CreatorStats): Signal[] {
  const signals: Signal[] = [];
  const provided = deposit.xrp + amm_create.xrp;
  if (provided > 0 && withdraw.xrp >= provided * WITHDRAWN_MOST)
    signals.push({
      level: 'high',
      msg: 'The creator has taken nearly all the liquidity out that it had put in',
    });
  else if (withdraw.count > 0) signals.push({ level: 'medium', msg: 'The creator has taken liquidity out' });
  if (sell.xrp > buy.xrp && sell.count > 0)
    signals.push({ level: 'high', msg: 'The creator has sold for more XRP than it has bought for' });
  else if (sell.count > 0) signals.push({ level: 'medium', msg: 'The creator has sold' });
  if (transfer_out.count > 0)
    signals.push({ level: 'medium', msg: 'The creator has given tokens to other accounts' });
  if (sell.count === 0 && withdraw.count === 0)
    signals.push({ level: 'positive', msg: 'The creator has neither sold nor taken liquidity out' });
  if (buy.xrp > sell.xrp)
    signals.push({ level: 'positive', msg: 'The creator has bought for more XRP than it has sold for' });
  return signals;
}

/** What most of the tokens that left did: by amount; nothing left: `holding`. */
function behaviorOf(left: Readonly<Record<'sold' | 'transferred' | 'deposited_lp', Decimal>>): string {
  let [behavior, most]: [string, Decimal] = ['holding', ZERO];
  for (const [name, amount] of Object.entries(left))
    if (addDecimal(amount, { m: -most.m, e: most.e }).m > 0n) [behavior, most] = [name, amount];
  return behavior;
}
