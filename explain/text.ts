/** A transaction as plain text, for answers and for language models: the sentence of `words.ts`, and why it failed. */
import { shifted, xrpOfDrops } from './decimal.ts';
import { type AmountJson, type AssetJson, currencyText, type Fields, isMpt, type Meta } from './json.ts';
import { failureOf, isPartial, removedBeside } from './results.ts';
import type { Piece } from './sentence.ts';
import { strangersText } from './strangers-text.ts';
import { wordsOf } from './words.ts';

export interface TextOptions {
  /** r-address: named `this account`. */
  readonly about?: string | undefined;
  /** Decimal places of an MPT by its id: transactions count in its smallest unit. Default: 0. */
  readonly places?: (mpt: string) => number;
}

/** @param meta as nodes write it */
export function transactionText(tx: Fields, meta: Fields, options: TextOptions = {}): string {
  const { about } = options;
  const sentence = wordsOf(tx, meta as Meta)
    .map((piece) => plain(piece, options))
    .join('');
  // An address keeps its small r: in capitals it would be another one.
  const [first = ''] = sentence;
  const started = tx.Account === about ? `${first.toUpperCase()}${sentence.slice(1)}` : sentence;
  const failure = failureOf(meta.TransactionResult);
  if (failure === undefined) return `${started}.`;
  const result = `${failure} (${meta.TransactionResult})`;
  if (isPartial(meta.TransactionResult)) return `${started}. It was done in part: ${result}.`;
  const removed = removedBeside(meta as Meta);
  const taken = removed ? `the fee was taken, and ${removed} removed` : 'only the fee was taken';
  return `${started}. It failed: ${result}; ${taken}.`;
}

function plain(piece: Piece, { about, places }: TextOptions): string {
  if (typeof piece === 'string') return piece;
  if ('account' in piece) return piece.account === about ? 'this account' : piece.account;
  if ('amount' in piece) return amountText(piece.amount, places);
  if ('asset' in piece) return assetText(piece.asset);
  if ('id' in piece) return piece.id;
  return strangersText(piece.text);
}

/** XRP in XRP; tokens with every digit, by the text of their currency. */
function amountText(amount: AmountJson, places: TextOptions['places']): string {
  if (typeof amount === 'string')
    return /^-?\d+$/.test(amount) ? `${xrpOfDrops(amount)} XRP` : 'an amount that was not recorded';
  const down = isMpt(amount) ? (places?.(amount.mpt_issuance_id) ?? 0) : 0;
  return `${down === 0 ? amount.value : shifted(amount.value, down)} ${assetText(amount)}`;
}

const assetText = (asset: AssetJson): string =>
  isMpt(asset) ? `MPT ${asset.mpt_issuance_id}` : strangersText(currencyText(asset.currency));
