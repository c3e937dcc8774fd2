/**
 * NFTs: who owns each, the open offers for them, and everything that happened to them, from ledgers alone.
 *
 *     NFTokenPage nodes  -> NFTs that left a page, NFTs that came to one -> owners, minted, burned, moved, URIs
 *     NFTokenOffer nodes -> open offers; offers that ended              -> listed, bid, sold, cancelled
 *     both, with the transaction                                        -> events (event-record.ts) -> batch
 *
 * An account's NFTs are on pages of up to 32, which the network splits and merges: a node shows a whole page before and after.
 * So what happened follows from all pages that a transaction changed: an NFT that came to a page without leaving one was minted,
 * one that left without coming was burned, one that did both under different owners was sold or given away, and the rest only
 * moved between pages of their owner. An offer that a successful NFTokenAcceptOffer deletes was taken.
 *
 * Goals: the same owners, URIs and offers as the node's, after each ledger, from a snapshot or from ledgers alone; exact prices,
 * royalties and fees; sales and volume of collections. Non-goals: their other figures, metadata (what a URI names). Of ledgers without a snapshot only NFTs on
 * pages that were changed are known. Stores of earlier versions are filled from the ledgers they hold.
 *
 * Cost: some 100 ns for each NFT of a page that is seen first; of its later changes those NFTs only that came, left or changed,
 * which the change set names (codec/nft-page.ts); nothing for other transactions but a look at the type of each node.
 */
import { isZero } from '../codec/amount.ts';
import { lengthPrefixBytes, readLengthPrefix, readU32 } from '../codec/bytes.ts';
import {
  Changes,
  EntryType,
  isSent,
  NftOfferNode,
  NODE_WORDS,
  Node,
  NodeAction,
  Tx,
} from '../codec/changes.ts';
import { extractChanges } from '../codec/extract.ts';
import { HASH_BYTES } from '../codec/hash.ts';
import { NftIdAt } from '../codec/nft-id.ts';
import { sameUri } from '../codec/nft-page.ts';
import { PackedLedger } from '../codec/packed.ts';
import { Digest } from '../digest.ts';
import { columnBytes, type Domain } from '../domain.ts';
import type { RowSteps } from '../event-loop.ts';
import type { State } from '../state/state.ts';
import { persistTables } from '../state/stored-tables.ts';
import type { Table } from '../state/table.ts';
import type { Batch, StoreReads } from '../store.ts';
import { Assets } from './assets.ts';
import { ChangedTokens } from './changed-tokens.ts';
import { CollectionHistory } from './collection-history.ts';
import { Collections } from './collections.ts';
import { EventChains } from './event-chains.ts';
import {
  type NftAmount,
  NftEventBuffer,
  type NftEventOrigin,
  NftEventReader,
  NftEventType,
} from './event-record.ts';
import { NFT_LIMITS, type NftLimits } from './limits.ts';
import { NftMarket } from './market.ts';
import { memoPlatform } from './marketplaces.ts';
import { NftMoves } from './moves.ts';
import { NftTable } from './nft-table.ts';
import { NftOffers } from './offers.ts';
import { Parties } from './parties.ts';
import { PendingNftEvents } from './pending-events.ts';
import { ReadAhead } from './read-ahead.ts';
import { brokerFeeOf, royaltyOf } from './sale-parts.ts';
import { eachStoredNftEvent } from './stored-events.ts';
import { NftUris } from './uris.ts';

/** TransactionType code of NFTokenAcceptOffer. */
const ACCEPT_OFFER = 29;
const TES_SUCCESS = 0;
/** Flag of an NFT whose URI can be changed (tfMutable), in the lower byte of its flags. */
const MUTABLE = 0x10;

/** An offer that a transaction made or deleted. */
interface ChangedOffer {
  readonly nft: number;
  readonly owner: number;
  readonly isSell: boolean;
  readonly price: NftAmount;
  readonly destination: number;
  readonly expiration: number;
}

