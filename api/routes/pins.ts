/** Section 4.5: media of NFTs, pinned at the IPFS node of the service. */
import { cidOf, isCid } from '../../platform/ipfs-cid.ts';
import { PIN_STATUSES, type Pins, PinsFullError } from '../../platform/pins.ts';
import { badRequest, busy, notConfigured, notFound, unavailable } from '../../requests/errors.ts';
import { patterns } from '../../requests/identifiers.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { boolean, describe, integer, object, oneOf, string } from '../schema.ts';
import { existingNft } from './nfts.ts';

const shared = {
  section: '4.5',
  auth: 'none',
  tier: 'anonymous',
  cost: 1,
  bucket: '/nft/pin',
  unavailable: true,
} as const;

const SAMPLE_CID = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';

const members = {
  hash: describe(string, 'CID of the content'),
  status: oneOf([...PIN_STATUSES, 'unknown']),
  'requestedAt?': describe(integer, 'Unix ms; absent: nobody asked for it here'),
  'pinnedAt?': describe(integer, 'Unix ms'),
  'attempts?': integer,
  'error?': describe(string, 'Why the last attempt failed'),
};

/** @throws ApiError 503 */
function pinsOf({ network }: RouteContext): Pins {
  if (!network.pins) throw notConfigured('This service pins nothing', 'The operator sets MILLRACE_IPFS_NODE');
  if (!network.pins.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return network.pins;
}

/** @throws ApiError 400 */
function checkedCid(text: string): string {
  if (!isCid(text)) throw badRequest('hash is no CID of IPFS');
  return text;
}

/** @throws ApiError 400, 404 */
function cidOfNft(id: string, { views, engine }: RouteContext): string {
  const uri = engine.nfts.uri(existingNft(id, views));
  const cid = uri === undefined ? undefined : cidOf(Buffer.from(uri, 'latin1').toString());
  if (cid === undefined) throw notFound('The URI of this NFT names nothing of IPFS');
  return cid;
}

function rowOf(hash: string, pins: Pins) {
  const pin = pins.of(hash);
  return { hash, status: 'unknown' as const, ...pin };
}

const pin = route({
  ...shared,
  method: 'POST',
  path: '/nft/pin',
  example: { hash: SAMPLE_CID },
  summary: 'Asks for content of IPFS to be kept at the node of the service; of an NFT, what its URI names',
  params: {
    hash: { in: 'body', kind: 'text', maxLength: 200, about: 'CID; default: that of the URI of NFTokenID' },
    NFTokenID: {
      in: 'body',
      kind: 'text',
      maxLength: 80,
      pattern: patterns.nftokenId,
      about: 'NFT whose URI names the content',
    },
  },
  needs: [{ anyOf: [['hash'], ['NFTokenID']] }],
  response: object(members),
  handler: async ({ hash, NFTokenID }, context) => {
    const pins = pinsOf(context);
    const cid = hash ? checkedCid(hash) : cidOfNft(NFTokenID ?? '', context);
    try {
      await pins.request(cid);
    } catch (fault) {
      throw fault instanceof PinsFullError ? busy() : fault;
    }
    return rowOf(cid, pins);
  },
});

const status = route({
  ...shared,
  method: 'GET',
  path: '/nft/pin/status/{hash}',
  example: { hash: SAMPLE_CID },
  summary: 'What became of content that was to be kept, and whether the node keeps it now',
  params: { hash: { in: 'path', kind: 'text', maxLength: 200, about: 'CID' } },
  response: object({
    ...members,
    'pinned?': describe(boolean, 'The node keeps it now; absent: the node does not say'),
  }),
  handler: async ({ hash }, context) => {
    const pins = pinsOf(context);
    const row = rowOf(checkedCid(hash), pins);
    const pinned = await pins.isKept(hash);
    if (row.status === 'unknown' && pinned !== true) throw notFound('Nobody asked for this to be kept');
    return {
      ...row,
      ...(row.status === 'unknown' && { status: 'pinned' as const }),
      ...(pinned !== undefined && { pinned }),
    };
  },
});

export const pinRoutes: Route[] = [pin, status];
