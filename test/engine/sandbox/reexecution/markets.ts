/**
 * What offers and payments read and did not write: the books that touched offers stood in, the fees of issuers, pools
 * whose balances moved, the funds of an offer that was placed.
 */
import { lpTokenAsset } from '../../../../engine/sandbox/assets/amm.ts';
import { swapAssetIn, swapAssetOut } from '../../../../engine/sandbox/assets/amm-math.ts';
import { rulesAt } from '../../../../engine/sandbox/protocol/amendments.ts';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  type Hex,
  issuerOf,
  XRP,
} from '../../../../engine/sandbox/protocol/asset.ts';
import type { Entry, Fields } from '../../../../engine/sandbox/protocol/fields.ts';
import { Lsf } from '../../../../engine/sandbox/protocol/flags.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import { getRate } from '../../../../engine/sandbox/protocol/quality.ts';
import { lineWith } from './accounts.ts';
import { type Before, madeUp } from './before.ts';
import { filler } from './directories.ts';
import type { Json, Recorded } from './recorded.ts';

/** @param bridge whether books through XRP stood beside that gave nothing */
export function supplyMarkets(state: Before, bridge: boolean): void {
  supplyFunds(state);
  supplyPools(state, bridge);
  supplyBooks(state);
  if (bridge) supplyBridge(state);
}

/**
 * Whether a transaction may have met books through XRP that gave nothing, and so are not told: then a pool's offers
 * are cut to the wanted size in proportion, without them along the pool's curve. Digits show which it was.
 */
export function mayBridge({ type, result, tx, closeTime }: Recorded): boolean {
  if (type !== 'OfferCreate' || result !== 'tesSUCCESS') return false;
  const issued = typeof tx.TakerPays === 'object' && typeof tx.TakerGets === 'object';
  return issued && rulesAt(closeTime).enabled('AMM');
}

const STRANGER: AccountId = '7'.repeat(40);
const BRIDGE_DROPS = 10n ** 15n;
/** By so little better, one of: lest a rounding makes them worse. */
const BRIDGE_BETTER = 1_000_000_000_000n;

/** Two strangers' offers, through XRP hardly better than the transaction asks: the last to be taken. */
function supplyBridge(state: Before): void {
  const { TakerPays: pays, TakerGets: gets } = state.tx;
  const drops = Amount.drops(BRIDGE_DROPS);
  const scale = 6 - gets!.exponent - 15;
  const input = Amount.issued(gets!.asset, gets!.mantissa, gets!.exponent + scale);
  const better = pays!.mantissa + pays!.mantissa / BRIDGE_BETTER;
  const output = Amount.issued(pays!.asset, better, pays!.exponent + scale);
  state.add({ ...madeUp(STRANGER), Balance: Amount.drops(10n ** 16n) });
  strangerSells(state, STRANGER, input, drops, 'A');
  strangerSells(state, issuerOf(pays!.asset), drops, output, 'B');
}

function strangerSells(
  state: Before,
  Account: AccountId,
  TakerPays: Amount,
  TakerGets: Amount,
  mark: string,
): void {
  const base = keylets.bookBase({
    takerPays: TakerPays.asset,
    takerGets: TakerGets.asset,
    domain: undefined,
  });
  const BookDirectory = keylets.bookDirectory(base, getRate(TakerGets, TakerPays));
  const offer: Entry = {
    LedgerEntryType: 'Offer',
    index: mark.repeat(64),
    Flags: 0,
    Account,
    Sequence: 1,
    TakerPays,
    TakerGets,
    BookDirectory,
    BookNode: 0n,
    OwnerNode: 0n,
  };
  state.add(offer);
  state.add({ ...bookPage(offer, BookDirectory), Indexes: [offer.index] });
}

const sizeOf = (amount: Amount): number => Number(amount.mantissa) * 10 ** amount.exponent;

interface Move {
  readonly before: Amount;
  readonly after: Amount;
}

/** What an account has of each asset before and after, by the entries that were written. */
function movesOf(state: Before, account: AccountId): Map<Asset, Move> {
  const moves = new Map<Asset, Move>();
  for (const { type, before, after, kind } of state.nodes) {
    const now: Fields | undefined = kind === 'DeletedNode' ? before : after;
    if (!now?.Balance) continue;
    if (type === 'AccountRoot' && now.Account === account && before?.Balance)
      moves.set(XRP, { before: before.Balance, after: now.Balance });
    if (type !== 'RippleState' || !before?.Balance || !after) continue;
    const [low, high] = [issuerOf(now.LowLimit!.asset), issuerOf(now.HighLimit!.asset)];
    if (low !== account && high !== account) continue;
    const asset = now.Balance.asset.slice(0, 40) + (low === account ? high : low);
    const own = (amount: Amount): Amount => (low === account ? amount : amount.negate()).withAsset(asset);
    moves.set(asset, { before: own(before.Balance), after: own(now.Balance) });
  }
  for (const [asset, { before, after }] of moves) if (before.equals(after)) moves.delete(asset);
  return moves;
}

