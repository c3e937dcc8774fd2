/** NFTs of a collection with their pictures: those that anyone can buy first, the cheapest first. */
import type { Answers } from '../../api-types.d.ts';
import * as format from '../../format.ts';
import { useAnswer } from '../../net/use-answer.ts';
import { FailureLine } from '../../parts/failure-line.tsx';
import { Picture } from '../../parts/picture.tsx';
import { linkTo } from '../../router.ts';

const SHOWN = 12;
/** Of the box of a picture, px. */
const SIDE = 96;
const ID_SHOWN = 6;

type Nft = Answers['GET /nft/{nftId}'];

export function Gallery({ slug }: { readonly slug: string }) {
  const { value, failure } = useAnswer('/nft/collections/{slug}/nfts', {
    slug,
    sort: 'price-low',
    limit: SHOWN,
  });
  return (
    <section class="card" aria-labelledby="gallery">
      <h2 id="gallery">NFTs, XRP</h2>
      <FailureLine of={failure} />
      <ul class="gallery">
        {((value?.nfts ?? []) as unknown as readonly Nft[]).map((nft) => (
          <Shown key={nft.NFTokenID} nft={nft} />
        ))}
      </ul>
    </section>
  );
}

function Shown({ nft }: { readonly nft: Nft }) {
  const { NFTokenID: id, name, cost } = nft;
  const file = thumbnailOf(nft);
  return (
    <li>
      <a href={linkTo(['nft', id])} title={id}>
        <Picture path={file && `nft/${file}`} side={SIDE} alt="">
          <span class="quiet">{`…${id.slice(-ID_SHOWN)}`}</span>
        </Picture>
        <bdi class="cut">{format.text(name) || `…${id.slice(-ID_SHOWN)}`}</bdi>
        <span class="quiet">{cost ? format.price(cost.amount) : format.NONE}</span>
      </a>
    </li>
  );
}

function thumbnailOf({ files }: Nft): string | undefined {
  const thumbnail: unknown = files?.[0]?.thumbnail;
  const { medium } = (thumbnail ?? {}) as { medium?: unknown };
  return typeof medium === 'string' ? medium : undefined;
}
