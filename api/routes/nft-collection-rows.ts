/** A collection of NFTs as answers of section 4.5 have it. Amounts are XRP, times Unix ms. */
import { unixMs } from '../../engine/ripple-time.ts';
import { collectionId, collectionSlug } from '../../views/nfts/collection-ids.ts';
import type { CollectionPast, CollectionTrader } from '../../views/nfts/collection-sales.ts';
import { percentOf } from '../../views/nfts/trader-figures.ts';
import { xrpOf } from '../../views/traders/trader-rows.ts';
import type { RouteContext } from '../route.ts';
import { boolean, describe, integer, list, mapOf, number, object, orNull, string } from '../schema.ts';

export const collectionMembers = {
  _id: describe(string, '<issuer>:<taxon>'),
  slug: string,
  account: describe(string, 'Its issuer'),
  'accountName?': describe(string, 'Of the issuer, as /account/names has it; absent: it has none'),
  issuer: string,
  taxon: integer,
  'created?': describe(integer, 'Of its first minting; absent: before the first ledger read'),
  items: describe(integer, 'NFTs that exist'),
  owners: integer,
  burnedItems: integer,
  'floor?': describe(number, 'The cheapest NFT that anyone can buy for XRP; absent: none is listed'),
  'otherFloors?': describe(
    list(object({ amount: number, currency: string, issuer: string })),
    'The cheapest NFT that anyone can buy for each asset other than XRP, those with most listings first; absent: none is listed for any',
  ),
  'floor24hAgo?': describe(number, 'The floor a day ago; absent: nothing was listed, or it is not known'),
  'floor1dPercent?': describe(number, 'By how much the floor has changed in a day'),
  'floor7dPercent?': number,
  'floor30dPercent?': number,
  totalVol24h: number,
  volume: describe(number, 'Of all sales for XRP that were seen'),
  totalVolume: number,
  sales24h: integer,
  totalSales: integer,
  listedCount: describe(integer, 'NFTs that anyone can buy for XRP'),
  'topOffer?': object({ amount: number }),
  offers: describe(integer, 'Open offers in XRP to buy one of its NFTs'),
  'transferFee?': describe(integer, 'Of its newest NFT, 1/1000 percent of the price of a sale'),
  'royaltyFee?': describe(number, 'The same in percent'),
  totalRoyalties: describe(number, 'Of all sales for XRP that were seen'),
  totalBrokerFees: number,
  totalFees: describe(number, 'Royalties and fees of brokers'),
  'origin?': describe(string, 'Platform through which its NFTs were minted; absent: none that is known'),
  'marketcap?': describe(object({ amount: number }), 'All its NFTs at the floor'),
  trendingScore: describe(number, 'Sales of 24 hours x log10(1 + their volume)'),
  'name?': describe(string, 'As its issuer says here, else as most of its newest NFTs do'),
  'description?': string,
  'category?': string,
  'logoImage?': describe(
    string,
    'Picture of one of its NFTs: the file of that name below /s1/nft-collection/',
  ),
  'website?': string,
  'twitter?': string,
  'tags?': list(string),
  'sources?': describe(
    mapOf(string),
    'Where these texts are from: `service` (its issuer, here) or `metadata` (its NFTs)',
  ),
  verified: describe(boolean, 'The admin of the service knows whose it is'),
};
export const collectionRow = object(collectionMembers);

/** Wait for `views.nfts.collections.ready` first. */
export function collectionRowOf(row: number, { views, engine }: RouteContext) {
  const { collections, nfts } = engine.nfts;
  const _id = collectionId(collections, row);
  const issuer = _id.slice(0, _id.indexOf(':'));
  const figures = views.nfts.collections.of(row);
  const { floor, topOffer, marketcap, volume, time } = figures;
  const accountName = views.accounts.names.of(issuer)?.name;
  const otherFloors = views.nfts.collections.otherFloors(row);
  return {
    _id,
    slug: collectionSlug(collections, row),
    account: issuer,
    ...(accountName !== undefined && { accountName }),
    issuer,
    taxon: collections.taxon(row),
    ...(time !== null && { created: time }),
    items: figures.items,
    owners: figures.owners,
    burnedItems: figures.burned,
    ...(floor !== null && { floor }),
    ...(otherFloors.length > 0 && { otherFloors }),
    ...views.nfts.past.floorsAgo(row, floor ?? undefined),
    totalVol24h: figures.vol24h,
    volume,
    totalVolume: volume,
    sales24h: figures.sales24h,
    totalSales: figures.sales,
    listedCount: figures.listed,
    ...(topOffer !== null && { topOffer: { amount: topOffer } }),
    offers: figures.bids,
    ...feesOf(nfts.newestOf(row), engine),
    totalRoyalties: figures.royalties,
    totalBrokerFees: figures.brokerFees,
    totalFees: figures.fees,
    ...(figures.origin && { origin: figures.origin.name }),
    ...(marketcap !== null && { marketcap: { amount: marketcap } }),
    trendingScore: figures.trending,
    ...views.nfts.texts.of(row),
  };
}

/** @param nft the newest; 0: none was seen */
function feesOf(nft: number, { nfts: { nfts } }: RouteContext['engine']) {
  if (nft === 0) return {};
  const transferFee = nfts.transferFee[nft]!;
  return { transferFee, royaltyFee: transferFee / 1000 };
}

/** Sales later than a close time; those for other assets than XRP count, and are in no sum. */
export function salesWindow({ sales, others }: Pick<CollectionPast, 'sales' | 'others'>, since: number) {
  const forXrp = sales.filter(({ time }) => time > since);
  const all = [...forXrp, ...others.filter(({ time }) => time > since)];
  const volume = xrpOf(forXrp.reduce((sum, { drops }) => sum + drops, 0));
  const traders = new Set(all.flatMap(({ buyer, seller }) => [buyer, seller])).size;
  return {
    volume,
    sales: all.length,
    averagePrice: forXrp.length === 0 ? null : volume / forXrp.length,
    traders,
  };
}

/** Of an account that traded its NFTs. */
export const traderMembers = {
  buyVolume: number,
  buys: integer,
  sellVolume: number,
  sells: integer,
  flips: describe(integer, 'Sales of NFTs that it had bought, both for XRP'),
  profit: describe(number, 'Of these: what it got, without royalties and fees, less what it had paid'),
  roi: describe(orNull(number), 'Percent of what it had paid for these'),
  winRate: describe(orNull(number), 'Percent of these with a profit'),
  lastTrade: integer,
};

export function traderFiguresOf(trader: CollectionTrader) {
  return {
    buyVolume: xrpOf(trader.buyVolume),
    buys: trader.buys,
    sellVolume: xrpOf(trader.sellVolume),
    sells: trader.sells,
    flips: trader.flips,
    profit: xrpOf(trader.profit),
    roi: percentOf(trader.profit, trader.flipCost),
    winRate: percentOf(trader.wins, trader.flips),
    lastTrade: unixMs(trader.lastTrade),
  };
}
