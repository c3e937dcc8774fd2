/** Section 4.5: who holds the NFTs of a collection, and what an account holds. */
import { notFound } from '../../requests/errors.ts';
import { collectionId, collectionSlug } from '../../views/nfts/collection-ids.ts';
import { NFT_TIERS } from '../../views/nfts/holders.ts';
import { account, limit, offset } from '../common.ts';
import { samples } from '../examples.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { describe, integer, list, number, object, string } from '../schema.ts';
import { addressOf } from './trader-schemas.ts';

const shared = {
  method: 'GET',
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 2,
  bucket: '/nft/holders',
} as const;

const slug = {
  in: 'path',
  kind: 'text',
  maxLength: 64,
  about: 'Collection: its slug, <issuer>-<taxon>, or <issuer>:<taxon>',
} as const;

/** @throws ApiError 404 */
function existing(text: string, { views, engine }: RouteContext) {
  const row = views.nfts.collection(text);
  if (row === 0) throw notFound('Collection not found', 'None of the ledgers read shows an NFT of it');
  const { collections } = engine.nfts;
  const cid = collectionId(collections, row);
  return {
    row,
    names: {
      cid,
      slug: collectionSlug(collections, row),
      account: cid.slice(0, cid.indexOf(':')),
      taxon: collections.taxon(row),
      ...views.nfts.texts.named(row),
    },
  };
}

const named = { 'name?': string, 'logoImage?': describe(string, 'File below /s1/nft-collection/') };
const names = {
  cid: string,
  slug: string,
  account: describe(string, 'The issuer'),
  taxon: integer,
  ...named,
};
const stats = object({ totalNFTs: integer, totalOwners: integer });
const percent = describe(number, 'Percent of the NFTs of the collection');

const topHolders = list(object({ address: string, count: integer, rank: integer, percentage: percent }));

const changed = list(object({ address: string, change: integer, now: integer }));
const changes = describe(
  object({
    ownersChange: integer,
    since: describe(integer, 'Unix ms: a day ago, or the first ledger that is known'),
    gainers: describe(changed, 'Had some before'),
    losers: describe(changed, 'Have some left'),
    newOwners: list(object({ address: string, count: integer })),
    exitedOwners: list(object({ address: string, had: integer })),
    summary: object({ gainers: integer, losers: integer, newOwners: integer, exitedOwners: integer }),
  }),
  'What accounts have more or fewer in a day; of each kind the largest changes',
);

const holders = route({
  ...shared,
  path: '/nft/holders/{slug}',
  example: { slug: `${samples.account}-0`, limit: 20 },
  summary: 'Holders of the NFTs of a collection, those with most first',
  params: { slug, offset, limit: limit(20, 100) },
  response: object({
    ...names,
    stats,
    topHolders,
    changes,
    pagination: object({ total: integer, pages: integer, offset: integer, limit: integer }),
  }),
  cache: 'ledger',
  handler: async ({ slug, offset, limit }, context) => {
    const { row, names } = existing(slug, context);
    const { topHolders, ...stats } = await context.views.nfts.holders.page(row, offset, limit);
    const total = stats.totalOwners;
    const pagination = { total, pages: Math.ceil(total / limit), offset, limit };
    const changes = await context.views.nfts.holders.changes(row);
    return { ...names, stats, topHolders, changes, pagination };
  },
});

const tier = object({ threshold: integer, holders: integer, nfts: integer, nftsPct: percent });

const distribution = route({
  ...shared,
  path: '/nft/holders/{slug}/distribution',
  example: { slug: `${samples.account}-0`, limit: 20 },
  summary: `Holders by how many NFTs of a collection they have: ${Object.entries(NFT_TIERS)
    .map(([name, least]) => `${name} ${least} or more`)
    .join(', ')}`,
  params: { slug, offset, limit: limit(20, 100) },
  response: object({
    ...names,
    stats,
    topHolders,
    offset: integer,
    limit: integer,
    distribution: object({ whales: tier, orcas: tier, dolphins: tier, fish: tier, shrimp: tier }),
  }),
  cache: 'ledger',
  handler: async ({ slug, offset, limit }, context) => {
    const { row, names } = existing(slug, context);
    const { distribution, ...stats } = await context.views.nfts.holders.distribution(row);
    const { topHolders } = await context.views.nfts.holders.page(row, offset, limit);
    return { ...names, stats, topHolders, offset, limit, distribution };
  },
});

const ofAccount = route({
  ...shared,
  path: '/nft/holders/address/{account}',
  example: { account: samples.account, limit: 20 },
  summary: 'Collections that an account holds NFTs of, those with most first; none where it holds none',
  params: { account, offset, limit: limit(20, 100) },
  response: object({
    account: string,
    totalCollections: integer,
    offset: integer,
    limit: integer,
    holdings: list(
      object({ cid: string, slug: string, ...named, count: integer, rank: integer, percentage: percent }),
    ),
  }),
  cache: 'ledger',
  handler: async ({ account, offset, limit }, { views }) => {
    const party = views.nfts.party(addressOf(account));
    const { holdings, ...rest } = await views.nfts.holders.ofParty(party, offset, limit);
    const shown = holdings.map(({ cid, slug, ...figures }) => {
      const named = views.nfts.texts.named(views.nfts.collection(cid));
      return { cid, slug, ...named, ...figures };
    });
    return { account, ...rest, offset, limit, holdings: shown };
  },
});

export const nftHolderRoutes: readonly Route[] = [ofAccount, distribution, holders];