/** A deleted line's last balance is nothing. */
const emptied = (line: Entry): Fields => ({ ...line, Balance: Amount.zero(line.Balance!.asset) });

/**
 * An offer that was placed or taken had funds: a line with them for its owner when none is told. (What an owner gets by
 * one offer and gives by another at once leaves its line as it was.)
 */
function supplyFunds(state: Before): void {
  const { tx, recorded } = state;
  const fund = (owner: AccountId, gets: Amount): void => {
    if (gets.isIssued && gets.issuer !== owner)
      state.add(lineWith(owner, Amount.issued(gets.asset, 10n ** 15n, 5)));
  };
  if (tx.TakerGets && recorded.result !== 'tecUNFUNDED_OFFER') fund(tx.Account, tx.TakerGets);
  for (const { type, before, json } of state.nodes)
    if (type === 'Offer' && before && isTaken(json)) fund(before.Account!, before.TakerGets!);
}

const isTaken = ({ PreviousFields: previous }: Json): boolean =>
  (previous as Json | undefined)?.TakerPays !== undefined;

/** Accounts of pools that the entries show: by their root, or by the flag of their lines. */
function poolAccounts(state: Before): Set<AccountId> {
  const pools = new Set<AccountId>();
  for (const {
    AMMID,
    Account,
    LedgerEntryType,
    Flags,
    Balance,
    LowLimit,
    HighLimit,
  } of state.entries.values()) {
    if (AMMID !== undefined) pools.add(Account!);
    if (LedgerEntryType !== 'RippleState' || (Flags! & Lsf.lsfAMMNode) === 0) continue;
    pools.add(issuerOf((Balance!.mantissa > 0n ? LowLimit! : HighLimit!).asset));
  }
  return pools;
}

/**
 * What a pool took or gave of an asset: the others' balances tell it with more digits than its own large one, as long
 * as both agree.
 */
function movedBy(state: Before, account: AccountId, asset: Asset, move: Move): Amount {
  const own = move.after.sub(move.before);
  let others = Amount.zero(asset);
  for (const { type, before, after, kind } of state.nodes) {
    if (type !== 'RippleState') continue;
    const now = kind === 'DeletedNode' ? emptied(before!) : after;
    const limit = now?.LowLimit ?? before?.LowLimit;
    const high = now?.HighLimit ?? before?.HighLimit;
    if (!now?.Balance || !limit || !high || limit.asset.slice(0, 40) !== asset.slice(0, 40)) continue;
    const sides = [issuerOf(limit.asset), issuerOf(high.asset)];
    if (!sides.includes(issuerOf(asset)) || sides.includes(account)) continue;
    const holderIsLow = sides[1] === issuerOf(asset);
    const change = before?.Balance ? now.Balance.sub(before.Balance) : now.Balance;
    others = others.add((holderIsLow ? change : change.negate()).withAsset(asset));
  }
  const near = Math.abs(sizeOf(own) + sizeOf(others)) <= 10 ** (move.before.exponent + 1);
  return asset !== XRP && !others.isZero && near ? others.negate() : own;
}

/** Of a pool's balance, what its first offer beside other strands takes in (rippled `InitialFibSeqPct`). */
const FIRST_SHARE = 0.000_25;

/**
 * The trading fee whose swap, of what came or for what went, is nearest to what the pool did. Beside other strands the price is that of its first
 * offer, of which a part was taken.
 */
function feeOf(state: Before, account: AccountId, moves: ReadonlyMap<Asset, Move>, bridge: boolean): number {
  const [a, b] = [...moves] as [[Asset, Move], [Asset, Move]];
  const [paid, given] = a[1].after.compare(a[1].before) > 0 ? [a, b] : [b, a];
  const pool = { in: paid[1].before, out: given[1].before };
  const input = movedBy(state, account, ...paid);
  const wanted = movedBy(state, account, ...given).negate();
  if (input.mantissa <= 0n || wanted.mantissa <= 0n) return 0;
  const rate = sizeOf(wanted) / sizeOf(input);
  const swapped = bridge
    ? Amount.of(pool.in.asset, pool.in.mantissa / BigInt(1 / FIRST_SHARE), pool.in.exponent)
    : input;
  // What was asked for is given to the last drop: the other side has the digits then.
  const exact = state.tx.TransactionType === 'Payment' && state.tx.Amount!.equals(wanted);
  let best = { fee: 0, distance: Number.POSITIVE_INFINITY };
  const rules = rulesAt(state.recorded.closeTime);
  for (let fee = 0; fee <= 1000; fee += 1) {
    const distance = exact
      ? Math.abs(sizeOf(swapAssetOut(rules, pool, wanted, fee)) / sizeOf(input) - 1)
      : Math.abs(sizeOf(swapAssetIn(rules, pool, swapped, fee)) / sizeOf(swapped) / rate - 1);
    if (distance < best.distance) best = { fee, distance };
  }
  return best.fee;
}

