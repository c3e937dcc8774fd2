/**
 * Transactions on the sized network, one function a kind. Each changes the current state through a draft and says what
 * the transaction is.
 *
 * Shares (`MIX`): of the 695 transactions recorded in main-network ledgers 104,540,000 to 104,552,610, 61 % are payments
 * (41 % of XRP between two accounts, 13 % that find no path), 28 % create offers, two thirds of them in place of one
 * that they cancel, 8 % cancel one. Those ledgers have few trades: offers that are taken, payments through pools and
 * trust lines have a larger share here, since they are what costs an engine most.
 */
import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Fields } from '../../sandbox/protocol/fields.ts';
import type { Books } from './books.ts';
import type { Account, CurrentState, OpenOffer, TrustLine } from './current.ts';
import { type Draft, Result } from './draft.ts';
import { DROPS, type Offer, Side, shortened } from './network.ts';
import type { Random } from './random.ts';

/** Percent. */
export const MIX = {
  xrpPayment: 33,
  dryPayment: 10,
  tokenPayment: 6,
  poolSwap: 9,
  offerReplace: 16,
  offerCreate: 6,
  offerTake: 8,
  offerCancel: 7,
  trustSet: 4,
  accountSet: 1,
} as const;

export const FEE_DROPS = 12;
/** What makers and takers keep. */
const KEPT_DROPS = 20 * DROPS;
/** Offers that one taker crosses at most. */
const CROSSED_MAX = 4;
const TRIES = 24;
const SWAP_SHARE_MAX = 0.01;

const PARTIAL_PAYMENT = 0x00020000;
const IMMEDIATE_OR_CANCEL = 0x00020000;
const SET_NO_RIPPLE = 0x00020000;

export interface Made {
  readonly sender: Account;
  /** The transaction's own fields; sender, fee, sequence and signature are added. */
  readonly fields: Fields;
  readonly result?: number;
  readonly delivered?: Amount;
}

export interface Context {
  readonly state: CurrentState;
  readonly books: Books;
  readonly random: Random;
  readonly draft: Draft;
}

/** undefined: nothing suitable was found. */
type Maker = (context: Context) => Made | undefined;

export const MAKERS: Readonly<Record<keyof typeof MIX, Maker>> = {
  xrpPayment,
  dryPayment,
  tokenPayment,
  poolSwap,
  offerReplace: (context) => offerCreate(context, standing(context)),
  offerCreate: (context) => offerCreate(context, undefined),
  offerTake,
  offerCancel,
  trustSet,
  accountSet: (context) => ({ sender: activeAccount(context), fields: { TransactionType: 'AccountSet' } }),
};

export function xrpPayment(context: Context): Made {
  const { state, draft, random } = context;
  const sender = draft.change(activeAccount(context));
  const { activeFrom, accounts, pools } = state.network;
  let to = sender;
  while (to === sender) to = state.account(activeFrom + random.below(accounts - pools - activeFrom));
  draft.change(to);
  const drops = 1 + random.below(Math.max(1, (sender.drops - KEPT_DROPS) / 100), 3);
  sender.drops -= drops;
  to.drops += drops;
  return {
    sender,
    fields: { TransactionType: 'Payment', Destination: to.id, Amount: Amount.drops(drops) },
  };
}

function dryPayment(context: Context): Made {
  const { state, random } = context;
  const sender = activeAccount(context);
  const amount = Amount.issued(state.asset(someToken(context)), BigInt(1 + random.below(1e9)), -6);
  return {
    sender,
    fields: { TransactionType: 'Payment', Destination: sender.id, Amount: amount, SendMax: Amount.drops(1) },
    result: Result.tecPATH_DRY,
  };
}

function tokenPayment(context: Context): Made | undefined {
  const { state, draft, random } = context;
  const token = someToken(context);
  const from = fundedLine(context, token);
  if (!from) return undefined;
  const to = state.line(token, random.below(state.network.linesOf(token)));
  if (to === from) return undefined;
  draft.change(from);
  draft.change(to);
  const units = 1 + random.below(from.units, 4);
  from.units -= units;
  to.units += units;
  const fields = {
    TransactionType: 'Payment',
    Destination: state.id(to.holder),
    Amount: Amount.issued(state.asset(token), BigInt(units), -6),
  };
  return { sender: state.account(from.holder), fields };
}

