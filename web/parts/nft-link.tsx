/** An NFT by its name, else by the end of its id, which tells those of a collection apart; leads to its page. */
import * as format from '../format.ts';
import { linkTo } from '../router.ts';

const SHOWN = 12;
const NAME_MAX = 40;

interface NftLinkProps {
  readonly id: string;
  readonly name?: string | undefined;
}

export function NftLink({ id, name }: NftLinkProps) {
  const text = format.text(name, NAME_MAX);
  return (
    <a class={text ? '' : 'mono'} href={linkTo(['nft', id])} title={id}>
      <bdi>{text || `…${id.slice(-SHOWN)}`}</bdi>
    </a>
  );
}
