/** `account_nfts`: the NFTs an account holds, in the order of its pages (rippled `AccountNFTs.cpp`); the marker is the last id. */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { toJson } from '../../protocol/encode.ts';
import type { Fields } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import { compareNftIds, parseNftId } from '../../protocol/nft-id.ts';
import { chooseAccount } from './account-choice.ts';
import type { Command } from './command.ts';
import { expectedField, invalidField } from './errors.ts';
import { HASH, LIMITS, limitParam } from './params.ts';

function markerOf({ marker }: JsonObject): string | undefined {
  if (marker === undefined) return undefined;
  if (typeof marker !== 'string') throw expectedField('marker', 'string');
  if (!HASH.test(marker)) throw invalidField('marker');
  return marker.toUpperCase();
}

/** A token of a page with the parts of its id. */
function nftJson(token: Fields): JsonObject {
  const { flags, issuer, taxon, sequence, transferFee } = parseNftId(token.NFTokenID!);
  const json: JsonObject = {
    ...toJson(token, 'node'),
    Flags: flags,
    Issuer: addressOf(issuer),
    NFTokenTaxon: taxon,
    nft_serial: sequence,
  };
  if (transferFee !== 0) json.TransferFee = transferFee;
  return json;
}

export const accountNfts: Command = {
  name: 'account_nfts',
  run(params, { network, admin }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const limit = limitParam(params, LIMITS.accountNfts, admin);
    const marker = markerOf(params);
    const nfts: JsonObject[] = [];
    const answer = { account: address, account_nfts: nfts, ...members };
    const last = keylets.nftPageMax(id);
    // The key of a page is an upper bound of the ids of its tokens.
    let key = view.successor(marker === undefined ? keylets.nftPageMin(id) : keylets.nftPage(id, marker));
    // A marker is one of the account's tokens: once that is sold, the position of the next page is unknown.
    let past = marker === undefined;
    while (key !== undefined && key <= last) {
      const page = view.read(key)!;
      for (const { NFToken } of page.NFTokens ?? []) {
        const token = NFToken!;
        if (marker !== undefined && compareNftIds(token.NFTokenID!, marker) <= 0) {
          past ||= token.NFTokenID === marker;
          continue;
        }
        if (!past) throw invalidField('marker');
        nfts.push(nftJson(token));
        if (nfts.length === limit) return { ...answer, limit, marker: token.NFTokenID! };
      }
      key = page.NextPageMin;
    }
    if (!past) throw invalidField('marker');
    return answer;
  },
};