/** A payment to oneself through the pool of a token and XRP (constant product, fee off what goes in). */
function poolSwap(context: Context): Made | undefined {
  const { state, draft, random } = context;
  const number = random.below(state.network.xrpPools, 2);
  const { token, account, fee } = state.network.pool(number);
  const line = fundedLine(context, token);
  if (!line) return undefined;
  const taker = state.account(line.holder);
  const pool = state.account(account);
  const reserve = state.reserve(number);
  const asset = state.asset(token);
  const share = random.uniform() ** 3 * SWAP_SHARE_MAX;
  const out = (of: number, into: number, amount: number): number => {
    const effective = amount * (1 - fee / 100_000);
    return Math.floor((of * effective) / (into + effective));
  };
  for (const entry of [taker, pool, reserve, line]) draft.change(entry);
  if (random.uniform() < 0.5) {
    const paid = Math.floor(Math.min(taker.drops - KEPT_DROPS, pool.drops * share));
    const units = out(reserve.units, pool.drops, paid);
    if (paid <= 0 || units <= 0) return undefined;
    taker.drops -= paid;
    pool.drops += paid;
    reserve.units -= units;
    line.units += units;
    return swap(taker, Amount.drops(paid), Amount.issued(asset, BigInt(units), -6));
  }
  const paid = Math.floor(Math.min(line.units, reserve.units * share));
  const drops = out(pool.drops, reserve.units, paid);
  if (paid <= 0 || drops <= 0) return undefined;
  line.units -= paid;
  reserve.units += paid;
  pool.drops -= drops;
  taker.drops += drops;
  return swap(taker, Amount.issued(asset, BigInt(paid), -6), Amount.drops(drops));
}

function swap(taker: Account, paid: Amount, delivered: Amount): Made {
  const fields = {
    TransactionType: 'Payment',
    Destination: taker.id,
    Amount: delivered,
    SendMax: paid,
    Flags: PARTIAL_PAYMENT,
  };
  return { sender: taker, fields, delivered };
}

/** A new offer, in place of another of its owner where one is given. */
function offerCreate(context: Context, replaced: OpenOffer | undefined): Made | undefined {
  const { state, books, draft, random } = context;
  const { network } = state;
  const token = replaced?.token ?? someToken(context);
  const side = replaced?.side ?? (random.below(2) as Side);
  const owner = replaced?.owner ?? network.holder(token, random.below(network.linesOf(token)));
  const sender = draft.change(state.account(owner));
  if (replaced) deleteOffer(context, replaced);
  // Behind the best offer of the other side, so that it takes none.
  const best = books.book(token, side === Side.ask ? Side.bid : Side.ask)[0];
  const price =
    network.price(token) * (side === Side.ask ? 1 + random.uniform() * 0.05 : 1 - random.uniform() * 0.05);
  const limit = best === undefined || best.units === 0 ? price : best.drops / best.units;
  const rate = side === Side.ask ? Math.max(price, limit * 1.001) : Math.min(price, limit * 0.999);
  const units = shortened(10 ** (6 + random.uniform() * 4));
  const offer: Offer = {
    owner,
    sequence: sender.sequence,
    token,
    side,
    units,
    drops: Math.max(1, Math.round(units * rate)),
  };
  const placed = draft.create(books.place(random.hex(32), offer));
  sender.owned++;
  draft.change(state.ownerDirectory(owner));
  if (state.hasBookDirectory(placed)) state.bookDirectory(placed).offers++;
  else draft.create(state.bookDirectory(placed));
  const fields = { TransactionType: 'OfferCreate', ...placed.amounts };
  return { sender, fields: replaced ? { ...fields, OfferSequence: replaced.sequence } : fields };
}

function offerCancel(context: Context): Made | undefined {
  const offer = standing(context);
  if (!offer) return undefined;
  const sender = context.draft.change(context.state.account(offer.owner));
  deleteOffer(context, offer);
  return { sender, fields: { TransactionType: 'OfferCancel', OfferSequence: offer.sequence } };
}

/** An offer that takes the best ones of the other side, and is not placed. */
function offerTake(context: Context): Made | undefined {
  const { state, books, draft, random } = context;
  const resting = random.below(2) as Side;
  const token = someToken(context, 3);
  const line = fundedLine(context, token);
  const best = books.book(token, resting)[0];
  if (!line || !best) return undefined;
  const taker = state.account(line.holder);
  const wanted = Math.max(1, Math.floor(best.units * (0.1 + random.uniform() * 1.4)));
  let [units, drops] = [0, 0];
  for (const offer of books.book(token, resting).slice(0, CROSSED_MAX)) {
    if (units >= wanted) break;
    const part = take(context, offer, { taker, line }, wanted - units);
    if (!part) break;
    units += part.units;
    drops += part.drops;
  }
  if (draft.size === 0) return undefined;
  const tokens = Amount.issued(state.asset(token), BigInt(wanted), -6);
  const xrp = Amount.drops(Math.max(drops, 1));
  const sides =
    resting === Side.ask ? { TakerPays: tokens, TakerGets: xrp } : { TakerPays: xrp, TakerGets: tokens };
  return { sender: taker, fields: { TransactionType: 'OfferCreate', ...sides, Flags: IMMEDIATE_OR_CANCEL } };
}

