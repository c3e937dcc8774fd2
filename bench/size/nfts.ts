/**
 * NFTs of the main network's size, put into the tables of an engine: collections whose sizes fall off as those of a real
 * market do, owners with some 20 NFTs each, URIs, sales, and offers to sell and to buy for XRP.
 */
import { hexOf } from '../../engine/codec/bytes.ts';
import { NftOfferNode, NODE_WORDS, Node } from '../../engine/codec/changes.ts';
import { NftIdAt, scrambleTaxon } from '../../engine/codec/nft-id.ts';
import type { Engine } from '../../engine/engine.ts';

export interface NftPlan {
  readonly nfts: number;
  readonly offers: number;
  readonly collections: number;
}

const NFTS_OF_AN_OWNER = 20;
/** tfTransferable */
const FLAGS = 8;
const TRANSFER_FEE = 5000;
/** lsfSellNFToken */
const SELL = 1;
/** Of an amount in XRP. */
const POSITIVE = 0x40000000;
const DAY = 86_400;

/** Fills the tables in steps, so that whoever calls can make them durable between two. @param now close time */
export function* fillingNfts({ nfts: domain }: Engine, plan: NftPlan, now: number): Generator<void> {
  const { nfts, parties } = domain;
  const owners = Math.max(1, Math.floor(plan.nfts / NFTS_OF_AN_OWNER));
  const offer = new OfferBytes();
  const id = new Uint8Array(32);
  const view = new DataView(id.buffer);
  let done = 0;
  for (let collection = 0; done < plan.nfts; collection = (collection + 1) % plan.collections) {
    // The first ones get the most: the last, a hundredth of it.
    const share = 1 + Math.floor(plan.nfts / plan.collections / (1 + collection / 500));
    for (let i = 0; i < share && done < plan.nfts; i++, done++) {
      view.setUint16(NftIdAt.flags, FLAGS);
      view.setUint16(NftIdAt.transferFee, TRANSFER_FEE);
      id.set(accountOf(collection >> 1, 1), NftIdAt.issuer);
      view.setUint32(NftIdAt.taxon, scrambleTaxon(collection & 1, done));
      view.setUint32(NftIdAt.sequence, done);
      const row = nfts.intern(id, 0);
      const owner = accountOf(Math.floor((done * 0x9e3779b1) % owners), 2);
      const party = parties.intern(owner, 0);
      nfts.setOwner(row, party);
      nfts.minted[row] = now - (done % (300 * DAY));
      domain.uris.set(row, `ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/${done}.json`);
      if (done % 3 === 0) {
        const drops = 1_000_000 + ((done * 7919) % 900_000_000);
        nfts.addSale(row, drops, now - (done % (90 * DAY)));
        const sale = { volume: drops, royalty: drops / 20, fee: 0 };
        domain.collections.addSale(nfts.collection[row]!, sale, now - (done % (90 * DAY)));
      }
      const before = Math.floor((done * plan.offers) / plan.nfts);
      if (Math.floor(((done + 1) * plan.offers) / plan.nfts) > before)
        offer.put(
          domain.offers,
          before,
          id,
          before % 4 === 3 ? accountOf(before % owners, 2) : owner,
          before % 4 < 3,
          now,
        );
      if (done % 50_000 === 49_999) yield;
    }
  }
}

/** The id of an NFT as clients send it. */
export const nftIdText = (engine: Engine, row: number): string => hexOf(engine.nfts.nfts.id(row));

const account = new Uint8Array(20);
const accountView = new DataView(account.buffer);

/** The same bytes at each call. */
function accountOf(number: number, kind: number): Uint8Array {
  accountView.setUint32(0, Math.imul(number, 0x85ebca6b) >>> 0);
  accountView.setUint32(4, number);
  accountView.setUint32(8, kind);
  return account;
}

/** A created NFTokenOffer entry, as a ledger's change set has it. */
class OfferBytes {
  readonly #bytes = new Uint8Array(128);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #words = new Uint32Array(NODE_WORDS);

  constructor() {
    const at = { index: 1, nft: 33, owner: 65, amount: 85, flags: 93 };
    this.#words[Node.indexAt] = at.index;
    this.#words[NftOfferNode.nftIdAt] = at.nft;
    this.#words[NftOfferNode.ownerAt] = at.owner;
    this.#words[NftOfferNode.amountAt] = at.amount;
    this.#words[NftOfferNode.flagsAt] = at.flags;
  }

  put(
    offers: Engine['nfts']['offers'],
    n: number,
    id: Uint8Array,
    owner: Uint8Array,
    isSell: boolean,
    now: number,
  ): void {
    this.#view.setUint32(1, Math.imul(n + 1, 0x9e3779b1) >>> 0);
    this.#view.setUint32(5, n);
    this.#bytes.set(id, 33);
    this.#bytes.set(owner, 65);
    this.#view.setUint32(85, POSITIVE);
    this.#view.setUint32(89, 1_000_000 + ((n * 104_729) % 2_000_000_000));
    this.#view.setUint32(93, isSell ? SELL : 0);
    offers.put(this.#bytes, this.#words, 0, now - (n % (30 * DAY)));
  }
}
