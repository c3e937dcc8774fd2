/** Section 4.5: pictures of tokens, NFTs and collections. They need a key, as a page brings it: in the address, too. */
import { THUMB_WIDTHS } from '../../platform/images.ts';
import { notFound } from '../../requests/errors.ts';
import { tokenId } from '../common.ts';
import { samples } from '../examples.ts';
import { cacheControl, PICTURE_TYPE } from '../pictures.ts';
import { Picture, type Route, type RouteContext, route } from '../route.ts';
import { tokenOf } from './tokens.ts';

/** Of the contract, and what a page shows an NFT in. */
const TOKEN_WIDTH = 48;
const NFT_WIDTH = 128;

const WIDTHS = THUMB_WIDTHS.map(String);

const picture = {
  method: 'GET',
  section: '4.5',
  auth: 'key',
  tier: 'anonymous',
  keyInQuery: true,
  response: { type: 'string', format: 'binary' },
  bare: true,
  produces: [PICTURE_TYPE],
  cache: 'ledger',
} as const;

const apiKey = {
  in: 'query',
  kind: 'text',
  maxLength: 128,
  about: 'Instead of the header X-Api-Key',
} as const;

const width = (normal: number) =>
  ({
    in: 'query',
    kind: 'enum',
    values: WIDTHS,
    default: String(normal),
    about: 'Longest side, px',
  }) as const;

const thumb = route({
  ...picture,
  path: '/thumb/{md5}',
  example: { md5: samples.token, w: '64' },
  summary: 'The picture of a token: the one that it was given here, else one drawn from its md5; WebP',
  params: {
    md5: tokenId,
    w: width(TOKEN_WIDTH),
    v: {
      in: 'query',
      kind: 'int',
      about:
        'Unix ms when its source was written, as `imgUpdated` of a token has it: the answer is then valid for a year',
    },
    apiKey,
  },
  cost: 1,
  bucket: '/thumb',
  handler: ({ md5, w, v }, { network, views }) => {
    const shown = network.tokenPictures.of(views.tokens.md5(tokenOf(views, md5)), Number(w));
    if (!shown) throw notFound('No picture');
    const { bytes, changedAt } = shown;
    const isExact = changedAt !== undefined && v === changedAt;
    return new Picture(new Uint8Array(bytes), cacheControl({ isExact, isPublic: false }));
  },
});

const hash = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  about: 'Hash of the picture: the beginning of the file names in `files` of an NFT, or of `logoImage`',
} as const;

/** @throws ApiError 404 */
function nftPicture(of: string, side: string, { network }: RouteContext): Picture {
  const bytes = network.pictures.form(of, Number(side));
  if (!bytes) throw notFound('No such picture', 'Pictures are fetched when an NFT is first shown');
  return new Picture(new Uint8Array(bytes), cacheControl({ isExact: true, isPublic: false }));
}

const ofPicture = { params: { hash, w: width(NFT_WIDTH), apiKey }, cost: 1 } as const;
const SAMPLE_HASH = '0'.repeat(64);

const nftThumb = route({
  ...picture,
  ...ofPicture,
  path: '/nft-thumb/{hash}',
  bucket: '/nft-thumb',
  example: { hash: SAMPLE_HASH },
  summary: 'The picture of an NFT, WebP; the hash names the content, so it is valid for a year',
  handler: ({ hash: of, w }, context) => nftPicture(of, w, context),
});

const collectionThumb = route({
  ...picture,
  ...ofPicture,
  path: '/nft-collection-thumb/{hash}',
  bucket: '/nft-collection-thumb',
  example: { hash: SAMPLE_HASH },
  summary: 'The logo of a collection of NFTs, WebP',
  handler: ({ hash: of, w }, context) => nftPicture(of, w, context),
});

export const pictureRoutes: Route[] = [thumb, nftThumb, collectionThumb];
