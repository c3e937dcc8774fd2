/**
 * OracleSet and OracleDelete: prices that an account publishes (XLS-47; rippled `OracleSet.cpp`, `OracleDelete.cpp`).
 *
 * An update names pairs of currencies: with a price the pair is set, without one it is removed. Pairs of the oracle
 * that the update leaves out stay, but lose their price, because it was not renewed.
 */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import { RIPPLE_EPOCH } from '../../engine/ripple-time.ts';
import type { ApplyContext, Rule } from '../apply/rule.ts';
import { deleteOwned, insertOwned } from '../assets/owned.ts';
import { adjustOwnerCount, coversReserve } from '../assets/reserve.ts';
import type { ApplyView, ReadView } from '../ledger/view.ts';
import type { Entry, Fields, TransactionFields } from '../protocol/fields.ts';
import { account as accountKey, oracle as oracleKey } from '../protocol/keylets.ts';
import type { Result } from '../protocol/results.ts';
import { badLength } from './bad-length.ts';

const PAIRS_MAX = 10;
/** An oracle of more pairs than this counts as two owned objects. */
const PAIRS_OF_ONE_RESERVE = 5;
const PRICE_SCALE_MAX = 20;
/** Bytes. */
const PROVIDER_MAX = 256;
const URI_MAX = 256;
const ASSET_CLASS_MAX = 16;
/** Maximum difference between the update time and the ledger's close time, seconds. */
const UPDATE_TIME_DELTA_MAX = 300;

const ownedObjects = (pairs: number): number => (pairs > PAIRS_OF_ONE_RESERVE ? 2 : 1);

const pricesIn = (fields: Readonly<Fields>): Fields[] =>
  (fields.PriceDataSeries ?? []).map((element) => element.PriceData ?? {});

/** Hex sorts in the same order as the currency codes' bytes. */
const pairOf = (price: Readonly<Fields>): Hex => `${price.BaseAsset}${price.QuoteAsset}`;

function preflightSet(tx: Readonly<TransactionFields>): Result {
  const count = tx.PriceDataSeries?.length ?? 0;
  if (count === 0) return 'temARRAY_EMPTY';
  if (count > PAIRS_MAX) return 'temARRAY_TOO_LARGE';
  const bad =
    badLength(tx.Provider, PROVIDER_MAX) ||
    badLength(tx.URI, URI_MAX) ||
    badLength(tx.AssetClass, ASSET_CLASS_MAX);
  return bad ? 'temMALFORMED' : 'tesSUCCESS';
}

function checkUpdateTime(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const { closeTime } = view.header;
  const updated = tx.LastUpdateTime ?? 0;
  // This time is in Unix seconds, unlike all others.
  if (updated < RIPPLE_EPOCH) return 'tecINVALID_UPDATE_TIME';
  if (closeTime < UPDATE_TIME_DELTA_MAX) return 'tecINTERNAL';
  const distance = Math.abs(updated - RIPPLE_EPOCH - closeTime);
  return distance > UPDATE_TIME_DELTA_MAX ? 'tecINVALID_UPDATE_TIME' : 'tesSUCCESS';
}

/** The pairs that a transaction sets and removes; `temMALFORMED` when it contradicts itself. */
function pairsOf(
  tx: Readonly<TransactionFields>,
  exists: boolean,
): { readonly set: Set<Hex>; readonly removed: Set<Hex> } | undefined {
  const set = new Set<Hex>();
  const removed = new Set<Hex>();
  for (const price of pricesIn(tx)) {
    if (price.BaseAsset === price.QuoteAsset) return undefined;
    const pair = pairOf(price);
    if (set.has(pair) || removed.has(pair)) return undefined;
    if ((price.Scale ?? 0) > PRICE_SCALE_MAX) return undefined;
    if (price.AssetPrice !== undefined) set.add(pair);
    else if (exists) removed.add(pair);
    else return undefined;
  }
  return { set, removed };
}

function preclaimSet(view: ReadView, tx: Readonly<TransactionFields>): Result {
  const owner = view.read(accountKey(tx.Account));
  if (owner === undefined) return 'terNO_ACCOUNT';
  const inTime = checkUpdateTime(view, tx);
  if (inTime !== 'tesSUCCESS') return inTime;

  const existing = view.read(oracleKey(tx.Account, tx.OracleDocumentID ?? 0));
  const pairs = pairsOf(tx, existing !== undefined);
  if (pairs === undefined) return 'temMALFORMED';
  const { set, removed } = pairs;
  let added: number;
  if (existing === undefined) {
    if (tx.Provider === undefined || tx.AssetClass === undefined) return 'temMALFORMED';
    added = ownedObjects(set.size);
  } else {
    if ((tx.LastUpdateTime ?? 0) <= (existing.LastUpdateTime ?? 0)) return 'tecINVALID_UPDATE_TIME';
    if (tx.Provider !== undefined && tx.Provider !== existing.Provider) return 'temMALFORMED';
    if (tx.AssetClass !== undefined && tx.AssetClass !== existing.AssetClass) return 'temMALFORMED';
    const old = pricesIn(existing);
    for (const pair of old.map(pairOf)) if (!removed.delete(pair)) set.add(pair);
    if (removed.size > 0) return 'tecTOKEN_PAIR_NOT_FOUND';
    added = ownedObjects(set.size) - ownedObjects(old.length);
  }
  if (set.size === 0) return 'tecARRAY_EMPTY';
  if (set.size > PAIRS_MAX) return 'tecARRAY_TOO_LARGE';
  return coversReserve(view, owner, added) ? 'tesSUCCESS' : 'tecINSUFFICIENT_RESERVE';
}

