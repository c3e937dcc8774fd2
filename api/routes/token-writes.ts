/** Section 4.1: what creators and issuers write of their tokens. */
import { XRP } from '../../engine/state/tokens.ts';
import { IMAGE_BYTES_MAX, IMAGE_SIDE, ImageError } from '../../platform/images.ts';
import type { Writer } from '../../platform/written-texts.ts';
import { ApiError, badRequest, busy, notConfigured, notFound, unavailable } from '../../requests/errors.ts';
import { samples } from '../examples.ts';
import { IMAGE_BODY_MAX, readBase64 } from '../image-body.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import { integer, list, object, string } from '../schema.ts';
import { DESCRIPTION_MAX, readStanding, readTexts } from '../token-texts.ts';
import { writing } from '../writing.ts';

const METADATA = '/token/{md5}/metadata';
const IMAGE = '/token/{md5}/image';

const writtenToken = {
  in: 'path',
  kind: 'text',
  maxLength: 128,
  about: 'md5 of the token, or any other form of its id',
} as const;

const metadata = route({
  method: 'POST',
  path: METADATA,
  section: '4.1',
  auth: 'wallet',
  tier: 'anonymous',
  example: { md5: samples.token, description: 'A stable token.' },
  summary:
    'What the creator or issuer of a token says of it; a blank text or an empty list removes what was there',
  params: {
    md5: writtenToken,
    user: { in: 'body', kind: 'text', about: 'Display name of the issuer, at most 64 characters' },
    domain: { in: 'body', kind: 'text', about: 'Refused (409) where the account of the issuer has one' },
    whitepaper: { in: 'body', kind: 'text', about: 'http or https address' },
    description: {
      in: 'body',
      kind: 'text',
      maxLength: DESCRIPTION_MAX,
      about: `At most ${DESCRIPTION_MAX} characters`,
    },
    social: {
      in: 'body',
      kind: 'json',
      about: 'Replaces all: { twitter, telegram (handles), website, ... (addresses) }',
    },
    tags: {
      in: 'body',
      kind: 'list',
      maxItems: 15,
      about: "Replaces all; names of platforms are the admin's (403)",
    },
    linkedCollections: {
      in: 'body',
      kind: 'list',
      maxItems: 10,
      about: 'NFT collections, <issuer>:<taxon> or slug; replaces all',
    },
    verified: {
      in: 'body',
      kind: 'int',
      min: 0,
      max: 4,
      about: "Tier of verification, 1 the highest; 0: none. The admin's alone (403)",
    },
    kyc: { in: 'body', kind: 'bool', about: "The issuer has shown who it is. The admin's alone (403)" },
    xVerified: {
      in: 'body',
      kind: 'bool',
      about: "The linked account of X is the issuer's. The admin's alone (403)",
    },
  },
  response: object({ updated: list(string) }),
  unavailable: true,
  cost: 2,
  bucket: '/token',
  handler: async ({ md5: id, ...sent }, context) => {
    const { token, writer, isAdmin } = ownToken(id, context);
    const { network, engine } = context;
    const { accounts, tokens } = engine.state;
    const { verified, kyc, xVerified, ...texts } = sent;
    const standing = readStanding({ verified, kyc, xVerified });
    if (!isAdmin && Object.values(standing).some((mark) => mark !== undefined))
      throw new ApiError('forbidden', 'Only the admin of the service says verified, kyc and xVerified');
    const given = network.tokenData.of(tokens.md5(token))?.tags ?? [];
    const changes = { ...readTexts(texts, isAdmin ? 'any' : given), ...standing };
    if (typeof changes.domain === 'string' && accounts.domain(tokens.issuer(token)) !== undefined)
      throw new ApiError('conflict', 'The account of the issuer has a Domain', {
        hint: 'It is changed on the ledger, with AccountSet',
      });
    return {
      updated: await writing(METADATA, () => network.tokenData.write(tokens.md5(token), changes, writer)),
    };
  },
});

const image = route({
  method: 'POST',
  path: IMAGE,
  section: '4.1',
  auth: 'wallet',
  tier: 'anonymous',
  // A GIF of one pixel.
  example: {
    md5: samples.token,
    imageData: 'R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==',
  },
  summary: `The image of a token, by its creator or issuer. It is encoded again: WebP of at most ${IMAGE_SIDE} px a side, of an animation the first frame; what the file carried beside its pixels is dropped. Shown at /token/{md5} and /thumb/{md5}_{32|48|64|96|128}`,
  params: {
    md5: writtenToken,
    imageData: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: IMAGE_BODY_MAX,
      about: `PNG, JPEG, GIF or WebP in base64, as it is or as a data address; at most ${IMAGE_BYTES_MAX} bytes when decoded`,
    },
  },
  response: object({
    md5: string,
    imgUpdated: { ...integer, description: 'Unix ms of this image; `v` in its address' },
  }),
  unavailable: true,
  cost: 2,
  bucket: '/token',
  maxBody: IMAGE_BODY_MAX,
  handler: async ({ md5: id, imageData }, context) => {
    const { token, writer } = ownToken(id, context);
    const { network, engine, service } = context;
    const sent = readBase64(imageData);
    const md5 = engine.state.tokens.md5(token);
    if (!service.images) throw notConfigured('This service takes no images');
    const { images } = service;
    try {
      return await writing(IMAGE, async () => {
        network.tokenData.checkCooldown(md5, writer.now);
        const encoded = await images.encode(sent);
        const { changedAt } = await network.tokenData.writeImage(md5, encoded, writer);
        return { md5, imgUpdated: changedAt };
      });
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      throw error.kind === 'busy' ? busy() : badRequest(`The image is refused: ${error.message}`);
    }
  },
});

/**
 * The token that a request may write: its wallet is that of the creator, the issuer or the admin.
 * @throws ApiError
 */
function ownToken(
  id: string,
  { network, views, engine, service, wallet }: RouteContext,
): { token: number; writer: Writer; isAdmin: boolean } {
  const token = views.tokens.resolve(id);
  if (token === undefined || token === XRP) throw notFound('Unknown token');
  const { accounts, tokens } = engine.state;
  const owners = [tokens.issuer(token), views.tokens.figures.creator(token)];
  const isAdmin = service.isAdmin(wallet);
  if (!isAdmin && !owners.some((owner) => accounts.text(owner) === wallet))
    throw new ApiError('forbidden', 'Only the creator, the issuer or the admin may do that');
  if (!network.tokenData.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return { token, writer: { now: service.now(), by: wallet }, isAdmin };
}

export const tokenWriteRoutes: Route[] = [metadata, image];