/**
 * Takes up to `wanted` millionths of an offer's token from it, or gives it as many. An offer whose owner has nothing
 * left is deleted. undefined: the taker can take no more.
 */
function take(
  context: Context,
  offer: OpenOffer,
  { taker, line }: { taker: Account; line: TrustLine },
  wanted: number,
): { units: number; drops: number } | undefined {
  const { state, draft } = context;
  const makerLine = lineOfOwner(state, offer);
  if (offer.owner === line.holder || !makerLine) return undefined;
  const maker = state.account(offer.owner);
  const rate = offer.drops / offer.units;
  const has = offer.isAsk ? makerLine.units : Math.max(0, (maker.drops - KEPT_DROPS) / rate);
  const mayTake = offer.isAsk ? Math.max(0, (taker.drops - KEPT_DROPS) / rate) : line.units;
  if (has < 1) {
    draft.change(maker);
    deleteOffer(context, offer);
    return { units: 0, drops: 0 };
  }
  const units = Math.floor(Math.min(wanted, offer.units, has, mayTake));
  const drops = units === offer.units ? offer.drops : Math.floor(units * rate);
  if (units < 1 || drops < 1) return undefined;
  for (const entry of [offer, maker, makerLine, taker, line]) draft.change(entry);
  const sign = offer.isAsk ? 1 : -1;
  offer.units -= units;
  offer.drops -= drops;
  makerLine.units -= sign * units;
  line.units += sign * units;
  maker.drops += sign * drops;
  taker.drops -= sign * drops;
  if (offer.units < 1 || offer.drops < 1) deleteOffer(context, offer);
  return { units, drops };
}

function trustSet(context: Context): Made | undefined {
  const { state, draft, random } = context;
  const token = someToken(context);
  const limit = 10 ** (6 + random.below(5));
  if (random.uniform() < 0.3) {
    const line = draft.change(state.line(token, random.below(state.network.linesOf(token))));
    if (line.limit === limit) return undefined;
    line.limit = limit;
    return { sender: state.account(line.holder), fields: trust(state, token, limit) };
  }
  const line = draft.create(state.addLine(token, random.hex(32), limit));
  const sender = draft.change(state.account(line.holder));
  sender.owned++;
  draft.change(state.ownerDirectory(line.holder));
  draft.change(state.ownerDirectory(state.network.issuer(token)));
  return { sender, fields: trust(state, token, limit) };
}

const trust = (state: CurrentState, token: number, limit: number): Fields => ({
  TransactionType: 'TrustSet',
  LimitAmount: Amount.issued(state.asset(token), BigInt(limit), 0),
  Flags: SET_NO_RIPPLE,
});

function activeAccount({ state, random }: Context): Account {
  const { activeFrom, active } = state.network;
  return state.account(activeFrom + random.below(active, 2));
}

/** The larger a token, the more often. */
function someToken({ state, random }: Context, power = 4): number {
  const { issued } = state.network;
  return issued[random.below(issued.length, power)]!;
}

/** A line of a token with something on it. */
function fundedLine({ state, random }: Context, token: number): TrustLine | undefined {
  for (let i = 0; i < TRIES; i++) {
    const line = state.line(token, random.below(state.network.linesOf(token)));
    if (line.units > 0) return line;
  }
  return undefined;
}

function standing({ books, random }: Context): OpenOffer | undefined {
  for (let i = 0; i < TRIES; i++) {
    const offer = books.offer(random.below(books.placed));
    if (offer.exists) return offer;
  }
  return undefined;
}

/** Owners of offers hold the token: their line is found by its place. */
function lineOfOwner(state: CurrentState, offer: OpenOffer): TrustLine | undefined {
  const k = state.network.placeOfHolder(offer.token, offer.owner);
  return k < state.network.linesOf(offer.token) ? state.line(offer.token, k) : undefined;
}

function deleteOffer(context: Context, offer: OpenOffer): void {
  const { state, books, draft } = context;
  draft.change(offer);
  draft.change(state.account(offer.owner)).owned--;
  draft.change(state.ownerDirectory(offer.owner));
  const directory = state.bookDirectory(offer);
  directory.offers--;
  if (directory.offers === 0) draft.change(directory).exists = false;
  books.remove(offer);
}
