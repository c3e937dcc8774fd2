/**
 * What metadata of offers and payments does not show of the state before, put in as far as it can be known: the books
 * that touched offers stood in, issuers as other recorded transactions show them, pools whose balances moved.
 */

import { lpTokenAsset } from '../../../../engine/sandbox/assets/amm.ts';
import { swapAssetIn } from '../../../../engine/sandbox/assets/amm-math.ts';
import { rulesAt } from '../../../../engine/sandbox/protocol/amendments.ts';
import { Amount } from '../../../../engine/sandbox/protocol/amount.ts';
import {
  ACCOUNT_ONE,
  ACCOUNT_ZERO,
  type AccountId,
  type Asset,
  currencyOf,
  type Hex,
  issuerOf,
  XRP,
} from '../../../../engine/sandbox/protocol/asset.ts';
import { fromJson } from '../../../../engine/sandbox/protocol/encode.ts';
import type { Entry, TransactionFields } from '../../../../engine/sandbox/protocol/fields.ts';
import * as keylets from '../../../../engine/sandbox/protocol/keylets.ts';
import type { Recorded } from '../transactions/recorded-state.ts';

type Json = Record<string, unknown>;

/** Flags, transfer rate and tick size of accounts, by ledger, as metadata shows them. */
export class Issuers {
  readonly #seen = new Map<AccountId, { ledger: number; root: Entry }[]>();

  constructor(recorded: readonly Recorded[]) {
    for (const { meta, ledgerIndex } of recorded) {
      for (const wrapped of meta.AffectedNodes as Json[]) {
        const node = Object.values(wrapped)[0] as Json;
        if (node.LedgerEntryType !== 'AccountRoot' || !node.FinalFields) continue;
        const root = fromJson(node.FinalFields as never) as Entry;
        const seen = this.#seen.get(root.Account!) ?? [];
        seen.push({ ledger: ledgerIndex, root });
        this.#seen.set(root.Account!, seen);
      }
    }
  }

