/**
 * State of an NFT at a ledger, from the transactions about it:
 *
 *     NFTokenMint, NFTokenAcceptOffer, NFTokenBurn     its owner, or that it is burnt
 *     NFTokenMint, NFTokenModify                       its URI
 *
 * Read newest first until both are known; offers in between are skipped.
 */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { affectedNodes } from '../../ledger/indexing.ts';
import type { Location } from '../../ledger/store.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import type { ReadView } from '../../ledger/view.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { parseNftId } from '../../protocol/nft-id.ts';
import type { Network } from '../network.ts';

/** Transactions read at a time. */
const READ_AT_ONCE = 32;

export interface NftState {
  readonly id: Hex;
  readonly owner: AccountId;
  readonly isBurned: boolean;
  /** The ledger of its last change of owner. */
  readonly ledgerIndex: number;
  readonly uri: Hex;
}

interface Ownership {
  readonly owner: AccountId;
  readonly isBurned: boolean;
}

/** The owner of an NFT after a transaction about it; undefined when the owner did not change. */
function ownershipAfter({ fields, metaFields }: ClosedTransaction, id: Hex): Ownership | undefined {
  switch (fields.TransactionType) {
    case 'NFTokenMint':
      return { owner: fields.Account, isBurned: false };
    case 'NFTokenBurn':
      return { owner: fields.Owner ?? fields.Account, isBurned: true };
    case 'NFTokenAcceptOffer': {
      // With a buy offer its owner gets the token, otherwise the account that accepts the sell offer.
      let isSold = false;
      for (const { kind, type, fields: offer } of affectedNodes(metaFields)) {
        if (kind !== 'DeletedNode' || type !== 'NFTokenOffer' || offer.NFTokenID !== id) continue;
        if (!hasAny(offer.Flags, Lsf.lsfSellNFToken)) return { owner: offer.Owner!, isBurned: false };
        isSold = true;
      }
      return isSold ? { owner: fields.Account, isBurned: false } : undefined;
    }
    default:
      return undefined;
  }
}

/** The URI that a transaction gave an NFT; '' means none. */
function uriAfter({ fields }: ClosedTransaction): Hex | undefined {
  const sets = fields.TransactionType === 'NFTokenMint' || fields.TransactionType === 'NFTokenModify';
  return sets ? (fields.URI ?? '') : undefined;
}

/** The URI in the owner's pages, if the state is available. */
function uriInState(view: ReadView | undefined, owner: AccountId, id: Hex): Hex | undefined {
  const last = keylets.nftPageMax(owner);
  const key = view?.successor(keylets.nftPage(owner, id));
  const page = key !== undefined && key <= last ? view?.read(key) : undefined;
  const token = page?.NFTokens?.find(({ NFToken }) => NFToken?.NFTokenID === id);
  return token && (token.NFToken?.URI ?? '');
}

/** Undefined when the NFT did not exist yet at a ledger, or its first transactions are deleted. */
export function nftAt(network: Network, id: Hex, ledgerIndex: number): NftState | undefined {
  const first = network.ledgers.range()?.first ?? ledgerIndex;
  let found: (Ownership & { readonly ledgerIndex: number }) | undefined;
  let uri: Hex | undefined;
  let after: Location | undefined;
  for (;;) {
    const query = { first, last: ledgerIndex, forward: false, limit: READ_AT_ONCE };
    const page = network.ledgers.nftTransactions(id, after === undefined ? query : { ...query, after });
    for (const location of page) {
      const transaction = network.ledgers.resolve(location)?.transaction;
      if (transaction === undefined) continue;
      uri ??= uriAfter(transaction);
      if (found === undefined) {
        const ownership = ownershipAfter(transaction, id);
        if (ownership === undefined) continue;
        found = { ...ownership, ledgerIndex: location.ledger };
        const { owner, isBurned } = ownership;
        if (!isBurned) uri ??= uriInState(network.ledgers.recent(ledgerIndex)?.view(), owner, id);
      }
      if (uri !== undefined) return { id, ...found, uri };
    }
    if (page.length < READ_AT_ONCE) return found && { id, ...found, uri: uri ?? '' };
    after = page.at(-1)!;
  }
}

/** As `nft_info` and each row of `nfts_by_issuer` show it. */
export function nftJson(state: NftState): JsonObject {
  const { flags, transferFee, issuer, taxon, sequence } = parseNftId(state.id);
  return {
    flags,
    is_burned: state.isBurned,
    issuer: addressOf(issuer),
    ledger_index: state.ledgerIndex,
    nft_id: state.id,
    nft_serial: sequence,
    nft_taxon: taxon,
    owner: addressOf(state.owner),
    transfer_fee: transferFee,
    uri: state.uri,
  };
}