/** A price as stored in entries: a scale of zero is left out. */
function priceEntry(price: Readonly<Fields>): Fields {
  const { BaseAsset, QuoteAsset, AssetPrice, Scale } = price;
  const kept: Fields = { BaseAsset, QuoteAsset };
  if (AssetPrice !== undefined) kept.AssetPrice = AssetPrice;
  if (Scale !== undefined && Scale !== 0) kept.Scale = Scale;
  return { PriceData: kept };
}

function inOrder(series: ReadonlyMap<Hex, Fields>): Fields[] {
  return [...series.keys()].sort().map((pair) => series.get(pair) as Fields);
}

function renewedSeries(existing: Readonly<Entry>, tx: Readonly<TransactionFields>): Fields[] {
  const series = new Map<Hex, Fields>();
  for (const { BaseAsset, QuoteAsset } of pricesIn(existing)) {
    const bare = { BaseAsset, QuoteAsset };
    series.set(pairOf(bare), { PriceData: bare });
  }
  for (const price of pricesIn(tx)) {
    if (price.AssetPrice === undefined) series.delete(pairOf(price));
    else series.set(pairOf(price), priceEntry(price));
  }
  return inOrder(series);
}

function update(view: ApplyView, entry: Entry, tx: Readonly<TransactionFields>): Result {
  const before = entry.PriceDataSeries?.length ?? 0;
  entry.PriceDataSeries = renewedSeries(entry, tx);
  if (tx.URI !== undefined) entry.URI = tx.URI;
  entry.LastUpdateTime = tx.LastUpdateTime;
  if (entry.OracleDocumentID === undefined && view.rules.enabled('fixIncludeKeyletFields'))
    entry.OracleDocumentID = tx.OracleDocumentID;
  const more = ownedObjects(entry.PriceDataSeries.length) - ownedObjects(before);
  if (more === 0) return 'tesSUCCESS';
  const owner = view.peek(accountKey(tx.Account));
  if (owner === undefined) return 'tefINTERNAL';
  adjustOwnerCount(view, owner, more);
  return 'tesSUCCESS';
}

function createdSeries(view: ReadView, tx: Readonly<TransactionFields>): Fields[] {
  const prices = pricesIn(tx);
  if (!view.rules.enabled('fixPriceOracleOrder')) return prices.map(priceEntry);
  return inOrder(new Map(prices.map((price) => [pairOf(price), priceEntry(price)])));
}

function create(view: ApplyView, key: Hex, tx: Readonly<TransactionFields>): Result {
  const { Account: account } = tx;
  const series = createdSeries(view, tx);
  const owner = view.peek(accountKey(account));
  if (owner === undefined) return 'tefINTERNAL';
  const entry: Entry = {
    LedgerEntryType: 'Oracle',
    index: key,
    Flags: 0,
    Owner: account,
    Provider: tx.Provider,
    AssetClass: tx.AssetClass,
    LastUpdateTime: tx.LastUpdateTime,
    PriceDataSeries: series,
  };
  if (tx.URI !== undefined) entry.URI = tx.URI;
  if (view.rules.enabled('fixIncludeKeyletFields')) entry.OracleDocumentID = tx.OracleDocumentID;
  return insertOwned(view, owner, entry, ownedObjects(series.length));
}

function applySet({ view, tx, account }: ApplyContext): Result {
  const key = oracleKey(account, tx.OracleDocumentID ?? 0);
  const existing = view.peek(key);
  return existing === undefined ? create(view, key, tx) : update(view, existing, tx);
}

/**
 * Deletes an oracle, for OracleDelete and AccountDelete.
 * @param owner its owner. @returns `tefBAD_LEDGER` when the owner's directory does not list it.
 */
export function deleteOracle(view: ApplyView, entry: Readonly<Entry>, owner: AccountId): Result {
  const count = ownedObjects(entry.PriceDataSeries?.length ?? 0);
  return deleteOwned(view, owner, entry, { count, keepRoot: true });
}

function preclaimDelete(view: ReadView, tx: Readonly<TransactionFields>): Result {
  if (view.read(accountKey(tx.Account)) === undefined) return 'terNO_ACCOUNT';
  const exists = view.read(oracleKey(tx.Account, tx.OracleDocumentID ?? 0)) !== undefined;
  return exists ? 'tesSUCCESS' : 'tecNO_ENTRY';
}

function applyDelete({ view, tx, account }: ApplyContext): Result {
  const entry = view.read(oracleKey(account, tx.OracleDocumentID ?? 0));
  return entry === undefined ? 'tecINTERNAL' : deleteOracle(view, entry, account);
}

export const oracleSet: Rule = {
  type: 'OracleSet',
  amendment: 'PriceOracle',
  flags: 0,
  preflight: preflightSet,
  preclaim: preclaimSet,
  apply: applySet,
};

export const oracleDelete: Rule = {
  type: 'OracleDelete',
  amendment: 'PriceOracle',
  flags: 0,
  preclaim: preclaimDelete,
  apply: applyDelete,
};
