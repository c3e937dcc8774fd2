/**
 * Collectors and their blue-chip collection: a studio mints it slowly, collectors list, bid, buy, give away and burn; a
 * marketplace brokers a sale where a bid matches a listing. All they know is the open offers of each NFT.
 */

import { Amount } from '../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR } from '../../engine/ripple-time.ts';
import type { Entry } from '../protocol/fields.ts';
import { hasAny, Lsf, Tf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { nftTaxon } from '../protocol/nft-id.ts';
import type { Agent } from './agents.ts';
import { hex } from './hex.ts';
import { exponential, type RandomStream, Walk } from './random.ts';
import { amountOf, numberOf, type SimulationStep } from './simulation-step.ts';

export const COLLECTORS = 24;
export const BLUE_CHIP_TAXON = 1;
/** Size of the collection. */
export const BLUE_CHIP_ITEMS = 80;
/** `TransferFee`, in 1/100,000 of a price. */
export const ROYALTY = 5_000;
const MINT_EVERY = HOUR / 4;
const RATE = 0.5;
const PRICE_XRP = 120;
const OFFERS_MAX = 4;
/** A collector with more than this burns some: new NFTs are minted every week. */
const ITEMS_MAX = 10;
const COLLECTOR_XRP = 2_500;
const BROKER_SHARE = 0.015;
const ZERO_DROPS = Amount.drops(0);

export const studio = (step: Pick<SimulationStep, 'agents'>): Agent => step.agents.get('studio');
export const broker = (step: Pick<SimulationStep, 'agents'>): Agent => step.agents.get('broker');

/** The usual price of an item, XRP. */
function referencePrice(step: SimulationStep): number {
  const walk = new Walk(`${studio(step).account}/floor`, [
    [3 * DAY, 0.3],
    [DAY / 2, 0.15],
  ]);
  return PRICE_XRP * exponential(walk.at(step.closeTime - step.epoch));
}

const expired = (step: SimulationStep, { Expiration }: Readonly<Entry>): boolean =>
  Expiration !== undefined && Expiration <= step.now + 60;

/** Open offers for an NFT that any account may accept. */
function publicOffers(step: SimulationStep, nft: Hex, sell: boolean): Readonly<Entry>[] {
  const root = sell ? keylets.nftSellOffers(nft) : keylets.nftBuyOffers(nft);
  return step.entriesIn(root, 'NFTokenOffer').filter((offer) => !expired(step, offer) && !offer.Destination);
}

/** Blue chips of an account, without those that are listed for one buyer at a price. */
function tradableItems(step: SimulationStep, { account }: Agent): Hex[] {
  const reserved = (nft: Hex) =>
    step
      .entriesIn(keylets.nftSellOffers(nft), 'NFTokenOffer')
      .some(({ Owner, Destination, Amount: price }) => Owner === account && Destination && !price!.isZero);
  return step.nfts(account).filter((nft) => nftTaxon(nft) === BLUE_CHIP_TAXON && !reserved(nft));
}

function mint(step: SimulationStep): void {
  const slot = (time: number) => Math.floor((time - step.epoch) / MINT_EVERY);
  const n = slot(step.now);
  if (n === slot(step.parent.header.parentCloseTime) || n < 1 || n > BLUE_CHIP_ITEMS) return;
  step.send(studio(step), {
    TransactionType: 'NFTokenMint',
    NFTokenTaxon: BLUE_CHIP_TAXON,
    TransferFee: ROYALTY,
    URI: hex(`ipfs://blue-chip/${n}.json`),
    Flags: Tf.tfTransferable | Tf.tfMutable | (n % 8 === 0 ? Tf.tfBurnable : 0),
  });
}

function listForSale(step: SimulationStep, agent: Agent, nft: Hex, random: RandomStream): void {
  step.send(agent, {
    TransactionType: 'NFTokenCreateOffer',
    NFTokenID: nft,
    Amount: amountOf('XRP', referencePrice(step) * random.between(0.9, 1.7)),
    Flags: Tf.tfSellNFToken,
    Expiration: step.closeTime + Math.round(DAY * random.between(0.4, 2)),
  });
}

/** Accepts the listing of another account's NFT, or bids for it. */
function buyOrBid(step: SimulationStep, agent: Agent, owner: Agent, random: RandomStream): void {
  const nfts = tradableItems(step, owner);
  if (nfts.length === 0) return;
  const nft = random.pick(nfts);
  const funds = step.xrp(agent) - 30;
  const offer = publicOffers(step, nft, true).find(({ Owner }) => Owner === owner.account);
  if (offer !== undefined && numberOf(offer.Amount!) <= funds && random.chance(0.6)) {
    step.send(agent, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index });
    return;
  }
  const price = referencePrice(step) * random.between(0.7, 1.25);
  if (price > funds) return;
  step.send(agent, {
    TransactionType: 'NFTokenCreateOffer',
    NFTokenID: nft,
    Owner: owner.account,
    Amount: amountOf('XRP', price),
    Expiration: step.closeTime + Math.round(HOUR * random.between(3, 30)),
  });
}

