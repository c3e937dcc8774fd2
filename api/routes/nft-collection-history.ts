/** Section 4.5: floor, listings and owners of collections of NFTs on each day. Amounts are XRP, days UTC. */

import { dayText } from '../../views/date-text.ts';
import { collectionId, collectionSlug } from '../../views/nfts/collection-ids.ts';
import { type CollectionDayValues, PAST_DAYS_MAX } from '../../views/nfts/collection-past.ts';
import { limit } from '../common.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { describe, integer, list, number, object, orNull, string } from '../schema.ts';
import {
  collectionSlugParam,
  EXAMPLE_COLLECTION,
  existingCollection,
  ofCollections,
} from './nft-collection-schemas.ts';

const day = {
  date: describe(string, 'YYYY-MM-DD, UTC'),
  time: describe(integer, 'When the day began, Unix ms'),
};
const collection = { cid: describe(string, '<issuer>:<taxon>'), slug: string, count: integer };
const EACH_DAY =
  'at the end of each day, the oldest first; of the day that has begun after the newest ledger; from the first day known';

/** Its newest days. */
function daysOf<T>(
  text: string,
  context: RouteContext,
  most: number,
  show: (values: CollectionDayValues) => T,
) {
  const { views, engine } = context;
  const row = existingCollection(text, context);
  const { collections } = engine.nfts;
  const history = views.nfts.past.days(row, most).map((values) => ({
    date: dayText(values.time),
    time: values.time,
    ...show(values),
  }));
  return {
    cid: collectionId(collections, row),
    slug: collectionSlug(collections, row),
    count: history.length,
    history,
  };
}

const floors = object({
  ...collection,
  limit: integer,
  history: list(
    object({
      ...day,
      floor: describe(
        orNull(number),
        'The cheapest NFT that anyone could buy for XRP; null: none was listed',
      ),
    }),
  ),
});
const days = { ...limit(100, PAST_DAYS_MAX), about: 'Newest days to answer' };

const floorHistory = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/floor/history',
  example: { slug: EXAMPLE_COLLECTION, limit: 30 },
  summary: `The floor of a collection ${EACH_DAY}`,
  params: { slug: collectionSlugParam, limit: days },
  response: floors,
  handler: ({ slug, limit }, context) => ({
    ...daysOf(slug, context, limit, ({ floor }) => ({ floor })),
    limit,
  }),
});

const floorHistoryById = route({
  ...ofCollections,
  path: '/nft/floor/history/{cid}',
  example: { cid: EXAMPLE_COLLECTION },
  summary: `The floor of a collection ${EACH_DAY}`,
  params: { cid: collectionSlugParam, limit: days },
  response: floors,
  handler: ({ cid, limit }, context) => ({
    ...daysOf(cid, context, limit, ({ floor }) => ({ floor })),
    limit,
  }),
});

const listingsHistory = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/listings/history',
  example: { slug: EXAMPLE_COLLECTION },
  summary: `How many NFTs of a collection anyone could buy for XRP, and offers in XRP to buy one, ${EACH_DAY}`,
  params: { slug: collectionSlugParam },
  response: object({
    ...collection,
    history: list(
      object({
        ...day,
        listed: describe(integer, 'NFTs that anyone could buy for XRP'),
        bids: describe(integer, 'Offers in XRP to buy one of its NFTs that had not expired'),
        floor: orNull(number),
      }),
    ),
  }),
  handler: ({ slug }, context) =>
    daysOf(slug, context, PAST_DAYS_MAX, ({ listed, bids, floor }) => ({ listed, bids, floor })),
});

const holdersHistory = route({
  ...ofCollections,
  path: '/nft/collections/{slug}/holders/history',
  example: { slug: EXAMPLE_COLLECTION },
  summary: `How many accounts owned NFTs of a collection ${EACH_DAY}`,
  params: { slug: collectionSlugParam },
  response: object({ ...collection, history: list(object({ ...day, holders: integer })) }),
  handler: ({ slug }, context) => daysOf(slug, context, PAST_DAYS_MAX, ({ owners }) => ({ holders: owners })),
});

export const nftCollectionHistoryRoutes: Route[] = [
  floorHistory,
  floorHistoryById,
  listingsHistory,
  holdersHistory,
];
