/** An account's address, short; the whole of it is in the title and for whoever copies it. */
import * as format from '../format.ts';

export function Account({ address }: { readonly address: string }) {
  return (
    <span class="mono" title={address}>
      {format.shortAddress(address)}
    </span>
  );
}
