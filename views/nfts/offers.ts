/**
 * Open offers for an NFT: those to sell, the cheapest first, and those to buy, the highest first; expired ones, which nobody
 * can take, are left out. Offers in XRP come before those in other assets, which have no order among each other but their value.
 *
 *     orphaned  its maker does not own the NFT that it sells (the offer stays on the ledger, and cannot be taken)
 *     funded    the maker owns what it sells, or has the XRP or tokens that it offers
 *     fraud     its maker, the only account that may take it, or the issuer of the NFT is on the blocklist
 */
import { compareDecimal } from '../../engine/codec/amount.ts';
import { accountText } from '../../engine/codec/base58.ts';
import type { Engine } from '../../engine/engine.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { fundsOf } from '../orderbook.ts';
import type { ScamViews } from '../scams.ts';
import { exact, ledgerAmount, tokenOf } from './amounts.ts';

/** Offers of an NFT that are read at most. */
const OFFERS_MAX = 5000;

export class NftOfferViews {
  readonly #engine: Engine;
  readonly #scams: Pick<ScamViews, 'categoryOf'>;

  constructor(engine: Engine, scams: Pick<ScamViews, 'categoryOf'>) {
    this.#engine = engine;
    this.#scams = scams;
  }

  /** Rows of the open offers of one side, best first. */
  open(nft: number, isSell: boolean): readonly number[] {
    const { offers, assets } = this.#engine.nfts;
    const now = this.#engine.head?.closeTime ?? 0;
    const found: number[] = [];
    offers.ofNft(nft, (row) => {
      const expires = offers.expiration[row]!;
      if (offers.isSell(row) === isSell && (expires === 0 || expires > now)) found.push(row);
      return found.length < OFFERS_MAX;
    });
    const price = (row: number) => exact(assets, this.#amount(row));
    const direction = isSell ? 1 : -1;
    return found.sort(
      (a, b) =>
        Math.min(1, offers.asset[a]!) - Math.min(1, offers.asset[b]!) ||
        direction * compareDecimal(price(a), price(b)) ||
        a - b,
    );
  }

  /** The cheapest listing that anyone can take, in XRP; of equal ones that whose row comes first. undefined: there is none. */
  listing(nft: number): number | undefined {
    const { offers } = this.#engine.nfts;
    let best: number | undefined;
    let looked = 0;
    offers.ofNft(nft, (row) => {
      if (
        offers.asset[row] === 0 &&
        this.isListing(row) &&
        (best === undefined || this.#isCheaper(row, best))
      )
        best = row;
      return ++looked < OFFERS_MAX;
    });
    return best;
  }

  /** Close time of the newest listing, in any asset, that anyone can take; 0: there is none whose making was seen. */
  listedAt(nft: number): number {
    const { offers } = this.#engine.nfts;
    let newest = 0;
    let looked = 0;
    offers.ofNft(nft, (row) => {
      if (this.isListing(row)) newest = Math.max(newest, offers.created[row]!);
      return ++looked < OFFERS_MAX;
    });
    return newest;
  }

  /** Whether it is one to sell, in any asset, that anyone can take. */
  isListing(row: number): boolean {
    const { offers, nfts } = this.#engine.nfts;
    const expires = offers.expiration[row]!;
    return (
      offers.isSell(row) &&
      offers.destination[row] === 0 &&
      offers.owner[row] === nfts.owner[offers.nft[row]!] &&
      (expires === 0 || expires > (this.#engine.head?.closeTime ?? 0))
    );
  }

  /** Of two in XRP. */
  #isCheaper(row: number, than: number): boolean {
    const { hi, lo } = this.#engine.nfts.offers;
    return hi[row]! - hi[than]! < 0 || (hi[row] === hi[than] && (lo[row]! - lo[than]! || row - than) < 0);
  }

  /** The highest offer in XRP that its owner can take now; undefined: there is none. */
  topOffer(nft: number): number | undefined {
    return this.open(nft, false).find((row) => this.isForOwner(row) && this.isFunded(row));
  }

  /** Whether an offer to buy in XRP is one that the owner can take: owners cannot take what they offered before. */
  isForOwner(row: number): boolean {
    const { nfts, offers } = this.#engine.nfts;
    const owner = nfts.owner[offers.nft[row]!]!;
    const destination = offers.destination[row]!;
    return (
      owner !== 0 &&
      offers.owner[row] !== owner &&
      (destination === 0 || destination === owner) &&
      offers.asset[row] === 0
    );
  }

  /** Whether its maker has what it offers. */
  isFunded(row: number): boolean {
    const { nfts: domain, state } = this.#engine;
    const { offers, nfts, parties, assets } = domain;
    const owner = offers.owner[row]!;
    if (offers.isSell(row)) return nfts.owner[offers.nft[row]!] === owner;
    const account = state.accounts.find(parties.key(owner), 0);
    const token = tokenOf(state, assets, offers.asset[row]!);
    if (account === undefined || token === undefined) return false;
    const spendable = fundsOf(state, token).spendable(account);
    return spendable === undefined || compareDecimal(spendable, exact(assets, this.#amount(row))) >= 0;
  }

  /** Its ledger entry index, 64 hex digits. */
  indexOf(row: number): string {
    return this.#engine.nfts.offers.indexText(row);
  }

  row(row: number) {
    const { offers, nfts, parties, assets } = this.#engine.nfts;
    const isSell = offers.isSell(row);
    const destination = offers.destination[row]!;
    const expiration = offers.expiration[row]!;
    const created = offers.created[row]!;
    const fraudType = this.#fraudType(row);
    const isOrphaned = isSell && nfts.owner[offers.nft[row]!] !== offers.owner[row];
    return {
      nft_offer_index: offers.indexText(row),
      index: offers.indexText(row),
      NFTokenID: nfts.idText(offers.nft[row]!),
      owner: accountText(parties.key(offers.owner[row]!)),
      amount: ledgerAmount(assets, this.#amount(row)),
      flags: isSell ? 1 : 0,
      ...(destination !== 0 && { destination: accountText(parties.key(destination)) }),
      ...(expiration !== 0 && { expiration }),
      ...(created !== 0 && { date: unixMs(created) }),
      orphaned: isOrphaned ? ('yes' as const) : ('no' as const),
      funded: this.isFunded(row),
      fraud: fraudType !== undefined,
      ...(fraudType !== undefined && { fraudType }),
    };
  }

  #fraudType(row: number) {
    const { offers, nfts, parties, collections } = this.#engine.nfts;
    const issuer = collections.key(nfts.collection[offers.nft[row]!]!).subarray(0, 20);
    const destination = offers.destination[row]!;
    const fraudOf = (bytes: Uint8Array) => this.#scams.categoryOf(accountText(bytes));
    return (
      fraudOf(parties.key(offers.owner[row]!)) ??
      (destination === 0 ? undefined : fraudOf(parties.key(destination))) ??
      fraudOf(issuer)
    );
  }

  #amount(row: number) {
    const { asset, hi, lo } = this.#engine.nfts.offers;
    return { asset: asset[row]!, hi: hi[row]!, lo: lo[row]! };
  }
}
