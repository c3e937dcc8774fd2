/** `book_changes`: the trades of a ledger in each order book, as candles (rippled `BookChanges.h`). */

import {
  type Amount,
  AmountError,
  addressOf,
  currencyJson,
} from '../../../engine/codec/arithmetic/amount.ts';
import { divide, NO_ISSUE } from '../../../engine/codec/arithmetic/amount-arithmetic.ts';
import {
  type Asset,
  currencyOf,
  type Hex,
  isMpt,
  issuerOf,
  isXrp,
} from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { affectedNodes } from '../../ledger/indexing.ts';
import type { ClosedTransaction } from '../../ledger/transactions.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { Command } from './command.ts';
import { closedLedger, wantedLedger } from './ledger-choice.ts';

interface Candle {
  readonly assetA: Asset;
  readonly assetB: Asset;
  volumeA: Amount;
  volumeB: Amount;
  readonly open: Amount;
  high: Amount;
  low: Amount;
  close: Amount;
  domain: Hex | undefined;
}

/** What an offer gave and received in one transaction, positive. */
interface Trade {
  readonly gave: Amount;
  readonly got: Amount;
  readonly domain: Hex | undefined;
}

function assetName(asset: Asset): string {
  if (isXrp(asset)) return 'XRP_drops';
  if (isMpt(asset)) return asset;
  return `${addressOf(issuerOf(asset))}/${currencyJson(currencyOf(asset)!)}`;
}

/** Offers that a transaction consumed. Those it cancelled were not traded. */
function* tradesOf({ fields, metaFields }: ClosedTransaction): Generator<Trade, void, undefined> {
  const cancels = /^Offer(?:Create|Cancel)$/.test(fields.TransactionType) ? fields.OfferSequence : undefined;
  for (const { kind, type, fields: final, previous } of affectedNodes(metaFields)) {
    if (type !== 'Offer' || kind === 'CreatedNode') continue;
    if (kind === 'DeletedNode' && cancels !== undefined && final.Sequence === cancels) continue;
    if (!previous.TakerGets || !previous.TakerPays || !final.TakerGets || !final.TakerPays) continue;
    yield {
      gave: previous.TakerGets.sub(final.TakerGets),
      got: previous.TakerPays.sub(final.TakerPays),
      domain: final.DomainID,
    };
  }
}

/** The two sides in the order of the pair's name: XRP first, then by name. */
function sorted({ gave, got }: Trade): { readonly a: Amount; readonly b: Amount; readonly key: string } {
  const gaveName = assetName(gave.asset);
  const gotName = assetName(got.asset);
  const inOrder = gave.isNative || (!got.isNative && gaveName < gotName);
  return inOrder
    ? { a: gave, b: got, key: `${gaveName}|${gotName}` }
    : { a: got, b: gave, key: `${gotName}|${gaveName}` };
}

function rateOf(a: Amount, b: Amount): Amount | undefined {
  try {
    return b.isZero ? undefined : divide(a, b, NO_ISSUE);
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

function record(candles: Map<string, Candle>, trade: Trade): void {
  const { a, b, key } = sorted(trade);
  const rate = rateOf(a, b);
  if (rate === undefined) return;
  const known = candles.get(key);
  if (known === undefined) {
    candles.set(key, {
      assetA: a.asset,
      assetB: b.asset,
      volumeA: a.abs(),
      volumeB: b.abs(),
      open: rate,
      high: rate,
      low: rate,
      close: rate,
      domain: trade.domain,
    });
    return;
  }
  known.volumeA = known.volumeA.add(a.abs());
  known.volumeB = known.volumeB.add(b.abs());
  if (rate.compare(known.high) > 0) known.high = rate;
  if (rate.compare(known.low) < 0) known.low = rate;
  known.close = rate;
  known.domain = trade.domain;
}

const side = (name: 'a' | 'b', asset: Asset): JsonObject =>
  isMpt(asset) ? { [`mpt_issuance_id_${name}`]: asset } : { [`currency_${name}`]: assetName(asset) };

const candleJson = (candle: Candle): JsonObject => ({
  ...side('a', candle.assetA),
  ...side('b', candle.assetB),
  volume_a: candle.volumeA.text(),
  volume_b: candle.volumeB.text(),
  high: candle.high.text(),
  low: candle.low.text(),
  open: candle.open.text(),
  close: candle.close.text(),
  ...(candle.domain === undefined ? {} : { domain: candle.domain }),
});

/** The trades of a closed ledger: the command's answer, and the message of the stream with the same name. */
export function bookChangesOf(ledger: LedgerRecord): JsonObject {
  const candles = new Map<string, Candle>();
  for (const transaction of ledger.transactions)
    for (const trade of tradesOf(transaction)) record(candles, trade);
  return {
    type: 'bookChanges',
    changes: [...candles].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, candle]) => candleJson(candle)),
    ledger_hash: ledger.hash,
    ledger_index: ledger.index,
    ledger_time: ledger.closeTime,
    validated: true,
  };
}

export const bookChanges: Command = {
  name: 'book_changes',
  run(params, { network }) {
    const wanted = wantedLedger(params);
    const { open } = network;
    const isOpen =
      wanted === 'current' ||
      (typeof wanted === 'object' && 'index' in wanted && wanted.index === open.index);
    if (!isOpen) return bookChangesOf(closedLedger(network, wanted));
    // Transactions of the open ledger have no metadata yet.
    return {
      type: 'bookChanges',
      changes: [],
      ledger_current_index: open.index,
      ledger_time: open.view.header.closeTime,
      validated: false,
    };
  },
};