function supplyPools(state: Before, bridge: boolean): void {
  for (const account of poolAccounts(state)) {
    const moves = movesOf(state, account);
    if (moves.size !== 2) continue;
    const [asset, asset2] = [...moves.keys()] as [Asset, Asset];
    const index = keylets.amm(asset, asset2);
    if (state.entries.has(index)) continue;
    const root = state.root(account);
    if (root?.AMMID === undefined)
      state.entries.set(keylets.account(account), { ...madeUp(account), ...root, AMMID: index });
    state.add({
      LedgerEntryType: 'AMM',
      index,
      Account: account,
      Asset: asset,
      Asset2: asset2,
      Flags: 0,
      TradingFee: feeOf(state, account, moves, bridge),
      LPTokenBalance: Amount.issued(lpTokenAsset(asset, asset2, account), 1_000_000n, 0),
    });
  }
}

/** Book pages list the offers that were touched, and one that was not where the page outlived all of them. */
function supplyBooks(state: Before): void {
  const kinds = new Map(state.nodes.map(({ kind, index }) => [index, kind]));
  const taken = new Set(state.nodes.filter(({ json }) => isTaken(json)).map(({ index }) => index));
  // Whole offers go before those that were only removed, and before the one that is left in part.
  const rank = ({ index }: Entry): number => {
    if (kinds.get(index) !== 'DeletedNode') return 2;
    return taken.has(index) ? 0 : 1;
  };
  const pages = new Map<Hex, Entry[]>();
  for (const entry of [...state.entries.values()]) {
    if (entry.LedgerEntryType !== 'Offer') continue;
    const key = keylets.directoryPage(entry.BookDirectory!, entry.BookNode ?? 0n);
    pages.set(key, [...(pages.get(key) ?? []), entry]);
    state.add(bookPage(entry, key));
    listOwned(state, entry);
  }
  for (const page of [...state.entries.values()]) {
    if (page.LedgerEntryType !== 'DirectoryNode' || page.ExchangeRate === undefined) continue;
    const offers = (pages.get(page.index) ?? []).sort((a, b) => rank(a) - rank(b));
    page.Indexes = offers.map(({ index }) => index);
    const outlived = kinds.get(page.index) !== 'DeletedNode' && offers.every((offer) => rank(offer) < 2);
    if (!outlived) continue;
    const [pattern] = offers;
    if (pattern === undefined) page.Indexes = [filler(page.index, 0)];
    else page.Indexes = [...page.Indexes, strangersOffer(state, pattern)];
  }
}

function listOwned(state: Before, offer: Entry): void {
  const root = keylets.ownerDirectory(offer.Account!);
  const index = keylets.directoryPage(root, offer.OwnerNode ?? 0n);
  const page = state.entries.get(index);
  if (page?.Indexes?.includes(offer.index)) return;
  if (page) page.Indexes = [...(page.Indexes ?? []), offer.index];
  else
    state.add({
      LedgerEntryType: 'DirectoryNode',
      index,
      Flags: 0,
      RootIndex: root,
      Owner: offer.Account!,
      Indexes: [offer.index, filler(index, 0)],
    });
}

/** Somebody's funded offer like this one. @returns its key */
function strangersOffer(state: Before, like: Entry): Hex {
  const Account = like.TakerGets!.isNative ? STRANGER : like.TakerGets!.issuer;
  const offer: Entry = { ...like, index: `D${like.index.slice(1)}`, Account, Sequence: 1 };
  delete offer.Expiration;
  state.add(offer);
  state.add({ ...madeUp(Account), Balance: Amount.drops(10n ** 15n), OwnerCount: 1 });
  return offer.index;
}

function bookPage(offer: Entry, index: Hex): Entry {
  const [pays, gets] = [offer.TakerPays!, offer.TakerGets!];
  return {
    LedgerEntryType: 'DirectoryNode',
    index,
    Flags: 0,
    RootIndex: offer.BookDirectory!,
    ExchangeRate: keylets.directoryQuality(offer.BookDirectory!),
    TakerPaysCurrency: currencyOf(pays.asset)!,
    TakerPaysIssuer: pays.issuer,
    TakerGetsCurrency: currencyOf(gets.asset)!,
    TakerGetsIssuer: gets.issuer,
    Indexes: [],
  };
}