  /** As seen nearest to a ledger. */
  near(account: AccountId, ledger: number): Entry | undefined {
    let best: { ledger: number; root: Entry } | undefined;
    for (const one of this.#seen.get(account) ?? [])
      if (!best || Math.abs(one.ledger - ledger) < Math.abs(best.ledger - ledger)) best = one;
    return best?.root;
  }
}

/** Completes the state before a recorded offer or payment. */
export function completeMarkets(issuers: Issuers) {
  return (entries: Entry[], recorded: Recorded): void => {
    const created = createdKeys(recorded);
    const byKey = new Map(
      entries.flatMap((entry) => (created.has(entry.index) ? [] : [[entry.index, entry]])),
    );
    const add = (entry: Entry): void => {
      byKey.set(entry.index, entry);
    };
    addIssuers(byKey, add, recorded, issuers);
    addFunds(byKey, add, recorded);
    addPools(byKey, add, recorded);
    addBooks(byKey, add, recorded);
    entries.splice(0, entries.length, ...byKey.values());
  };
}

function assetsOf(entry: Entry): Asset[] {
  const amounts = [entry.TakerPays, entry.TakerGets, entry.LowLimit, entry.HighLimit];
  return amounts.flatMap((amount) => (amount ? [amount.asset] : []));
}

function addIssuers(
  byKey: Map<Hex, Entry>,
  add: (entry: Entry) => void,
  recorded: Recorded,
  issuers: Issuers,
): void {
  const created = createdKeys(recorded);
  const tx = fromJson(recorded.tx as never) as TransactionFields;
  const named = new Set<AccountId>();
  for (const entry of byKey.values()) for (const asset of assetsOf(entry)) named.add(issuerOf(asset));
  for (const amount of [tx.TakerPays, tx.TakerGets, tx.Amount, tx.SendMax])
    if (amount) named.add(amount.issuer);
  for (const step of tx.Paths?.flat() ?? [])
    for (const id of [step.account, step.issuer]) if (id) named.add(id);
  for (const id of named) {
    if (id === ACCOUNT_ZERO || created.has(keylets.account(id))) continue;
    const known = byKey.get(keylets.account(id));
    const seen = issuers.near(id, recorded.ledgerIndex);
    // An entry that the helper made up for want of knowledge.
    const madeUp = known?.Sequence === 1 && known.Balance?.drops === 1_000_000_000n;
    // Metadata of an account that was written as it was has no fields.
    if (known?.Account !== undefined && !madeUp) continue;
    const rate = seen?.TransferRate ?? rateOf(recorded, id);
    add({
      ...(known?.PreviousTxnID === undefined ? {} : known),
      ...accountRoot(id),
      Flags: seen?.Flags ?? 0x0080_0000,
      ...(seen?.TickSize === undefined ? {} : { TickSize: seen.TickSize }),
      ...(rate === undefined ? {} : { TransferRate: rate }),
      ...(seen?.AMMID === undefined ? {} : { AMMID: seen.AMMID }),
    });
  }
}

function nodesOf(recorded: Recorded): { kind: string; node: Json }[] {
  return (recorded.meta.AffectedNodes as Json[]).map((wrapped) => {
    const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
    return { kind, node };
  });
}

function createdKeys(recorded: Recorded): Set<Hex> {
  const created = nodesOf(recorded).filter(({ kind }) => kind === 'CreatedNode');
  return new Set(created.map(({ node }) => String(node.LedgerIndex)));
}

/** What an issuer takes of transfers, as the lines that moved show it: sent over received, in whole basis points. */
function rateOf(recorded: Recorded, issuer: AccountId): number | undefined {
  let [sent, received] = [0, 0];
  for (const { node } of nodesOf(recorded)) {
    if (node.LedgerEntryType !== 'RippleState') continue;
    const after = fromJson((node.FinalFields ?? node.NewFields ?? {}) as never);
    const before = fromJson((node.PreviousFields ?? {}) as never);
    if (!after.Balance || (node.FinalFields && !before.Balance)) continue;
    const [low, high] = [issuerOf(after.LowLimit!.asset), issuerOf(after.HighLimit!.asset)];
    if (low !== issuer && high !== issuer) continue;
    const value = (amount: Amount | undefined): number =>
      amount ? Number(amount.mantissa) * 10 ** amount.exponent : 0;
    const change = (value(after.Balance) - value(before.Balance)) * (low === issuer ? -1 : 1);
    if (change > 0) received += change;
    else sent -= change;
  }
  const rate = Math.round((sent / received) * 10_000) * 100_000;
  return received > 0 && rate > 1_000_000_000 && rate <= 2_000_000_000 ? rate : undefined;
}

/** An offer that was placed had funds: a line with them for its owner when none is shown. */
function addFunds(byKey: Map<Hex, Entry>, add: (entry: Entry) => void, recorded: Recorded): void {
  const tx = fromJson(recorded.tx as never) as TransactionFields;
  const gets = tx.TakerGets;
  if (!gets?.isIssued || gets.issuer === tx.Account) return;
  const index = keylets.line(tx.Account, gets.issuer, gets.asset.slice(0, 40));
  if (byKey.has(index) || recorded.meta.TransactionResult === 'tecUNFUNDED_OFFER') return;
  const low = tx.Account < gets.issuer;
  const zero = (account: AccountId): Amount => Amount.zero(gets.asset.slice(0, 40) + account);
  const held = Amount.issued(gets.asset, 10n ** 15n, 5);
  add({
    LedgerEntryType: 'RippleState',
    index,
    Flags: low ? 0x0001_0000 : 0x0002_0000,
    Balance: (low ? held : held.negate()).withAsset(gets.asset.slice(0, 40) + ACCOUNT_ONE),
    LowLimit: zero(low ? tx.Account : gets.issuer),
    HighLimit: zero(low ? gets.issuer : tx.Account),
  });
}

/** Balance of `account` in `asset` before and after, of a line or an account that was touched. */
function movesOf(recorded: Recorded, account: AccountId): Map<Asset, { before: Amount; after: Amount }> {
  const moves = new Map<Asset, { before: Amount; after: Amount }>();
  for (const wrapped of recorded.meta.AffectedNodes as Json[]) {
    const node = Object.values(wrapped)[0] as Json;
    if (!node.FinalFields) continue;
    const after = fromJson(node.FinalFields as never);
    const before = fromJson((node.PreviousFields ?? {}) as never);
    if (!before.Balance || !after.Balance) continue;
    if (node.LedgerEntryType === 'AccountRoot' && after.Account === account)
      moves.set(XRP, { before: before.Balance, after: after.Balance });
    if (node.LedgerEntryType !== 'RippleState') continue;
    const [low, high] = [issuerOf(after.LowLimit!.asset), issuerOf(after.HighLimit!.asset)];
    if (low !== account && high !== account) continue;
    const peer = low === account ? high : low;
    const asset = after.Balance.asset.slice(0, 40) + peer;
    const own = (amount: Amount): Amount => (low === account ? amount : amount.negate()).withAsset(asset);
    moves.set(asset, { before: own(before.Balance), after: own(after.Balance) });
  }
  return moves;
}

/** The trading fee whose swap is nearest to what the pool did. */
function feeOf(recorded: Recorded, moved: readonly { before: Amount; after: Amount }[]): number {
  const [a, b] = moved as [{ before: Amount; after: Amount }, { before: Amount; after: Amount }];
  const [paid, given] = a.after.compare(a.before) > 0 ? [a, b] : [b, a];
  const pool = { in: paid.before, out: given.before };
  const input = paid.after.sub(paid.before);
  const wanted = given.before.sub(given.after);
  let best = { fee: 0, distance: Number.POSITIVE_INFINITY };
  const rules = rulesAt(recorded.closeTime);
  const value = (amount: Amount): number => Number(amount.mantissa) * 10 ** amount.exponent;
  for (let fee = 0; fee <= 1000; fee += 1) {
    const distance = Math.abs(value(swapAssetIn(rules, pool, input, fee)) - value(wanted));
    if (distance < best.distance) best = { fee, distance };
  }
  return best.fee;
}

/** Set on the line between a pool's account and an issuer. */
const LSF_AMM_NODE = 0x0100_0000;

function poolAccounts(byKey: ReadonlyMap<Hex, Entry>): Set<AccountId> {
  const pools = new Set<AccountId>();
  for (const { AMMID, Account, LedgerEntryType, Flags, Balance, LowLimit, HighLimit } of byKey.values()) {
    if (AMMID !== undefined) pools.add(Account!);
    if (LedgerEntryType !== 'RippleState' || (Flags! & LSF_AMM_NODE) === 0) continue;
    pools.add(issuerOf((Balance!.mantissa > 0n ? LowLimit! : HighLimit!).asset));
  }
  return pools;
}

function addPools(byKey: Map<Hex, Entry>, add: (entry: Entry) => void, recorded: Recorded): void {
  for (const account of poolAccounts(byKey)) {
    const moves = movesOf(recorded, account);
    if (moves.size !== 2) continue;
    const [asset, asset2] = [...moves.keys()] as [Asset, Asset];
    const index = keylets.amm(asset, asset2);
    if (byKey.has(index)) continue;
    const root = byKey.get(keylets.account(account));
    if (root?.AMMID === undefined) add({ ...accountRoot(account), AMMID: index });
    add({
      LedgerEntryType: 'AMM',
      index,
      Account: account,
      Asset: asset,
      Asset2: asset2,
      Flags: 0,
      TradingFee: feeOf(recorded, [...moves.values()]),
      LPTokenBalance: Amount.issued(lpTokenAsset(asset, asset2, account), 1_000_000n, 0),
    });
  }
}

function accountRoot(Account: AccountId): Entry {
  return {
    LedgerEntryType: 'AccountRoot',
    index: keylets.account(Account),
    Account,
    Balance: Amount.drops(1_000_000_000n),
    Flags: 0,
    OwnerCount: 0,
    Sequence: 1,
  };
}

/** Book pages list the offers that were touched, and one that was not where the page outlived all of them. */
function addBooks(byKey: Map<Hex, Entry>, add: (entry: Entry) => void, recorded: Recorded): void {
  const kinds = new Map(nodesOf(recorded).map(({ kind, node }) => [String(node.LedgerIndex), kind]));
  const pages = new Map<Hex, Entry[]>();
  for (const entry of [...byKey.values()]) {
    if (entry.LedgerEntryType !== 'Offer') continue;
    const key = keylets.directoryPage(entry.BookDirectory!, entry.BookNode ?? 0n);
    pages.set(key, [...(pages.get(key) ?? []), entry]);
    if (!byKey.has(key)) add(bookPage(entry, key));
    listOwned(byKey, add, entry);
  }
  for (const page of [...byKey.values()]) {
    if (page.LedgerEntryType !== 'DirectoryNode' || page.TakerPaysCurrency === undefined) continue;
    // Whole offers go before the one that is left in part.
    const offers = (pages.get(page.index) ?? []).sort((a, b) => rank(kinds, a) - rank(kinds, b));
    page.Indexes = offers.map(({ index }) => index);
    const outlived =
      kinds.get(page.index) !== 'DeletedNode' && offers.every((offer) => rank(kinds, offer) === 0);
    if (!outlived) continue;
    const [pattern] = offers;
    const stranger = pattern && strangersOffer(pattern);
    for (const entry of stranger ?? []) if (!byKey.has(entry.index)) add(entry);
    page.Indexes = [...page.Indexes, stranger ? stranger[0]!.index : 'E'.repeat(64)];
  }
}

const rank = (kinds: ReadonlyMap<Hex, string>, offer: Entry): number =>
  kinds.get(offer.index) === 'DeletedNode' ? 0 : 1;

function listOwned(byKey: Map<Hex, Entry>, add: (entry: Entry) => void, offer: Entry): void {
  const root = keylets.ownerDirectory(offer.Account!);
  const index = keylets.directoryPage(root, offer.OwnerNode ?? 0n);
  const page = byKey.get(index);
  if (page?.Indexes?.includes(offer.index)) return;
  if (page) page.Indexes = [...(page.Indexes ?? []), offer.index];
  else {
    const Indexes = [offer.index, 'F'.repeat(64)];
    add({
      LedgerEntryType: 'DirectoryNode',
      index,
      Flags: 0,
      RootIndex: root,
      Owner: offer.Account!,
      Indexes,
    });
  }
}

/** Somebody's funded offer like this one, and its owner's entry. */
function strangersOffer(like: Entry): [Entry, Entry] {
  const Account = like.TakerGets!.isNative ? '7'.repeat(40) : like.TakerGets!.issuer;
  const offer: Entry = { ...like, index: `D${like.index.slice(1)}`, Account, Sequence: 1 };
  const root = { ...accountRoot(Account), Balance: Amount.drops(10n ** 15n), OwnerCount: 1 };
  return [offer, root];
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

/** Mainnet's records with a close time each: one that is not recorded is estimated from the ledger's index. */
export function timed(recorded: readonly Recorded[]): Recorded[] {
  const known = recorded
    .filter(({ closeTime, network }) => closeTime > 0 && network === 'mainnet')
    .sort((a, b) => a.ledgerIndex - b.ledgerIndex);
  const SECONDS_A_LEDGER = 3.9;
  return recorded.map((one) => {
    if (one.closeTime > 0 || one.network !== 'mainnet') return one;
    const { Expiration: expiration } = one.tx;
    const latest = typeof expiration === 'number' ? expiration - 1 : Number.POSITIVE_INFINITY;
    let near = known[0]!;
    for (const other of known)
      if (Math.abs(other.ledgerIndex - one.ledgerIndex) < Math.abs(near.ledgerIndex - one.ledgerIndex))
        near = other;
    const closeTime = Math.round(near.closeTime + (one.ledgerIndex - near.ledgerIndex) * SECONDS_A_LEDGER);
    const expired = one.meta.TransactionResult === 'tecEXPIRED';
    return { ...one, closeTime: expired ? closeTime : Math.min(closeTime, latest) };
  });
}
