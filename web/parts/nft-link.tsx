/** An NFT by the end of its id, which tells those of a collection apart; leads to its page. */
import { linkTo } from '../router.ts';

const SHOWN = 12;

export function NftLink({ id }: { readonly id: string }) {
  return <a class="mono" href={linkTo(['nft', id])} title={id}>{`…${id.slice(-SHOWN)}`}</a>;
}
