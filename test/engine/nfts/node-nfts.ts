/** The NFTs and offers of an embedded network: as its node answers for them, and as the engine has them. */
import { AssetKind, dropsOf, rawText } from '../../../engine/codec/amount.ts';
import { accountText } from '../../../engine/codec/base58.ts';
import { currencyText } from '../../../engine/codec/currency.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import type { Nfts } from '../../../engine/nfts/nfts.ts';
import type { Ask } from '../../embedded.ts';

/** More than any answer has. */
const ALL = 100_000;
/** lsfSellNFToken */
const SELL = 1;

export interface NftState {
  /** By id: owner and URI in hex. */
  readonly nfts: Record<string, { readonly owner: string; readonly uri: string | undefined }>;
  /** By index. */
  readonly offers: Record<string, JsonObject>;
  /** By issuer: NFTs minted and burned. */
  readonly counts: Record<string, readonly [number, number]>;
}

const SHOWN = { ledger_index: 'validated', limit: ALL } as const;

/** All entries of a type, page by page. */
function entries(ask: Ask, type: string): JsonObject[] {
  const found: JsonObject[] = [];
  for (let marker: Json | undefined; ; ) {
    const page = ask('ledger_data', { ...SHOWN, type, ...(marker !== undefined && { marker }) });
    found.push(...(page.state as JsonObject[]));
    marker = page.marker;
    if (marker === undefined) return found;
  }
}

/** Every NFT by `account_nfts` of each account, and every offer by `nft_buy_offers` and `nft_sell_offers` of each NFT. */
export function asTheNode(ask: Ask): NftState {
  const state: NftState = { nfts: {}, offers: {}, counts: {} };
  const named = new Set(entries(ask, 'nft_offer').map(({ NFTokenID }) => String(NFTokenID)));
  for (const root of entries(ask, 'account')) {
    const owner = String(root.Account);
    const minted = Number(root.MintedNFTokens ?? 0);
    if (minted > 0) state.counts[owner] = [minted, Number(root.BurnedNFTokens ?? 0)];
    const { account_nfts } = ask('account_nfts', { ...SHOWN, account: owner });
    for (const { NFTokenID, URI } of account_nfts as JsonObject[]) {
      state.nfts[String(NFTokenID)] = { owner, uri: URI as string | undefined };
    }
  }
  for (const nft of named) {
    for (const command of ['nft_buy_offers', 'nft_sell_offers']) {
      for (const offer of offersOf(ask, command, nft)) {
        const { nft_offer_index, ...rest } = offer;
        state.offers[String(nft_offer_index)] = { nft, ...rest };
      }
    }
  }
  return state;
}

function offersOf(ask: Ask, command: string, nft: string): JsonObject[] {
  try {
    return ask(command, { ...SHOWN, nft_id: nft }).offers as JsonObject[];
  } catch (fault) {
    // The node says so of an NFT without such offers.
    if ((fault as { token?: string }).token === 'objectNotFound') return [];
    throw fault;
  }
}

/** The same from the columns. */
export function asTheEngine(domain: Nfts): NftState {
  const { nfts, offers, parties, assets, collections } = domain;
  const state: NftState = { nfts: {}, offers: {}, counts: {} };
  const address = (row: number) => accountText(parties.key(row));
  const counts: Record<string, [number, number]> = {};
  for (let row = 1; row < nfts.count; row++) {
    const text = domain.uri(row);
    if (nfts.owner[row] !== 0)
      state.nfts[nfts.idText(row)] = {
        owner: address(nfts.owner[row]!),
        uri: text === undefined ? undefined : Buffer.from(text, 'latin1').toString('hex').toUpperCase(),
      };
  }
  for (let row = 1; row < collections.count; row++) {
    const issuer = accountText(collections.key(row).subarray(0, 20));
    const [minted, burned] = counts[issuer] ?? [0, 0];
    counts[issuer] = [minted + collections.minted[row]!, burned + collections.burned[row]!];
  }
  Object.assign(state.counts, counts);
  for (let row = 1; row < offers.table.count; row++) {
    if (!offers.has(row)) continue;
    const asset = offers.asset[row]!;
    const kind = assets.kind(asset);
    const [hi, lo] = [offers.hi[row]!, offers.lo[row]!];
    state.offers[offers.indexText(row)] = {
      nft: nfts.idText(offers.nft[row]!),
      owner: address(offers.owner[row]!),
      flags: offers.isSell(row) ? SELL : 0,
      amount:
        kind === AssetKind.xrp
          ? String(dropsOf(hi, lo))
          : {
              currency: currencyText(assets.currency(asset)),
              issuer: accountText(assets.issuer(asset)),
              value: rawText(kind, hi, lo),
            },
      ...(offers.destination[row] !== 0 && { destination: address(offers.destination[row]!) }),
      ...(offers.expiration[row] !== 0 && { expiration: offers.expiration[row]! }),
    };
  }
  return state;
}
