/** `account_offers` and `account_channels` (rippled `AccountOffers.cpp`, `AccountChannels.cpp`). */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import { amountFromQuality } from '../../../engine/codec/arithmetic/quality.ts';
import { ACCOUNT_PUBLIC_KEY, base58CheckText } from '../../../engine/codec/base58check.ts';
import { bytesOf } from '../../../engine/codec/bytes.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { keyTypeOf } from '../../../engine/codec/public-keys.ts';
import type { Entry } from '../../protocol/fields.ts';
import { directoryQuality } from '../../protocol/keylets.ts';
import { chooseAccount, otherAccountParam } from './account-choice.ts';
import type { Command } from './command.ts';
import { pageOfOwned } from './owned.ts';
import { LIMITS, limitParam } from './params.ts';

function offerJson(offer: Readonly<Entry>): JsonObject {
  const json: JsonObject = {
    flags: offer.Flags ?? 0,
    quality: amountFromQuality(directoryQuality(offer.BookDirectory!)).text(),
    seq: offer.Sequence!,
    taker_gets: offer.TakerGets!.json() as Json,
    taker_pays: offer.TakerPays!.json() as Json,
  };
  if (offer.Expiration !== undefined) json.expiration = offer.Expiration;
  return json;
}

export const accountOffers: Command = {
  name: 'account_offers',
  run(params, { network, admin }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const limit = limitParam(params, LIMITS.accountOffers, admin);
    const offers: JsonObject[] = [];
    const page = pageOfOwned(view, id, params, limit, (entry) => {
      if (entry.LedgerEntryType === 'Offer') offers.push(offerJson(entry));
    });
    return { account: address, ...members, offers, ...page };
  },
};

/** Fields of a channel that are shown when present. */
const CHANNEL_EXTRAS = [
  ['Expiration', 'expiration'],
  ['CancelAfter', 'cancel_after'],
  ['SourceTag', 'source_tag'],
  ['DestinationTag', 'destination_tag'],
] as const;

function channelJson(channel: Readonly<Entry>): JsonObject {
  const json: JsonObject = {
    account: addressOf(channel.Account!),
    amount: channel.Amount!.text(),
    balance: channel.Balance!.text(),
    channel_id: channel.index,
    destination_account: addressOf(channel.Destination!),
    settle_delay: channel.SettleDelay!,
  };
  const key = channel.PublicKey!;
  if (keyTypeOf(key) !== undefined) {
    json.public_key = base58CheckText(ACCOUNT_PUBLIC_KEY, bytesOf(key));
    json.public_key_hex = key;
  }
  for (const [field, name] of CHANNEL_EXTRAS) {
    const value = channel[field];
    if (value !== undefined) json[name] = value;
  }
  return json;
}

export const accountChannels: Command = {
  name: 'account_channels',
  run(params, { network, admin }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const destination = otherAccountParam(params, 'destination_account');
    const limit = limitParam(params, LIMITS.accountChannels, admin);
    const channels: JsonObject[] = [];
    const page = pageOfOwned(view, id, params, limit, (entry) => {
      if (entry.LedgerEntryType !== 'PayChannel' || entry.Account !== id) return;
      if (destination === undefined || entry.Destination === destination) channels.push(channelJson(entry));
    });
    return { account: address, ...members, channels, ...page };
  },
};
