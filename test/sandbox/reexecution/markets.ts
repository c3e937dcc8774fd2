/**
 * What offers and payments read and did not write: the books of changed offers, other books that delivered nothing, the
 * funds of offers. Pools: market-pools.ts.
 */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { type AccountId, currencyOf, type Hex, issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { getRate } from '../../../engine/codec/arithmetic/quality.ts';
import { rulesAt } from '../../../sandbox/protocol/amendments.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import { lineWith } from './accounts.ts';
import { type Before, madeUp } from './before.ts';
import { fillerKey } from './directories.ts';
import { supplyTradedPools } from './market-pools.ts';
import type { Json, Recorded } from './recorded.ts';

/** @param bridge whether there were also books through XRP, which delivered nothing */
export function supplyMarkets(state: Before, bridge: boolean): void {
  supplyFunds(state);
  supplyTradedPools(state, bridge);
  supplyBooks(state);
  if (bridge) supplyBridge(state);
}

/**
 * Whether there may have been books through XRP that delivered nothing, and so are not shown. With them a pool's offers
 * are reduced to the wanted size in proportion, without them along the pool's curve; the last digits show which.
 */
export function mayBridge({ type, result, tx, closeTime }: Recorded): boolean {
  if (type !== 'OfferCreate' || result !== 'tesSUCCESS') return false;
  const issued = typeof tx.TakerPays === 'object' && typeof tx.TakerGets === 'object';
  return issued && rulesAt(closeTime).enabled('AMM');
}

const STRANGER: AccountId = '7'.repeat(40);
const BRIDGE_DROPS = 10n ** 15n;
/** Better by one part of this number, so that rounding does not make them worse. */
const BRIDGE_BETTER = 1_000_000_000_000n;

/** Offers of two other accounts through XRP, hardly better than the transaction asks for: consumed last. */
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

/**
 * An offer that was placed or taken had funds: its owner gets a line with them where none is shown. (A line that receives
 * by one offer what it pays by another in the same transaction is unchanged.)
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

/** Book pages list the changed offers, and an unchanged one where the page still exists without them. */
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
    if (pattern === undefined) page.Indexes = [fillerKey(page.index, 0)];
    else page.Indexes = [...page.Indexes, foreignOffer(state, pattern)];
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
      Indexes: [offer.index, fillerKey(index, 0)],
    });
}

/** A key that no other offer has: the highest bit of the first digit inverted. */
export const foreignKey = (key: Hex): Hex =>
  (Number.parseInt(key[0]!, 16) ^ 8).toString(16).toUpperCase() + key.slice(1);

/** Another account's funded offer like this one. @returns its key */
function foreignOffer(state: Before, like: Entry): Hex {
  const Account = like.TakerGets!.isNative ? STRANGER : like.TakerGets!.issuer;
  const offer: Entry = { ...like, index: foreignKey(like.index), Account, Sequence: 1 };
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
