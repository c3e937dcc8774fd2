/** One NFT: whose it is, what it costs, the offers for it, and what happened to it. */
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Account } from '../parts/account.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { Figures, inUnit } from '../parts/figures.tsx';
import { NftEvents } from '../parts/nft-events.tsx';
import { Picture } from '../parts/picture.tsx';
import { scamText } from '../parts/scam-text.ts';
import { Unanswered } from '../parts/unanswered.tsx';
import { linkTo, type PageProps } from '../router.ts';
import { useTitle } from '../title.ts';
import { Offers } from './nft/offers.tsx';
import { Traits } from './nft/traits.tsx';

type Nft = Answers['GET /nft/{nftId}'];

const EVENTS_SHOWN = 50;
/** Of the box of its picture, px. */
const PICTURE_SIDE = 256;
/** Transfer fees are in 1/1000 percent. */
const FEE_UNIT = 1000;
/** NFTokenID flags (XLS-20). */
const FLAGS: readonly (readonly [flag: number, name: string])[] = [
  [1, 'its issuer can burn it'],
  [2, 'sold for XRP only'],
  [8, 'can be transferred'],
  [16, 'its URI can change'],
];

export default function NftPage({ place: { segments } }: PageProps) {
  const nftId = segments[1] ?? '';
  const shown = useAnswer('/nft/{nftId}', { nftId });
  const { value } = shown;
  const name = format.text(value?.name);
  useTitle(`${name || format.shortAddress(format.text(nftId))}, NFT`);
  return (
    <section class="nft-page">
      <h1>
        <bdi>{name || 'NFT'}</bdi>
      </h1>
      <p>
        <Copyable text={format.text(nftId)} what="the NFTokenID" class="mono id" />
      </p>
      {value ? <Shown nft={value} /> : <Unanswered shown={shown} what="This NFT" />}
    </section>
  );
}

function Shown({ nft }: { readonly nft: Nft }) {
  const { NFTokenID: nftId } = nft;
  const offers = useAnswer('/nft/{nftId}/offers', { nftId });
  const events = useAnswer('/nft/history/{nftId}', { nftId, limit: EVENTS_SHOWN });
  const best = offers.value?.buyOffers.find(({ funded, amount }) => funded && typeof amount === 'string');
  const bid = best && Number(best.amount) / 1e6;
  return (
    <>
      {nft.scam && (
        <p class="scam-warning" role="note">
          {`Take care: its issuer is on the blocklist, for ${scamText(nft.scamType)}. `}
          <a href={linkTo(['scams', nft.issuer])}>Why</a>
        </p>
      )}
      <div class="card shown">
        <Picture
          path={pictureOf(nft)}
          side={PICTURE_SIDE}
          alt={`Picture of ${format.text(nft.name) || 'the NFT'}`}
        >
          <span class="quiet">No picture is known</span>
        </Picture>
        <Figures
          figures={[
            { title: 'Price', of: nft.cost?.amount, text: inUnit(nft.cost?.amount) },
            { title: 'Highest offer', of: bid, text: inUnit(bid) },
            { title: 'Royalty', of: nft.transferFee, text: format.percent(nft.transferFee / FEE_UNIT, 3) },
            { title: 'Rarity', of: nft.rarity_rank, text: rankText(nft) },
            { title: 'NFTs of its collection', of: nft.total, text: format.whole(nft.total) },
          ]}
        />
        <Facts facts={factsOf(nft)} />
      </div>
      <div class="columns">
        <Offers title="Offers to sell" id="sell" shown={offers} side="sellOffers" />
        <Offers title="Offers to buy" id="buy" shown={offers} side="buyOffers" />
      </div>
      <Traits nft={nft} />
      <section class="card" aria-labelledby="events">
        <h2 id="events">What happened</h2>
        <FailureLine of={events.failure} />
        <NftEvents
          label="Events of the NFT"
          rows={events.value?.history ?? []}
          loading={events.value === undefined}
          isOfOne
        />
      </section>
    </>
  );
}

const rankText = ({ rarity_rank: rank }: Nft) =>
  rank === undefined ? format.NONE : `#${format.whole(rank)}`;

function factsOf(nft: Nft): readonly Fact[] {
  const flags = FLAGS.filter(([flag]) => (nft.flags & flag) !== 0).map(([, name]) => name);
  return [
    ['Owner', nft.account ? <Account address={nft.account} /> : 'Nobody: it was burned'],
    [
      'Collection',
      <a key="collection" href={linkTo(['collection', nft.cslug])}>
        <bdi>{collectionName(nft)}</bdi>
      </a>,
    ],
    ['Issuer', <Account key="issuer" address={nft.issuer} />],
    ['Serial', format.whole(nft.serial)],
    ['Minted', nft.date ? format.time(nft.date) : 'Before the ledgers read here'],
    ...(nft.burnedAt ? ([['Burned', format.time(nft.burnedAt)]] as const) : []),
    ...(nft.modifiedAt ? ([['Changed', format.time(nft.modifiedAt)]] as const) : []),
    ['Rules', flags.join(', ') || format.NONE],
    ['URI', <bdi key="uri">{format.text(uriText(nft.url)) || format.NONE}</bdi>],
  ];
}

/** Below the host of images; undefined: none is known. */
function pictureOf({ files }: Nft): string | undefined {
  const [file] = files ?? [];
  return typeof file?.convertedFile === 'string' ? `nft/${file.convertedFile}` : undefined;
}

/** What the hex of a URI says; it is any bytes, and never followed. */
function uriText(hex: string | undefined): string {
  const bytes = (hex?.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** As it is named; the name is no proof of anything, the address leads to the issuer. */
function collectionName({ collection, issuer, taxon }: Nft): string {
  const name = typeof collection === 'string' ? format.text(collection) : '';
  return name || `${format.shortAddress(issuer)} ${taxon}`;
}
