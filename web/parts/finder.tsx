/** Opens a ledger by its number, or a transaction by its hash. */
import { useState } from 'preact/hooks';
import { linkTo } from '../router.ts';

/** The place of what was typed; undefined where it is neither. */
export function placeFor(typed: string): string | undefined {
  const plain = typed.replace(/[\s,]/g, '');
  if (/^\d{1,10}$/.test(plain)) return linkTo(['ledger', plain]);
  if (/^[0-9a-f]{64}$/i.test(plain)) return linkTo(['tx', plain.toUpperCase()]);
  return undefined;
}

export function Finder() {
  const [typed, type] = useState('');
  const [isRefused, refuse] = useState(false);
  const open = (event: Event) => {
    event.preventDefault();
    const found = placeFor(typed);
    refuse(found === undefined);
    if (found) location.hash = found;
  };
  return (
    <form class="finder" onSubmit={open}>
      <input
        type="text"
        value={typed}
        onInput={(event) => type(event.currentTarget.value)}
        aria-label="Ledger number or hash of a transaction"
        aria-invalid={isRefused}
        placeholder="Ledger number or transaction hash"
      />
      <button type="submit">Open</button>
      <span role="status" class="down">
        {isRefused ? 'Neither a ledger number nor a hash of 64 hex digits' : ''}
      </span>
    </form>
  );
}
