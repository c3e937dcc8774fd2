/** The entries of the ledger that the transaction created, changed or removed. */

import { type ChangedEntry, changedEntries, type Meta, named } from '../../../explain/json.ts';
import { entryWords, typeWords } from '../../../explain/words.ts';
import * as format from '../../format.ts';
import { Account } from '../../parts/account.tsx';

const SIGNS = { created: '+', changed: '±', removed: '−' } as const;

export function Entries({ meta }: { readonly meta: Meta }) {
  const entries = changedEntries(meta);
  return (
    <details class="entries">
      <summary>{`Ledger entries: ${entries.length} created, changed or removed`}</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.index}>
            <span aria-hidden="true" class={`sign ${entry.action}`}>
              {SIGNS[entry.action]}
            </span>{' '}
            <Entry entry={entry} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Entry({ entry: { action, type, index, fields } }: { readonly entry: ChangedEntry }) {
  const owner = fields.Account ?? fields.Owner;
  const name = named(entryWords, type) ?? typeWords(type).toLowerCase();
  return (
    <>
      {`${action} ${name} `}
      {typeof owner === 'string' && (
        <>
          of <Account address={owner} />{' '}
        </>
      )}
      <span class="mono quiet" title={index}>
        {format.shortAddress(index)}
      </span>
    </>
  );
}
