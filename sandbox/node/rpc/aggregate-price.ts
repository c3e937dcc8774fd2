/** `get_aggregate_price`: statistics over the prices that oracles publish of a pair (rippled `GetAggregatePrice.cpp`). */

import { Amount, currencyJson } from '../../../engine/codec/arithmetic/amount.ts';
import { divide, NO_ISSUE } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import type { AccountId } from '../../../engine/codec/arithmetic/asset.ts';
import type { Numbers } from '../../../engine/codec/arithmetic/number.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../engine/codec/values.ts';
import type { Entry, Fields } from '../../protocol/fields.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Network } from '../network.ts';
import type { Command } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { chooseState } from './ledger-choice.ts';
import { accountIdOf, currencyParam, isU32 } from './params.ts';

const ORACLES_MAX = 200;
/** Percent of the prices that may be cut off at each end. */
const TRIM_MAX = 25;
/** Earlier states of an oracle that are searched for a price of the pair. */
const HISTORY_MAX = 3;

interface OracleName {
  readonly account: AccountId;
  readonly documentId: number;
}

interface Pair {
  readonly base: string;
  readonly quote: string;
}

interface Price {
  readonly time: number;
  readonly price: Amount;
}

/** An unsigned number of 32 bits or its text; undefined for other values. */
function wholeOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && /^\+?\d{1,10}$/.test(value) ? Number(value) : value;
  return isU32(number) ? number : undefined;
}

/** @throws RpcError invalidParams */
function optionalWhole(params: JsonObject, name: string): number | undefined {
  if (params[name] === undefined) return undefined;
  const number = wholeOf(params[name]);
  if (number === undefined) throw new RpcError('invalidParams');
  return number;
}

/** @throws RpcError invalidParams */
function currencyName(value: Json | undefined): string {
  if (typeof value !== 'string' || value === '' || currencyParam(value) === undefined)
    throw new RpcError('invalidParams');
  return value;
}

/** @throws RpcError */
function oracleOf(value: Json): OracleName {
  if (!isJsonObject(value) || value.oracle_document_id === undefined || value.account === undefined)
    throw new RpcError('oracleMalformed');
  const documentId = wholeOf(value.oracle_document_id);
  const account = accountIdOf(value.account);
  if (documentId === undefined || account === undefined || /^0+$/.test(account))
    throw new RpcError('invalidParams');
  return { account, documentId };
}

/** The price of the pair in one state of an oracle. */
function priceIn(oracle: Readonly<Fields>, { base, quote }: Pair): Price | undefined {
  for (const { PriceData } of oracle.PriceDataSeries ?? []) {
    const { BaseAsset, QuoteAsset, AssetPrice, Scale } = PriceData ?? {};
    if (AssetPrice === undefined || BaseAsset === undefined || QuoteAsset === undefined) continue;
    if (currencyJson(BaseAsset) !== base || currencyJson(QuoteAsset) !== quote) continue;
    return {
      time: oracle.LastUpdateTime ?? 0,
      price: Amount.issued(NO_ISSUE, AssetPrice, -(Scale ?? 0)),
    };
  }
  return undefined;
}

/** An oracle's present state, then earlier ones from metadata. */
function* statesOf(network: Network, oracle: Readonly<Entry>): Generator<Readonly<Fields>, void, undefined> {
  yield oracle;
  let chain: Readonly<Fields> = oracle;
  for (let back = 1; back <= HISTORY_MAX; back++) {
    const found = network.ledgers.transaction(chain.PreviousTxnID ?? '');
    const node = found && nodeOf(found.transaction.metaFields, oracle.index);
    if (node === undefined) return;
    // The metadata of the transaction that created the oracle holds no earlier state.
    if (node.NewFields !== undefined && back === 1) return;
    const state = node.NewFields ?? node.FinalFields;
    if (state === undefined) return;
    yield state;
    if (node.NewFields !== undefined) return;
    chain = node;
  }
}

function nodeOf(meta: Readonly<Fields>, key: string): Fields | undefined {
  for (const { CreatedNode, ModifiedNode } of meta.AffectedNodes ?? []) {
    const node = CreatedNode ?? ModifiedNode;
    if (node?.LedgerIndex === key) return node;
  }
  return undefined;
}

function priceOf(network: Network, oracle: Readonly<Entry>, pair: Pair): Price | undefined {
  for (const state of statesOf(network, oracle)) {
    const price = priceIn(state, pair);
    if (price !== undefined) return price;
  }
  return undefined;
}

const count = (n: number): Amount => Amount.issued(NO_ISSUE, BigInt(n), 0);

/** Mean, spread (of a sample) and number of prices. */
function statistics(prices: readonly Price[], numbers: Numbers): JsonObject {
  const zero = Amount.zero(NO_ISSUE);
  const total = prices.reduce((sum, { price }) => sum.add(price), zero);
  const mean = divide(total, count(prices.length), NO_ISSUE);
  let squares = numbers.of(0);
  for (const { price } of prices) {
    const off = numbers.of(price.sub(mean));
    squares = numbers.add(squares, numbers.mul(off, off));
  }
  const spread =
    prices.length > 1 ? numbers.sqrt(numbers.div(squares, numbers.of(prices.length - 1))) : squares;
  return { mean: mean.text(), size: prices.length, standard_deviation: numbers.text(spread) };
}

function medianOf(prices: readonly Price[]): Amount {
  const middle = Math.floor(prices.length / 2);
  const upper = prices[middle]!.price;
  if (prices.length % 2 === 1) return upper;
  return divide(prices[middle - 1]!.price.add(upper), count(2), NO_ISSUE);
}

/** Prices no older than `threshold` seconds before the newest one. */
function recent(prices: readonly Price[], threshold: number): readonly Price[] {
  const times = prices.map(({ time }) => time);
  const newest = Math.max(...times);
  const oldest = Math.min(...times);
  const bound = threshold > 0 && newest > threshold ? newest - threshold : oldest;
  return prices.filter(({ time }) => time >= bound);
}

export const aggregatePrice: Command = {
  name: 'get_aggregate_price',
  run(params, { network }) {
    const { oracles } = params;
    if (oracles === undefined) throw missingField('oracles');
    if (!Array.isArray(oracles) || oracles.length === 0 || oracles.length > ORACLES_MAX)
      throw new RpcError('oracleMalformed');
    for (const name of ['base_asset', 'quote_asset'])
      if (params[name] === undefined) throw missingField(name);
    const trim = optionalWhole(params, 'trim');
    if (trim === 0 || (trim ?? 0) > TRIM_MAX) throw new RpcError('invalidParams');
    const threshold = optionalWhole(params, 'time_threshold') ?? 0;
    const pair = { base: currencyName(params.base_asset), quote: currencyName(params.quote_asset) };
    const names = oracles.map(oracleOf);
    const { view, members } = chooseState(network, params);
    const found = names.flatMap(({ account, documentId }) => {
      const oracle = view.read(keylets.oracle(account, documentId));
      return (oracle && priceOf(network, oracle, pair)) ?? [];
    });
    if (found.length === 0) throw new RpcError('objectNotFound', undefined, members);
    const prices = [...recent(found, threshold)].sort((a, b) => a.price.compare(b.price));
    const { numbers } = view.rules;
    const cut = Math.floor((prices.length * (trim ?? 0)) / 100);
    return {
      ...members,
      entire_set: statistics(prices, numbers),
      median: medianOf(prices).text(),
      time: Math.max(...prices.map(({ time }) => time)),
      ...(trim === undefined
        ? {}
        : { trimmed_set: statistics(prices.slice(cut, prices.length - cut), numbers) }),
    };
  },
};
