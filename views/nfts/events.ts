/** Events of NFTs as clients read them, and pages of them. */
import { accountText } from '../../engine/codec/base58.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { platformByNumber } from '../../engine/market/platforms.ts';
import { NftEventHistory, type NftPlace, type NftScope } from '../../engine/nfts/event-history.ts';
import { NftEventReader, NftEventType } from '../../engine/nfts/event-record.ts';
import { marketplaceOf } from '../../engine/nfts/marketplaces.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { costObject, xrpNumber } from './amounts.ts';
import { collectionId } from './collection-ids.ts';

/** Events that a page looks at: a filter that matches little ends it, and the marker goes on. */
const VISITS_MAX = 4000;
/** Events looked at before other work may run: about 5 ms. */
const VISITS_A_SLICE = 400;
/** Events that are looked at for a page by its place that is not full, as many as for charts of a collection (collection-sales.ts). */
const WINDOW_VISITS_MAX = 50_000;
/** TransactionType code of NFTokenAcceptOffer. */
const ACCEPT_OFFER = 29;

/** What clients ask for, and read as `type`. */
export const NFT_EVENT_NAMES = {
  MINT: NftEventType.mint,
  BURN: NftEventType.burn,
  TRANSFER: NftEventType.transfer,
  SALE: NftEventType.sale,
  CREATE_SELL_OFFER: NftEventType.list,
  CANCEL_SELL_OFFER: NftEventType.delist,
  CREATE_BUY_OFFER: NftEventType.bid,
  CANCEL_BUY_OFFER: NftEventType.cancel,
  MODIFY: NftEventType.modify,
} as const;

const NAME_OF = new Map(Object.entries(NFT_EVENT_NAMES).map(([name, type]) => [type as NftEventType, name]));

export interface NftEventQuery {
  readonly scope: NftScope;
  readonly limit: number;
  /** Names, and ACCEPT_OFFER: what changed hands by an offer. undefined: all. */
  readonly types?: ReadonlySet<string> | undefined;
  readonly from?: NftPlace | undefined;
  /** Only those for which it is true. */
  readonly keep?: ((event: NftEventReader) => boolean) | undefined;
}

export interface NftWindowQuery extends Omit<NftEventQuery, 'from'> {
  /** Matching ones before the page. */
  readonly skip: number;
  /** Neither an event for which it is true nor an older one is wanted. */
  readonly isTooOld?: ((event: NftEventReader) => boolean) | undefined;
}

export class NftEvents {
  readonly #engine: Engine;
  readonly #history: NftEventHistory;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#history = new NftEventHistory(engine.store, engine.nfts.pending);
  }

  /** The newest first. @returns `next` to go on from */
  page({ scope, limit, types, from, keep }: NftEventQuery) {
    const rows: ReturnType<NftEvents['row']>[] = [];
    const next = this.#history.visit(scope, from, VISITS_MAX, (event) => {
      if (!isWanted(event, types) || keep?.(event) === false) return true;
      if (rows.length === limit) return false;
      rows.push(this.row(event));
      return true;
    });
    return { rows, next };
  }

  /**
   * A page by its place, and how many match in all: of the newest VISITS_MAX events, and of older ones until the page is full.
   * @returns `isPart`: there are older ones, too, which are not counted
   */
  async window({ scope, types, limit, skip, keep, isTooOld }: NftWindowQuery) {
    const rows: ReturnType<NftEvents['row']>[] = [];
    let total = 0;
    let next: NftPlace | undefined;
    let isOver = false;
    const visit = (event: NftEventReader): boolean => {
      isOver = isTooOld?.(event) === true;
      if (isOver) return false;
      if (!isWanted(event, types) || keep?.(event) === false) return true;
      if (total >= skip && rows.length < limit) rows.push(this.row(event));
      total++;
      return true;
    };
    for (let looked = 0; looked < (rows.length < limit ? WINDOW_VISITS_MAX : VISITS_MAX); ) {
      if (looked > 0) await yieldToLoop();
      next = this.#history.visit(scope, next, VISITS_A_SLICE, visit);
      looked += VISITS_A_SLICE;
      if (!next || isOver) break;
    }
    return { rows, total, isPart: next !== undefined && !isOver };
  }

  /** What a transaction did to NFTs. */
  ofTransaction(ledger: number, tx: number) {
    const reader = new NftEventReader();
    return this.#history.ofTransaction(ledger, tx).map((bytes) => this.row(reader.load(bytes)));
  }

  row(event: NftEventReader) {
    const { parties, nfts, assets, collections } = this.#engine.nfts;
    const address = (party: number) => accountText(parties.key(party));
    const { type, from, to, broker, price, sourceTag, destination, expiration } = event;
    const isSale = type === NftEventType.sale || type === NftEventType.transfer;
    const xrp = xrpNumber(assets, price);
    const fee = xrpNumber(assets, event.brokerFee);
    const royalty = xrpNumber(assets, event.royalty);
    const origin = platformByNumber(marketplaceOf(event, parties))?.name;
    return {
      _id: `${event.ledger}_${event.tx}_${event.number}`,
      type: NAME_OF.get(type)!,
      NFTokenID: nfts.idText(event.nft),
      cid: collectionId(collections, event.collection),
      account: address(from === 0 ? to : from),
      ...(isSale && { seller: address(from), buyer: address(to) }),
      ...(xrp !== undefined && { costXRP: xrp, amountXRP: xrp }),
      ...(price && { cost: costObject(assets, price) }),
      ...(fee !== undefined && { brokerFeeXRP: fee }),
      ...(royalty !== undefined && { royaltyAmountXRP: royalty }),
      ...(broker !== 0 && { broker: address(broker) }),
      ...(destination !== 0 && { destination: address(destination) }),
      ...(expiration !== 0 && { expiration }),
      ...(sourceTag !== undefined && { SourceTag: sourceTag }),
      ...(origin !== undefined && { origin }),
      time: unixMs(event.closeTime),
      ledger_index: event.ledger,
      hash: hexOf(event.hash),
    };
  }
}

/** @param party 0: an account that has nothing to do with NFTs */
export const isPartyOf = ({ from, to, broker }: NftEventReader, party: number): boolean =>
  party !== 0 && (from === party || to === party || broker === party);

function isWanted(event: NftEventReader, types: ReadonlySet<string> | undefined): boolean {
  if (!types) return true;
  return (
    types.has(NAME_OF.get(event.type)!) ||
    (event.txType === ACCEPT_OFFER && types.has('ACCEPT_OFFER') && event.to !== 0)
  );
}
