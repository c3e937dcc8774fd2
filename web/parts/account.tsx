/** An account's address, short; the whole of it is in the title. A link to what it trades. */
import * as format from '../format.ts';
import { linkTo } from '../router.ts';

export function Account({ address }: { readonly address: string }) {
  return (
    <a class="mono" href={linkTo(['trader', address])} title={address}>
      {format.shortAddress(address)}
    </a>
  );
}
