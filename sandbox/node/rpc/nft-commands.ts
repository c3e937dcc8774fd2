/** `nft_info`, `nft_history` and `nfts_by_issuer`, as in Clio (`NFTInfo.cpp`, `NFTHistory.cpp`, `NFTsByIssuer.cpp`). */

import { addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { isJsonObject, type JsonObject } from '../../../engine/codec/values.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Network } from '../network.ts';
import type { ApiVersion } from '../session.ts';
import { clioLedger, clioLimit } from './clio.ts';
import type { Command } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import {
  historyBlob,
  historyMarker,
  historyPage,
  historyRow,
  type LedgerRange,
  type Placed,
} from './history.ts';
import { closedLedger } from './ledger-choice.ts';
import { nftAt, nftJson } from './nft-state.ts';
import { accountIdOf, HASH, isU32 } from './params.ts';

const I32_MAX = 0x7fffffff;

/** @throws RpcError */
function nftId({ nft_id: id }: JsonObject): Hex {
  if (id === undefined) throw new RpcError('invalidParams', "Required field 'nft_id' missing");
  if (typeof id !== 'string') throw new RpcError('invalidParams', 'nft_idNotString');
  if (!HASH.test(id)) throw new RpcError('invalidParams', 'nft_idMalformed');
  return id.toUpperCase();
}

export const nftInfo: Command = {
  name: 'nft_info',
  run(params, { network }) {
    const id = nftId(params);
    const { index } = clioLedger(network, params);
    const state = nftAt(network, id, index);
    if (state === undefined) throw new RpcError('objectNotFound', 'NFT not found');
    return { ...nftJson(state), validated: true };
  },
};

/** A bound of the range of ledgers; -1 means no bound. @throws RpcError */
function bound(params: JsonObject, name: string, range: LedgerRange): number | undefined {
  const value = params[name];
  if (value === undefined || value === -1) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > I32_MAX)
    throw new RpcError('invalidParams');
  if (value >= range.first && value <= range.last) return value;
  throw new RpcError(
    'lgrIdxMalformed',
    name === 'ledger_index_min' ? 'ledgerSeqMinOutOfRange' : 'ledgerSeqMaxOutOfRange',
  );
}

/** @throws RpcError */
function ledgersOf(params: JsonObject, network: Network): LedgerRange {
  const range = network.ledgers.range() ?? { first: network.validated.index, last: network.validated.index };
  const min = bound(params, 'ledger_index_min', range);
  const max = bound(params, 'ledger_index_max', range);
  const first = min ?? range.first;
  const last = max ?? range.last;
  if (first > last) throw new RpcError('lgrIdxsInvalid');
  const one = params.ledger_hash !== undefined || params.ledger_index !== undefined;
  if (!one) return { first, last };
  if (min !== undefined || max !== undefined)
    throw new RpcError('invalidParams', 'containsLedgerSpecifierAndRange');
  const { index } = clioLedger(network, params);
  return { first: index, last: index };
}

/** @throws RpcError */
function flag(params: JsonObject, name: string): boolean {
  const value = params[name] ?? false;
  if (typeof value !== 'boolean') throw new RpcError('invalidParams');
  return value;
}

/** Clio shows the time of a transaction in binary form as well. */
const clioBlob = (row: Placed, apiVersion: ApiVersion): JsonObject => ({
  ...historyBlob(row, apiVersion),
  date: row.ledger.closeTime,
});

export const nftHistory: Command = {
  name: 'nft_history',
  run(params, { network, apiVersion }) {
    const id = nftId(params);
    const limit = clioLimit(params);
    const forward = flag(params, 'forward');
    const binary = flag(params, 'binary');
    if (params.marker !== undefined && !isJsonObject(params.marker))
      throw new RpcError('invalidParams', 'invalidMarker');
    const from = historyMarker(params);
    const range = ledgersOf(params, network);
    const wanted = { ...range, forward, limit, ...(from === undefined ? {} : { from }) };
    const { found, more } = historyPage(network, wanted, (query) =>
      network.ledgers.nftTransactions(id, query),
    );
    return {
      nft_id: id,
      ledger_index_max: range.last,
      ledger_index_min: range.first,
      transactions: found.map((row) =>
        binary ? clioBlob(row, apiVersion) : historyRow(row, apiVersion, network.networkId),
      ),
      validated: true,
      ...(params.limit === undefined ? {} : { limit }),
      ...more,
    };
  },
};

/** @throws RpcError */
function taxonParam({ nft_taxon: taxon }: JsonObject): number | undefined {
  if (taxon === undefined) return undefined;
  if (!isU32(taxon)) throw new RpcError('invalidParams');
  return taxon;
}

/** @throws RpcError */
function issuedMarker({ marker }: JsonObject): Hex | undefined {
  if (marker === undefined) return undefined;
  if (typeof marker !== 'string') throw new RpcError('invalidParams', 'markerNotString');
  if (!HASH.test(marker)) throw new RpcError('invalidParams', 'markerMalformed');
  return marker.toUpperCase();
}

export const nftsByIssuer: Command = {
  name: 'nfts_by_issuer',
  run(params, { network }) {
    if (params.issuer === undefined) throw missingField('issuer');
    if (typeof params.issuer !== 'string') throw new RpcError('invalidParams', 'issuerNotString');
    const issuer = accountIdOf(params.issuer);
    if (issuer === undefined) throw new RpcError('actMalformed', 'issuerMalformed');
    const taxon = taxonParam(params);
    const limit = clioLimit(params);
    const after = issuedMarker(params);
    const { index } = clioLedger(network, params);
    const view = network.ledgers.recent(index)?.view();
    if (view === undefined) throw new RpcError('lgrNotFound', 'ledgerNotFound');
    if (view.read(keylets.account(issuer)) === undefined)
      throw new RpcError('actNotFound', 'accountNotFound');
    const ids = network.ledgers.nftsOf(issuer, {
      limit: limit + 1,
      ...(taxon === undefined ? {} : { taxon }),
      ...(after === undefined ? {} : { after }),
    });
    const page = ids.slice(0, limit);
    return {
      issuer: addressOf(issuer),
      ledger_index: closedLedger(network, { index }).index,
      limit,
      nfts: page.flatMap((id) => {
        const state = nftAt(network, id, index);
        return state === undefined ? [] : [nftJson(state)];
      }),
      validated: true,
      ...(taxon === undefined ? {} : { nft_taxon: taxon }),
      ...(ids.length > limit ? { marker: page.at(-1)! } : {}),
    };
  },
};
