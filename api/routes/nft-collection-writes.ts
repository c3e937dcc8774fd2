/** Section 4.5: what issuers write of their collections of NFTs. */
import type { Writer } from '../../platform/written-texts.ts';
import { ApiError, unavailable } from '../../requests/errors.ts';
import { collectionId } from '../../views/nfts/collection-ids.ts';
import { NAME_MAX, readCollectionTexts } from '../collection-texts.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { list, object, string } from '../schema.ts';
import { DESCRIPTION_MAX } from '../token-texts.ts';
import { writing } from '../writing.ts';
import { collectionSlugParam, EXAMPLE_COLLECTION, existingCollection } from './nft-collection-schemas.ts';

const PATH = '/nft/collections/{slug}/metadata';

const metadata = route({
  method: 'POST',
  path: PATH,
  section: '4.5',
  auth: 'wallet',
  tier: 'anonymous',
  example: { slug: EXAMPLE_COLLECTION, description: 'Pictures of lighthouses.' },
  summary:
    'What the issuer of a collection says of it; a blank text or an empty list removes what was there. The slug stays',
  params: {
    slug: collectionSlugParam,
    name: { in: 'body', kind: 'text', about: `At most ${NAME_MAX} characters` },
    description: {
      in: 'body',
      kind: 'text',
      maxLength: DESCRIPTION_MAX,
      about: `At most ${DESCRIPTION_MAX} characters`,
    },
    category: { in: 'body', kind: 'text', about: 'A word such as art, game, music' },
    website: { in: 'body', kind: 'text', about: 'http or https address' },
    twitter: { in: 'body', kind: 'text', about: 'Handle' },
    tags: {
      in: 'body',
      kind: 'list',
      maxItems: 15,
      about: "Replaces all; names of platforms are the admin's (403)",
    },
    verified: { in: 'body', kind: 'bool', about: "The admin knows whose it is. The admin's alone (403)" },
  },
  response: object({ updated: list(string) }),
  unavailable: true,
  cost: 2,
  bucket: '/nft',
  handler: async ({ slug, ...sent }, context) => {
    const { id, writer, isAdmin } = ownCollection(slug, context);
    const { collectionData } = context.network;
    const given = isAdmin ? 'any' : (collectionData.of(id)?.tags ?? []);
    if (!isAdmin && sent.verified !== undefined)
      throw new ApiError('forbidden', 'Only the admin of the service says verified');
    const changes = readCollectionTexts(sent, given);
    return { updated: await writing(PATH, () => collectionData.write(id, changes, writer)) };
  },
});

/**
 * The collection that a request may write: its wallet is that of the issuer or the admin.
 * @throws ApiError
 */
function ownCollection(
  slug: string,
  context: RouteContext,
): { id: string; writer: Writer; isAdmin: boolean } {
  const { network, engine, service, wallet } = context;
  const id = collectionId(engine.nfts.collections, existingCollection(slug, context));
  const isAdmin = service.isAdmin(wallet);
  if (!isAdmin && !id.startsWith(`${wallet}:`))
    throw new ApiError('forbidden', 'Only the issuer or the admin may do that');
  if (!network.collectionData.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return { id, writer: { now: service.now(), by: wallet }, isAdmin };
}

export const nftCollectionWriteRoutes: Route[] = [metadata];
