/** One collection of NFTs: its figures, floor and prices of its sales by day, what can be bought, who has it, its traits, what happened. */
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Account } from '../parts/account.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { FailureLine } from '../parts/failure-line.tsx';
import { type Figure, Figures, inUnit } from '../parts/figures.tsx';
import { logoPath, Picture } from '../parts/picture.tsx';
import type { PageProps } from '../router.ts';
import { useTitle } from '../title.ts';
import { Activity } from './collection/activity.tsx';
import { FloorHistory } from './collection/floor-history.tsx';
import { Gallery } from './collection/gallery.tsx';
import { Listings } from './collection/listings.tsx';
import { Owners } from './collection/owners.tsx';
import { SalePrices } from './collection/sale-prices.tsx';
import { Traits } from './collection/traits.tsx';

/** Characters. */
const DESCRIPTION_SHOWN = 600;

type Collection = Answers['GET /nft/collections/{slug}'];

/** Of the box of its picture, px. */
const LOGO_SIDE = 64;

export default function CollectionPage({ place: { segments, query } }: PageProps) {
  const slug = segments[1] ?? '';
  const { value, failure, loading } = useAnswer('/nft/collections/{slug}', { slug });
  const name = format.text(value?.name);
  useTitle(`${name || format.shortAddress(format.text(slug))}, NFTs`);
  return (
    <section class="collection-page">
      <div class="with-picture">
        <Picture
          path={logoPath(value?.logoImage, LOGO_SIDE)}
          side={LOGO_SIDE}
          alt="Picture of one of its NFTs"
        />
        <div class="texts">
          <h1>
            <bdi>{name || 'Collection'}</bdi>
          </h1>
          <p>
            <Copyable text={format.text(slug)} what="the id of the collection" class="mono cut" />
          </p>
        </div>
      </div>
      <FailureLine of={failure} />
      {loading && <div class="loading" />}
      {value && (
        <>
          <div class="card">
            <Figures figures={figuresOf(value)} />
            <Facts facts={factsOf(value)} />
          </div>
          <Gallery slug={slug} />
          <FloorHistory slug={slug} />
          <SalePrices slug={slug} />
          <div class="columns">
            <Listings slug={slug} />
            <Owners slug={slug} />
          </div>
          <Traits slug={slug} chosen={query.get('traits') ?? ''} />
          <Activity slug={slug} />
        </>
      )}
    </section>
  );
}

const changeOf = (percent: number | undefined) =>
  percent === undefined ? 'Not known' : format.percent(percent);

const figuresOf = (collection: Collection): readonly Figure[] => [
  { title: 'Floor', of: collection.floor, text: inUnit(collection.floor) },
  { title: 'Highest offer', of: collection.topOffer?.amount, text: inUnit(collection.topOffer?.amount) },
  { title: 'Volume 24 h', of: collection.totalVol24h, text: inUnit(collection.totalVol24h) },
  { title: 'Volume', of: collection.totalVolume, text: inUnit(collection.totalVolume) },
  { title: 'NFTs', of: collection.items, text: format.whole(collection.items) },
  { title: 'Owners', of: collection.owners, text: format.whole(collection.owners) },
];

const factsOf = (collection: Collection): readonly Fact[] => [
  ['Issuer', <Account key="issuer" address={collection.issuer} />],
  ['Taxon', format.whole(collection.taxon)],
  ['First minted', collection.created ? format.time(collection.created) : 'Before the ledgers read here'],
  ['Burned', format.whole(collection.burnedItems)],
  ['Floor in 24 h', changeOf(collection.floor1dPercent)],
  ['Floor in 7 days', changeOf(collection.floor7dPercent)],
  ['Floor in 30 days', changeOf(collection.floor30dPercent)],
  ['Sales', format.whole(collection.totalSales)],
  ['Sales 24 h', format.whole(collection.sales24h)],
  ['Listed', format.whole(collection.listedCount)],
  ['All at the floor', collection.marketcap ? inUnit(collection.marketcap.amount) : format.NONE],
  ...said('Royalty', collection.royaltyFee === undefined ? undefined : `${collection.royaltyFee}%`),
  ['Royalties paid', inUnit(collection.totalRoyalties)],
  ['Brokers kept', inUnit(collection.totalBrokerFees)],
  ...said('Minted through', collection.origin),
  ...said('Category', collection.category),
  ...said('Tags', collection.tags?.join(', ')),
  ...said('Website', collection.website),
  ...said('X', collection.twitter),
  ...said('Description', collection.description, DESCRIPTION_SHOWN),
];

/** What its issuer says of it, if anything. */
const said = (name: string, text: string | undefined, longest?: number): readonly Fact[] =>
  text ? [[name, <bdi key={name}>{format.text(text, longest)}</bdi>]] : [];
