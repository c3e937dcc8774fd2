/** What a transaction did, as a sentence with accounts, amounts and identifiers. */

import type { Fields, Meta } from '../../explain/json.ts';
import { failureOf, isPartial, removedBeside } from '../../explain/results.ts';
import type { Piece } from '../../explain/sentence.ts';
import { typeWords, wordsOf } from '../../explain/words.ts';
import * as format from '../format.ts';
import { Account } from './account.tsx';
import { Asset, LedgerAmount } from './ledger-amount.tsx';

interface Props {
  readonly tx: Fields;
  readonly meta: Meta;
}

export function Sentence({ tx, meta }: Props) {
  return (
    <span class="sentence">
      {wordsOf(tx, meta).map((piece) => (
        <Said piece={piece} />
      ))}
      .
    </span>
  );
}

function Said({ piece }: { readonly piece: Piece }) {
  if (typeof piece === 'string') return <>{piece}</>;
  if ('account' in piece) return <Account address={piece.account} />;
  if ('amount' in piece) return <LedgerAmount amount={piece.amount} />;
  if ('asset' in piece) return <Asset asset={piece.asset} />;
  if ('id' in piece)
    return (
      <span class="mono" title={piece.id}>
        {format.shortAddress(piece.id)}
      </span>
    );
  return <bdi title={piece.text.slice(0, 1000)}>{format.text(piece.text)}</bdi>;
}

interface OutcomeProps {
  readonly meta: Meta;
  readonly long?: boolean;
}

/** The result code, and in words why it had no effect. */
export function Outcome({ meta, long = false }: OutcomeProps) {
  const { TransactionResult: result } = meta;
  const failure = failureOf(result);
  if (failure === undefined)
    return <span class="outcome up">{long ? `Success (${result})` : 'Success'}</span>;
  return (
    <span class="outcome down" title={failure}>
      {long ? `${effectOf(meta)}: ${failure} (${result})` : result}
    </span>
  );
}

/** What came of a transaction that failed. */
function effectOf(meta: Meta): string {
  if (isPartial(meta.TransactionResult)) return 'Done in part';
  const removed = removedBeside(meta);
  return removed ? `No effect but the fee, and ${removed} removed` : 'No effect but the fee';
}

export const TypeName = ({ type }: { readonly type: unknown }) => (
  <span class="tag">{format.text(typeWords(type), 40)}</span>
);