/** With an own NFT: accepts a good bid, lists it, gives it away or burns it. */
function manageItem(step: SimulationStep, agent: Agent, nft: Hex, random: RandomStream): void {
  const bids = publicOffers(step, nft, false).filter(({ Owner, Amount: bid }) => {
    return Owner !== agent.account && step.xrp({ account: Owner! }) > numberOf(bid!) + 20;
  });
  const best = bids.reduce<Readonly<Entry> | undefined>(
    (a, b) => (a === undefined || numberOf(b.Amount!) > numberOf(a.Amount!) ? b : a),
    undefined,
  );
  const listed = publicOffers(step, nft, true).some(({ Owner }) => Owner === agent.account);
  if (best && numberOf(best.Amount!) > referencePrice(step) * 0.85 && !(listed && random.chance(0.5)))
    step.send(agent, { TransactionType: 'NFTokenAcceptOffer', NFTokenBuyOffer: best.index });
  else if (!listed && random.chance(0.85)) listForSale(step, agent, nft, random);
  else if (random.chance(0.04)) step.send(agent, { TransactionType: 'NFTokenBurn', NFTokenID: nft });
  else if (random.chance(0.2)) {
    const other = step.agents.get(`collector:${random.below(COLLECTORS)}`);
    if (other === agent || step.accountRoot(other) === undefined) return;
    step.send(agent, {
      TransactionType: 'NFTokenCreateOffer',
      NFTokenID: nft,
      Amount: ZERO_DROPS,
      Destination: other.account,
      Flags: Tf.tfSellNFToken,
    });
  }
}

/** Cancels expired offers, listings of NFTs that were sold, and the oldest of too many. @returns whether it sent anything */
function cancelStaleOffers(step: SimulationStep, agent: Agent): boolean {
  const offers = step.owned(agent.account, 'NFTokenOffer');
  const mine = offers.length === 0 ? [] : step.nfts(agent.account);
  const sold = ({ Flags, NFTokenID }: Readonly<Entry>) =>
    hasAny(Flags, Lsf.lsfSellNFToken) && !mine.includes(NFTokenID!);
  const stale = offers.filter((offer) => expired(step, offer) || sold(offer));
  // A listing for one buyer at a price stays open for that buyer.
  const unreserved = offers.filter(({ Destination, Amount: price }) => !Destination || price!.isZero);
  const excess =
    unreserved.length > OFFERS_MAX
      ? [unreserved.reduce((a, b) => ((a.Expiration ?? 0) < (b.Expiration ?? 0) ? a : b))]
      : [];
  const toCancel = stale.length > 0 ? stale : excess;
  if (toCancel.length === 0) return false;
  step.send(agent, {
    TransactionType: 'NFTokenCancelOffer',
    NFTokenOffers: toCancel.map(({ index }) => index),
  });
  return true;
}

function acceptGift(step: SimulationStep, agent: Agent, from: Agent): boolean {
  const offer = step
    .owned(from.account, 'NFTokenOffer')
    .find(({ Destination, Amount: price }) => Destination === agent.account && price!.isZero);
  if (offer === undefined || !step.nfts(from.account).includes(offer.NFTokenID!)) return false;
  step.send(agent, { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index });
  return true;
}

/** Brokers a sale where the bid for an NFT exceeds its listing by the broker's fee. */
function brokerSale(step: SimulationStep, owner: Agent): void {
  for (const nft of tradableItems(step, owner)) {
    const sell = publicOffers(step, nft, true).find(({ Owner }) => Owner === owner.account);
    if (sell === undefined) continue;
    const asked = numberOf(sell.Amount!);
    const buy = publicOffers(step, nft, false).find(({ Owner, Amount: bid }) => {
      const bidXrp = numberOf(bid!);
      return (
        Owner !== owner.account &&
        bidXrp * (1 - BROKER_SHARE) > asked &&
        step.xrp({ account: Owner! }) > bidXrp + 20
      );
    });
    if (buy === undefined) continue;
    step.send(broker(step), {
      TransactionType: 'NFTokenAcceptOffer',
      NFTokenSellOffer: sell.index,
      NFTokenBuyOffer: buy.index,
      NFTokenBrokerFee: amountOf('XRP', numberOf(buy.Amount!) * BROKER_SHARE),
    });
    return;
  }
}

export function collectors(step: SimulationStep): void {
  mint(step);
  const random = step.random('collectors');
  if (!random.chance(RATE * step.durationRatio)) return;
  const agent = random.chance(0.12) ? studio(step) : step.agents.get(`collector:${random.below(COLLECTORS)}`);
  if (step.accountRoot(agent) === undefined) {
    step.pay(step.agents.get('treasury'), agent.account, 'XRP', COLLECTOR_XRP);
    return;
  }
  if (agent !== studio(step) && step.xrp(agent) < PRICE_XRP * 1.5) {
    step.pay(step.agents.get('treasury'), agent.account, 'XRP', COLLECTOR_XRP / 2);
    return;
  }
  const other = random.chance(0.25) ? studio(step) : step.agents.get(`collector:${random.below(COLLECTORS)}`);
  if (cancelStaleOffers(step, agent) || other === agent || step.accountRoot(other) === undefined) return;
  if (acceptGift(step, agent, other)) return;
  if (random.chance(0.15)) {
    brokerSale(step, other);
    return;
  }
  const mine = tradableItems(step, agent);
  if (mine.length > ITEMS_MAX && agent !== studio(step))
    step.send(agent, { TransactionType: 'NFTokenBurn', NFTokenID: random.pick(mine) });
  else if (mine.length > 0 && random.chance(agent === studio(step) ? 1 : 0.55))
    manageItem(step, agent, random.pick(mine), random);
  else if (agent !== studio(step)) buyOrBid(step, agent, other, random);
}
