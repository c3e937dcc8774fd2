/**
 * Collectors and their blue-chip collection: a studio mints it bit by bit, collectors list, bid, buy, give away and
 * burn; a marketplace brokers where a bid meets a listing. All they know is which offers lie on which NFT.
 */
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import { Amount } from '../protocol/amount.ts';
import type { Hex } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { nftTaxon } from '../protocol/nft-id.ts';
import { hex } from './hex.ts';
import type { Person } from './people.ts';
import { type Chance, exponential, Walk } from './random.ts';
import { amountOf, numberOf, type Turn } from './turn.ts';

export const COLLECTORS = 24;
export const BLUE_CHIP_TAXON = 1;
/** The collection's size. */
export const BLUE_CHIP_ITEMS = 80;
/** 1/100,000 of a price. */
export const ROYALTY = 5_000;
const MINT_EVERY = HOUR / 4;
const RATE = 0.5;
const PRICE_XRP = 120;
const OFFERS_MAX = 4;
/** Whoever has more than this burns some: new ones come every week. */
const ITEMS_MAX = 10;
const COLLECTOR_XRP = 2_500;
const BROKER_SHARE = 0.015;
const ZERO_DROPS = Amount.drops(0);

export const studio = (turn: Pick<Turn, 'people'>): Person => turn.people.get('studio');
export const broker = (turn: Pick<Turn, 'people'>): Person => turn.people.get('broker');

/** What an item goes for, XRP. */
function floor(turn: Turn): number {
  const walk = new Walk(`${studio(turn).account}/floor`, [
    [3 * DAY, 0.3],
    [DAY / 2, 0.15],
  ]);
  return PRICE_XRP * exponential(walk.at(turn.closeTime - turn.epoch));
}

const expired = (turn: Turn, { Expiration }: Readonly<Entry>): boolean =>
  Expiration !== undefined && Expiration <= turn.now + 60;

/** Open offers for an NFT that anybody may take. */
function offersFor(turn: Turn, nft: Hex, sell: boolean): Readonly<Entry>[] {
  const root = sell ? keylets.nftSellOffers(nft) : keylets.nftBuyOffers(nft);
  return turn.listed(root, 'NFTokenOffer').filter((offer) => !expired(turn, offer) && !offer.Destination);
}

/** Blue chips that somebody has, but for those that wait for a buyer who was agreed upon. */
function freeOf(turn: Turn, { account }: Person): Hex[] {
  const promised = (nft: Hex) =>
    turn
      .listed(keylets.nftSellOffers(nft), 'NFTokenOffer')
      .some(({ Owner, Destination, Amount: price }) => Owner === account && Destination && !price!.isZero);
  return turn.nfts(account).filter((nft) => nftTaxon(nft) === BLUE_CHIP_TAXON && !promised(nft));
}

function mint(turn: Turn): void {
  const slot = (time: number) => Math.floor((time - turn.epoch) / MINT_EVERY);
  const n = slot(turn.now);
  if (n === slot(turn.parent.header.parentCloseTime) || n < 1 || n > BLUE_CHIP_ITEMS) return;
  turn.send(studio(turn), {
    TransactionType: 'NFTokenMint',
    NFTokenTaxon: BLUE_CHIP_TAXON,
    TransferFee: ROYALTY,
    URI: hex(`ipfs://blue-chip/${n}.json`),
    Flags: Tf.tfTransferable | Tf.tfMutable | (n % 8 === 0 ? Tf.tfBurnable : 0),
  });
}

function list(turn: Turn, person: Person, nft: Hex, chance: Chance): void {
  turn.send(person, {
    TransactionType: 'NFTokenCreateOffer',
    NFTokenID: nft,
    Amount: amountOf('XRP', floor(turn) * chance.between(0.9, 1.7)),
    Flags: Tf.tfSellNFToken,
    Expiration: turn.closeTime + Math.round(DAY * chance.between(0.4, 2)),
  });
}

/** Takes the cheapest listing of another's NFT, or bids for it. */
function shop(turn: Turn, person: Person, owner: Person, chance: Chance): void {
  const nfts = freeOf(turn, owner);
  if (nfts.length === 0) return;
  const nft = chance.pick(nfts);
  const funds = turn.xrp(person) - 30;
  const offer = offersFor(turn, nft, true).find(({ Owner }) => Owner === owner.account);
  if (offer !== undefined && numberOf(offer.Amount!) <= funds && chance.hit(0.6)) {
    turn.send(person, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index });
    return;
  }
  const price = floor(turn) * chance.between(0.7, 1.25);
  if (price > funds) return;
  turn.send(person, {
    TransactionType: 'NFTokenCreateOffer',
    NFTokenID: nft,
    Owner: owner.account,
    Amount: amountOf('XRP', price),
    Expiration: turn.closeTime + Math.round(HOUR * chance.between(3, 30)),
  });
}

