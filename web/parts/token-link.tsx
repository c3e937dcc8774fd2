/** A token by its name alone, as a link to its page; XRP has none. */
import * as format from '../format.ts';
import { linkTo } from '../router.ts';

export function TokenLink({
  token,
}: {
  token: { readonly md5: string; readonly name: string; readonly currency?: string };
}) {
  if (token.currency === 'XRP') return <>XRP</>;
  return (
    <a href={linkTo(['token', token.md5])} title={format.text(token.name, 400)}>
      <bdi>{format.text(token.name, 24)}</bdi>
    </a>
  );
}
