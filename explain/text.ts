/** A transaction as plain text, for answers and for language models: the sentence of `words.ts`, and why it failed. */
import { xrpOfDrops } from './decimal.ts';
import { type AmountJson, type AssetJson, currencyText, type Fields, isMpt, type Meta } from './json.ts';
import { failureOf } from './results.ts';
import { strangersText } from './strangers-text.ts';
import { type Piece, wordsOf } from './words.ts';

/** @param meta as nodes write it @param about r-address: named `this account` */
export function transactionText(tx: Fields, meta: Fields, about?: string): string {
  const sentence = wordsOf(tx, meta as Meta)
    .map((piece) => plain(piece, about))
    .join('');
  // An address keeps its small r: in capitals it would be another one.
  const [first = ''] = sentence;
  const started = tx.Account === about ? `${first.toUpperCase()}${sentence.slice(1)}` : sentence;
  const failure = failureOf(meta.TransactionResult);
  return failure === undefined
    ? `${started}.`
    : `${started}. It failed: ${failure} (${meta.TransactionResult}); only the fee was taken.`;
}

function plain(piece: Piece, about: string | undefined): string {
  if (typeof piece === 'string') return piece;
  if ('account' in piece) return piece.account === about ? 'this account' : piece.account;
  if ('amount' in piece) return amountText(piece.amount);
  if ('asset' in piece) return assetText(piece.asset);
  if ('id' in piece) return piece.id;
  return strangersText(piece.text);
}

/** XRP in XRP; tokens with every digit, by the text of their currency. */
function amountText(amount: AmountJson): string {
  if (typeof amount === 'string')
    return /^\d+$/.test(amount) ? `${xrpOfDrops(amount)} XRP` : 'an amount that was not recorded';
  return `${amount.value} ${assetText(amount)}`;
}

const assetText = (asset: AssetJson): string =>
  isMpt(asset) ? `MPT ${asset.mpt_issuance_id}` : strangersText(currencyText(asset.currency));