/** With what one has: take a good bid, list it, give it away, burn it. */
function tend(turn: Turn, person: Person, nft: Hex, chance: Chance): void {
  const bids = offersFor(turn, nft, false).filter(({ Owner, Amount: bid }) => {
    return Owner !== person.account && turn.xrp({ account: Owner! }) > numberOf(bid!) + 20;
  });
  const best = bids.reduce<Readonly<Entry> | undefined>(
    (a, b) => (a === undefined || numberOf(b.Amount!) > numberOf(a.Amount!) ? b : a),
    undefined,
  );
  const listed = offersFor(turn, nft, true).some(({ Owner }) => Owner === person.account);
  if (best && numberOf(best.Amount!) > floor(turn) * 0.85 && !(listed && chance.hit(0.5)))
    turn.send(person, { TransactionType: 'NFTokenAcceptOffer', NFTokenBuyOffer: best.index });
  else if (!listed && chance.hit(0.85)) list(turn, person, nft, chance);
  else if (chance.hit(0.04)) turn.send(person, { TransactionType: 'NFTokenBurn', NFTokenID: nft });
  else if (chance.hit(0.2)) {
    const other = turn.people.get(`collector:${chance.below(COLLECTORS)}`);
    if (other === person || turn.root(other) === undefined) return;
    turn.send(person, {
      TransactionType: 'NFTokenCreateOffer',
      NFTokenID: nft,
      Amount: ZERO_DROPS,
      Destination: other.account,
      Flags: Tf.tfSellNFToken,
    });
  }
}

/** Old offers are withdrawn, and those for what is no longer owned. @returns whether there was anything to do */
function tidy(turn: Turn, person: Person): boolean {
  const offers = turn.owned(person.account, 'NFTokenOffer');
  const mine = offers.length === 0 ? [] : turn.nfts(person.account);
  const sold = ({ Flags, NFTokenID }: Readonly<Entry>) =>
    hasAny(Flags, Lsf.lsfSellNFToken) && !mine.includes(NFTokenID!);
  const old = offers.filter((offer) => expired(turn, offer) || sold(offer));
  // A sale that was agreed upon with somebody waits for him.
  const loose = offers.filter(({ Destination, Amount: price }) => !Destination || price!.isZero);
  const many =
    loose.length > OFFERS_MAX
      ? [loose.reduce((a, b) => ((a.Expiration ?? 0) < (b.Expiration ?? 0) ? a : b))]
      : [];
  const gone = old.length > 0 ? old : many;
  if (gone.length === 0) return false;
  turn.send(person, { TransactionType: 'NFTokenCancelOffer', NFTokenOffers: gone.map(({ index }) => index) });
  return true;
}

function gift(turn: Turn, person: Person, from: Person): boolean {
  const offer = turn
    .owned(from.account, 'NFTokenOffer')
    .find(({ Destination, Amount: price }) => Destination === person.account && price!.isZero);
  if (offer === undefined || !turn.nfts(from.account).includes(offer.NFTokenID!)) return false;
  turn.send(person, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index });
  return true;
}

/** Brings a bid and a listing of one NFT together where the bid leaves a fee. */
function brokered(turn: Turn, owner: Person): void {
  for (const nft of freeOf(turn, owner)) {
    const sell = offersFor(turn, nft, true).find(({ Owner }) => Owner === owner.account);
    if (sell === undefined) continue;
    const asked = numberOf(sell.Amount!);
    const buy = offersFor(turn, nft, false).find(({ Owner, Amount: bid }) => {
      const most = numberOf(bid!);
      return (
        Owner !== owner.account &&
        most * (1 - BROKER_SHARE) > asked &&
        turn.xrp({ account: Owner! }) > most + 20
      );
    });
    if (buy === undefined) continue;
    turn.send(broker(turn), {
      TransactionType: 'NFTokenAcceptOffer',
      NFTokenSellOffer: sell.index,
      NFTokenBuyOffer: buy.index,
      NFTokenBrokerFee: amountOf('XRP', numberOf(buy.Amount!) * BROKER_SHARE),
    });
    return;
  }
}

export function collectors(turn: Turn): void {
  mint(turn);
  const chance = turn.chance('collectors');
  if (!chance.hit(RATE * turn.share)) return;
  const person = chance.hit(0.12) ? studio(turn) : turn.people.get(`collector:${chance.below(COLLECTORS)}`);
  if (turn.root(person) === undefined) {
    turn.pay(turn.people.get('treasury'), person.account, 'XRP', COLLECTOR_XRP);
    return;
  }
  if (person !== studio(turn) && turn.xrp(person) < PRICE_XRP * 1.5) {
    turn.pay(turn.people.get('treasury'), person.account, 'XRP', COLLECTOR_XRP / 2);
    return;
  }
  const other = chance.hit(0.25) ? studio(turn) : turn.people.get(`collector:${chance.below(COLLECTORS)}`);
  if (tidy(turn, person) || other === person || turn.root(other) === undefined) return;
  if (gift(turn, person, other)) return;
  if (chance.hit(0.15)) {
    brokered(turn, other);
    return;
  }
  const mine = freeOf(turn, person);
  if (mine.length > ITEMS_MAX && person !== studio(turn))
    turn.send(person, { TransactionType: 'NFTokenBurn', NFTokenID: chance.pick(mine) });
  else if (mine.length > 0 && chance.hit(person === studio(turn) ? 1 : 0.55))
    tend(turn, person, chance.pick(mine), chance);
  else if (person !== studio(turn)) shop(turn, person, other, chance);
}
