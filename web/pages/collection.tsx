/** One collection of NFTs: its figures, the price of its sales by day, what can be bought, who has it, what happened. */
import type { Answers } from '../api-types.d.ts';
import * as format from '../format.ts';
import { useAnswer } from '../net/use-answer.ts';
import { Account } from '../parts/account.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { type Figure, Figures } from '../parts/figures.tsx';
import type { PageProps } from '../router.ts';
import { Activity } from './collection/activity.tsx';
import { Listings } from './collection/listings.tsx';
import { Owners } from './collection/owners.tsx';
import { SalePrices } from './collection/sale-prices.tsx';

type Collection = Answers['GET /nft/collections/{slug}'];

export default function CollectionPage({ place: { segments } }: PageProps) {
  const slug = segments[1] ?? '';
  const { value, failure, loading } = useAnswer('/nft/collections/{slug}', { slug });
  return (
    <section class="collection-page">
      <h1>Collection</h1>
      <p class="mono cut">{format.text(slug)}</p>
      {failure && <p class="failure">{failure.message}</p>}
      {loading && <div class="loading" />}
      {value && (
        <>
          <div class="card">
            <Figures figures={figuresOf(value)} />
            <Facts facts={factsOf(value)} />
          </div>
          <SalePrices slug={slug} />
          <div class="columns">
            <Listings slug={slug} />
            <Owners slug={slug} />
          </div>
          <Activity slug={slug} />
        </>
      )}
    </section>
  );
}

const inUnit = (xrp: number | undefined) => format.amount(format.inCurrency(xrp));

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
  ['Sales', format.whole(collection.totalSales)],
  ['Sales 24 h', format.whole(collection.sales24h)],
  ['Listed', format.whole(collection.listedCount)],
  ['All at the floor', inUnit(collection.marketcap?.amount)],
];
