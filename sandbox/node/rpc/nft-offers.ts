/** `nft_buy_offers` and `nft_sell_offers` (rippled `NFTOffers.cpp`). The marker is the first offer of the next page. */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import { nftBuyOffers as buyOffers, nftSellOffers as sellOffers } from '../../protocol/keylets.ts';
import type { Command } from './command.ts';
import { expectedField, invalidField, missingField, RpcError } from './errors.ts';
import { chooseState } from './ledger-choice.ts';
import { keysAfter } from './owned.ts';
import { HASH, LIMITS, limitParam } from './params.ts';

/** The parameter `nft_id`. @throws RpcError */
export function nftIdParam({ nft_id: id }: JsonObject): Hex {
  if (id === undefined) throw missingField('nft_id');
  if (typeof id !== 'string' || !HASH.test(id)) throw invalidField('nft_id');
  return id.toUpperCase();
}

function offerJson(offer: Readonly<Entry>): JsonObject {
  const json: JsonObject = {
    amount: offer.Amount!.json() as Json,
    flags: offer.Flags ?? 0,
    nft_offer_index: offer.index,
    owner: addressOf(offer.Owner!),
  };
  if (offer.Destination !== undefined) json.destination = addressOf(offer.Destination);
  if (offer.Expiration !== undefined) json.expiration = offer.Expiration;
  return json;
}

/** The offer a marker names. @throws RpcError */
function markedOffer(view: ReadView, nft: Hex, { marker }: JsonObject): Readonly<Entry> | undefined {
  if (marker === undefined) return undefined;
  if (typeof marker !== 'string') throw expectedField('marker', 'string');
  const offer = HASH.test(marker) ? view.read(marker.toUpperCase()) : undefined;
  if (offer?.LedgerEntryType !== 'NFTokenOffer' || offer.NFTokenID !== nft)
    throw new RpcError('invalidParams');
  return offer;
}

const offersCommand = (name: string, directoryOf: (nft: Hex) => Hex): Command => ({
  name,
  run(params, { network, admin }) {
    const nft = nftIdParam(params);
    const limit = limitParam(params, LIMITS.nftOffers, admin);
    const { view } = chooseState(network, params);
    const directory = directoryOf(nft);
    if (view.read(directory) === undefined) throw new RpcError('objectNotFound');
    const first = markedOffer(view, nft, params);
    const offers: JsonObject[] = first === undefined ? [] : [offerJson(first)];
    const place = first && { key: first.index, page: first.NFTokenOfferNode ?? 0n };
    for (const { key } of keysAfter(view, directory, place)) {
      if (offers.length === limit) return { nft_id: nft, offers, limit, marker: key };
      const offer = view.read(key);
      if (offer !== undefined) offers.push(offerJson(offer));
    }
    return { nft_id: nft, offers };
  },
});

export const nftBuyOffers = offersCommand('nft_buy_offers', buyOffers);
export const nftSellOffers = offersCommand('nft_sell_offers', sellOffers);