export class Nfts implements Domain<'nfts', NftEventBuffer> {
  readonly name = 'nfts';
  /** Of the last ledger. */
  readonly events = new NftEventBuffer();
  readonly pending: PendingNftEvents;
  readonly parties: Parties;
  readonly collections: Collections;
  readonly assets: Assets;
  readonly nfts: NftTable;
  readonly offers: NftOffers;
  readonly history: CollectionHistory;
  readonly market: NftMarket;
  readonly tables: readonly Table[];
  readonly uris: NftUris;
  readonly #reader = new NftEventReader();
  /** What follows from events was counted for a store of an earlier version. */
  #isCounted = false;
  readonly #tokens = new ChangedTokens();
  readonly #ahead = new ReadAhead();
  /** Of one transaction. */
  readonly #came = new NftMoves();
  readonly #left = new NftMoves();
  /** The ledger's bytes, for texts. */
  #buffer: Buffer = Buffer.alloc(0);
  readonly #made: ChangedOffer[] = [];
  readonly #ended: ChangedOffer[] = [];
  readonly #origin: { -readonly [K in keyof NftEventOrigin]: NftEventOrigin[K] } = {
    ledger: 0,
    closeTime: 0,
    tx: -1,
    hashes: new Uint32Array(0),
    hashAt: 0,
    txType: 0,
    sourceTag: undefined,
    memoPlatform: 0,
  };

  constructor(state: Pick<State, 'texts'>, limits: NftLimits = NFT_LIMITS) {
    this.uris = new NftUris(state.texts);
    this.parties = new Parties(limits.parties);
    this.collections = new Collections(limits.collections);
    this.assets = new Assets(limits.assets);
    this.nfts = new NftTable(limits.nfts, this.collections, this.parties);
    this.offers = new NftOffers(limits.offers, this);
    this.history = new CollectionHistory(this, limits);
    this.market = new NftMarket(this, limits);
    this.pending = new PendingNftEvents(new EventChains(this));
    const { parties, collections, assets, nfts, offers, market, history } = this;
    const entries = [parties, collections, assets, nfts, offers].map(({ table }) => table);
    this.tables = [...entries, ...history.tables, ...market.tables];
    parties.table.onNew((store) => this.#fill(store));
    // The others are filled with it.
    for (const table of entries) if (table !== parties.table) table.onNew(() => undefined);
    history.hours.table.onNew((store) => this.#beginHistory(store));
    for (const table of market.tables) table.onNew((store) => this.#countAgain(store));
    const counted = [
      { of: nfts, columns: ['sold', 'cost'] },
      { of: collections, columns: ['sold', 'royalties', 'origin'] },
      { of: parties, columns: ['bought', 'flips'] },
    ];
    for (const { of, columns } of counted)
      for (const column of columns) of.table.onAdded(column, (store) => this.#countAgain(store));
  }

  get memoryBytes(): number {
    return columnBytes(this.tables);
  }

  /** The URI of an NFT, its bytes as Latin-1 characters; undefined: it has none. */
  uri(nft: number): string | undefined {
    return this.uris.get(nft);
  }

  applyLedger(packed: PackedLedger, changes: Changes, batch: Batch): void {
    this.#apply(packed, changes);
    this.pending.add(packed.ledgerIndex, this.events, batch);
  }

  applyEntries(page: Uint8Array, changes: Changes): void {
    this.#buffer = bufferOf(page);
    for (let node = 0; node < changes.nodes; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      this.#applyNode(page, changes.words, at, 0, false);
    }
  }

  /** Offers that were open before may be closed by now. */
  gap(): void {
    this.offers.clear();
    this.#tokens.clear();
  }

  durable(ledgerIndex: number): void {
    this.pending.durable(ledgerIndex);
  }

  persist(batch: Batch, openedAt: number): void {
    persistTables(batch, this.tables, openedAt);
    this.uris.drain(batch);
  }

  restoring(): RowSteps {
    this.uris.restored(this.nfts.count);
    return this.rebuilding();
  }

  *rebuilding(): RowSteps {
    yield* this.parties.rebuilding();
    yield* this.collections.rebuilding();
    yield* this.assets.rebuilding();
    yield* this.nfts.rebuilding();
    yield* this.offers.rebuilding();
    yield* this.history.rebuilding();
    yield* this.market.rebuilding();
    this.pending.clear();
    this.#tokens.clear();
  }

  digest(): string {
    const digest = new Digest();
    for (const table of this.tables) digest.table(table);
    return digest.text;
  }

  /** For a store of a version without NFTs: from the ledgers that it holds, oldest first. */
  #fill(store: Pick<StoreReads, 'ledger' | 'ledgerRanges'>): void {
    for (const [first, last] of store.ledgerRanges()) {
      this.#tokens.clear();
      for (let index = first; index <= last; index++) {
        const packed = new PackedLedger(store.ledger(index)!);
        // The hashes of the transactions, which cost most, are not needed: events of these ledgers are not kept.
        this.#apply(packed, new Changes(extractChanges(packed, new Uint8Array(packed.count * HASH_BYTES))));
      }
    }
    this.events.count = 0;
    this.#isCounted = true;
  }

  /** For a store of a version without the past of collections: it begins with the newest ledger. */
  #beginHistory(store: Pick<StoreReads, 'ledger' | 'ledgerRanges'>): void {
    const newest = store.ledgerRanges().at(-1)?.[1];
    const bytes = newest === undefined ? undefined : store.ledger(newest);
    if (bytes) this.history.begin(new PackedLedger(bytes).closeTime);
  }

  /** For a store of a version that did not count events: from those that it holds, once. */
  #countAgain(store: Pick<StoreReads, 'records'>): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.market.clear();
    eachStoredNftEvent(store, {}, (event) => {
      this.market.add(event);
      return true;
    });
  }

  #apply(packed: PackedLedger, changes: Changes): void {
    const { bytes, closeTime, ledgerIndex } = packed;
    const { words } = changes;
    this.history.begin(closeTime);
    this.events.begin();
    this.#ahead.ledger(bytes, changes);
    this.#buffer = bufferOf(bytes);
    const origin = this.#origin;
    origin.ledger = ledgerIndex;
    origin.closeTime = closeTime;
    origin.tx = -1;
    origin.hashes = words;
    for (let node = 0; node < changes.nodes; node++) {
      const at = changes.nodeBase + node * NODE_WORDS;
      const type = words[at + Node.entryType]!;
      if (type !== EntryType.NFTokenPage && type !== EntryType.NFTokenOffer) continue;
      const tx = words[at + Node.tx]!;
      if (tx !== origin.tx) {
        if (origin.tx >= 0) this.#transactionEnds(packed, changes);
        this.#transactionBegins(packed, changes, tx);
      }
      this.#applyNode(bytes, words, at, closeTime, true);
    }
    if (origin.tx >= 0) this.#transactionEnds(packed, changes);
    const event = this.#reader.load(this.events.bytes);
    for (let i = 0; i < this.events.count; i++) this.market.add(event.at(i));
  }

  #transactionBegins(packed: PackedLedger, changes: Changes, tx: number): void {
    const origin = this.#origin;
    const tagAt = changes.tx(tx, Tx.sourceTagAt);
    origin.tx = tx;
    origin.hashAt = changes.hashBase + tx * (HASH_BYTES / 4);
    origin.txType = changes.tx(tx, Tx.type);
    origin.sourceTag = tagAt === 0 ? undefined : readU32(packed.bytes, tagAt);
    origin.memoPlatform = memoPlatform(packed, changes, tx, origin.sourceTag);
  }

  /** @param isLedger false: an entry of a snapshot */
  #applyNode(bytes: Uint8Array, words: Uint32Array, at: number, closeTime: number, isLedger: boolean): void {
    const type = words[at + Node.entryType]!;
    if (type === EntryType.NFTokenPage) this.#applyPage(bytes, words, at, isLedger);
    else if (type === EntryType.NFTokenOffer) this.#applyOffer(bytes, words, at, closeTime, isLedger);
  }

  #applyPage(bytes: Uint8Array, words: Uint32Array, at: number, isLedger: boolean): void {
    const changed = this.#tokens.read(bytes, words, at, isLedger);
    if (!changed) return;
    const owner = this.parties.intern(bytes, words[at + Node.indexAt]!);
    const { before, after } = changed;
    let place = 0;
    for (let i = 0; i < after.count; i++) {
      const idAt = after.ids[i]!;
      const nft = this.nfts.intern(bytes, idAt);
      const was = before.indexOf(bytes, idAt, place);
      if (was >= 0) place = was + 1;
      else if (isLedger) this.#came.add(nft, owner, idAt);
      this.#setUri(bytes, nft, idAt, after.uris[i]!, was < 0 ? -1 : before.uris[was]!);
      this.nfts.setOwner(nft, owner);
      if (was >= 0 && !sameUri(bytes, after.uris[i]!, before.uris[was]!)) this.#modified(nft, owner);
    }
    place = 0;
    for (let i = 0; i < before.count; i++) {
      const idAt = before.ids[i]!;
      const is = after.indexOf(bytes, idAt, place);
      if (is < 0) this.#left.add(this.nfts.intern(bytes, idAt), owner, idAt);
      else place = is + 1;
    }
  }

  /** The bytes of a blob at its length prefix, as Latin-1 characters; '' for 0. */
  #blobText(bytes: Uint8Array, at: number): string {
    if (at === 0) return '';
    const length = readLengthPrefix(bytes, at, bytes.length);
    const start = at + lengthPrefixBytes(bytes[at]!);
    return this.#buffer.toString('latin1', start, start + length);
  }

  /** @param before the URI it had on this page, at its length prefix; 0: none, -1: it was not on the page */
  #setUri(bytes: Uint8Array, nft: number, idAt: number, at: number, before: number): void {
    const isKnown = this.nfts.owner[nft] !== 0;
    const isModified = before >= 0 && !sameUri(bytes, at, before);
    // One that can be modified may have been in ledgers that are missing.
    const isMutable = (bytes[idAt + NftIdAt.flags + 1]! & MUTABLE) !== 0;
    if (isKnown && !isModified && !isMutable) return;
    const uri = this.#blobText(bytes, at);
    if (!isKnown || isModified || uri !== (this.uri(nft) ?? '')) this.uris.set(nft, uri);
  }

  #modified(nft: number, owner: number): void {
    this.nfts.modified[nft] = this.#origin.closeTime;
    this.nfts.table.markDirty(nft);
    this.#happened(NftEventType.modify, nft, owner, owner);
  }

  #applyOffer(bytes: Uint8Array, words: Uint32Array, at: number, closeTime: number, isLedger: boolean): void {
    const indexAt = words[at + Node.indexAt]!;
    const action = words[at + Node.action]!;
    // Offers are never changed: one that is known is taken as it is.
    const known = action === NodeAction.deleted ? this.offers.find(bytes, indexAt) : 0;
    if (known !== 0) this.#endOffer(known);
    // A node without fields was only threaded.
    if (known !== 0 || words[at + NftOfferNode.nftIdAt] === 0) return;
    const isNew = action === NodeAction.created && isLedger;
    const row = this.offers.put(bytes, words, at, isNew ? closeTime : 0);
    if (action === NodeAction.deleted) this.#endOffer(row);
    // An NFT that its mint offers, too, was minted before.
    else if (isNew) this.#made.push(this.#offer(row));
  }

  #endOffer(row: number): void {
    this.#ended.push(this.#offer(row));
    this.offers.remove(row);
  }

  #offer(row: number): ChangedOffer {
    const { offers } = this;
    return {
      nft: offers.nft[row]!,
      owner: offers.owner[row]!,
      isSell: offers.isSell(row),
      price: { asset: offers.asset[row]!, hi: offers.hi[row]!, lo: offers.lo[row]! },
      destination: offers.destination[row]!,
      expiration: offers.expiration[row]!,
    };
  }

  #offerEvent({ nft, owner, isSell, price, destination, expiration }: ChangedOffer, isNew: boolean): void {
    const ofSell = isNew ? NftEventType.list : NftEventType.delist;
    const ofBuy = isNew ? NftEventType.bid : NftEventType.cancel;
    const type = isSell ? ofSell : ofBuy;
    this.events.add(this.#origin, {
      type,
      nft,
      collection: this.nfts.collection[nft]!,
      from: owner,
      to: 0,
      price,
      destination,
      expiration,
    });
  }

  /** What the pages and offers of a transaction mean together. */
  #transactionEnds(packed: PackedLedger, changes: Changes): void {
    const { tx, txType, closeTime } = this.#origin;
    const isAccepted =
      txType === ACCEPT_OFFER && isSent(changes, tx) && changes.tx(tx, Tx.result) === TES_SUCCESS;
    const [came, left] = [this.#came, this.#left];
    for (let i = 0; i < came.count; i++) {
      const [nft, owner] = [came.nfts[i]!, came.owners[i]!];
      const from = left.find(nft);
      if (from < 0) this.#minted(nft, owner, closeTime);
      else if (left.owners[from] !== owner)
        this.#changedHands(packed, changes, nft, left.owners[from]!, owner, came.idsAt[i]!);
    }
    for (let i = 0; i < left.count; i++)
      if (came.find(left.nfts[i]!) < 0) this.#burned(left.nfts[i]!, left.owners[i]!, closeTime);
    for (const offer of this.#made) this.#offerEvent(offer, true);
    if (!isAccepted) for (const offer of this.#ended) this.#offerEvent(offer, false);
    came.count = 0;
    left.count = 0;
    if (this.#made.length > 0) this.#made.length = 0;
    if (this.#ended.length > 0) this.#ended.length = 0;
  }

  #burned(nft: number, owner: number, closeTime: number): void {
    const { nfts, collections } = this;
    const collection = nfts.collection[nft]!;
    nfts.burned[nft] = closeTime;
    nfts.setOwner(nft, 0);
    nfts.table.markDirty(nft);
    collections.burned[collection]!++;
    collections.table.markDirty(collection);
    this.#happened(NftEventType.burn, nft, owner, 0);
  }

  #minted(nft: number, owner: number, closeTime: number): void {
    const { nfts, collections } = this;
    const collection = nfts.collection[nft]!;
    nfts.minted[nft] = closeTime;
    // Of an NFT of the same id, which was burned.
    nfts.modified[nft] = 0;
    nfts.table.markDirty(nft);
    collections.minted[collection]!++;
    collections.created[collection] ||= closeTime;
    collections.table.markDirty(collection);
    this.#happened(NftEventType.mint, nft, 0, owner);
  }

  #changedHands(
    packed: PackedLedger,
    changes: Changes,
    nft: number,
    from: number,
    to: number,
    idAt: number,
  ): void {
    const { tx } = this.#origin;
    const buy = this.#ended.find((offer) => offer.nft === nft && !offer.isSell);
    const sell = this.#ended.find((offer) => offer.nft === nft && offer.isSell);
    const price = (buy ?? sell)?.price;
    if (price === undefined || isNothing(price, this.assets)) {
      this.#happened(NftEventType.transfer, nft, from, to, price);
      return;
    }
    const isBrokered = buy !== undefined && sell !== undefined;
    const brokerFee = isBrokered ? brokerFeeOf(packed, changes, tx, price.asset) : undefined;
    const issuerAt = idAt + NftIdAt.issuer;
    const issuer = this.parties.intern(packed.bytes, issuerAt);
    const sale = {
      price,
      kind: this.assets.kind(price.asset),
      brokerFee,
      transferFee: this.nfts.transferFee[nft]!,
      issuerAt,
    };
    this.events.add(this.#origin, {
      type: NftEventType.sale,
      nft,
      collection: this.nfts.collection[nft]!,
      from,
      to,
      price,
      broker: isBrokered ? this.parties.intern(packed.bytes, changes.tx(tx, Tx.accountAt)) : 0,
      brokerFee,
      royalty: issuer === from || issuer === to ? undefined : royaltyOf(packed, changes, tx, sale),
    });
  }

  #happened(type: NftEventType, nft: number, from: number, to: number, price?: NftAmount): void {
    this.events.add(this.#origin, {
      type,
      nft,
      collection: this.nfts.collection[nft]!,
      from,
      to,
      price,
    });
  }
}

/** The same bytes. */
const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length);

/** A price of zero. */
function isNothing({ asset, hi, lo }: NftAmount, assets: Assets): boolean {
  return isZero(assets.kind(asset), hi, lo);
}
