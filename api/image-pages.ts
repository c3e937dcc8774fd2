/**
 * Pictures where clients look for them on the host of images, below `/s1` and, those of tokens, at the root too:
 *
 *     token/{md5}  thumb/{md5}_{32|48|64|96|128}  nft/{file}  nft-collection/{logoImage}
 *
 * They need no key: pages embed them. 404 where there is none; clients then show one of their own. Where the service has limits,
 * an address may ask for so many in a while (requests/address-rates.ts).
 */
import { Elysia } from 'elysia';
import { IMAGE_SIDE, THUMB_WIDTHS } from '../platform/images.ts';
import { readPictureFile } from '../platform/nft-pictures.ts';
import type { AddressRates } from '../requests/address-rates.ts';
import { notFound, rateLimited } from '../requests/errors.ts';
import type { Callers } from '../requests/identity.ts';
import type { Mount } from '../views/mount.ts';
import type { Network } from '../views/network.ts';
import type { Metrics } from './metrics.ts';
import { cacheControl, PICTURE_HEADERS, PICTURE_TYPE } from './pictures.ts';
import { corsHeaders, isKnown, sendError } from './reply.ts';
import type { RequestIds } from './request.ts';

const FIXED_HEADERS = { ...corsHeaders, ...PICTURE_HEADERS, 'Content-Type': PICTURE_TYPE };
const EXACT_HEADERS = { ...FIXED_HEADERS, 'Cache-Control': cacheControl({ isExact: true, isPublic: true }) };
const OTHER_HEADERS = { ...FIXED_HEADERS, 'Cache-Control': cacheControl({ isExact: false, isPublic: true }) };

const MD5 = /^[0-9a-f]{32}$/;
const THUMB = /^([0-9a-f]{32})_(\d{2,3})$/;

interface Shown {
  readonly bytes: Uint8Array;
  /** The address names the content. */
  readonly isExact: boolean;
}

/** @param name the last part of the path. @param version what the address says of its age; null: nothing */
type Find = (network: Network, name: string, version: string | null) => Shown | undefined;

const whole: Find = (network, name, version) =>
  MD5.test(name) ? ofToken(network, name, IMAGE_SIDE, version) : undefined;

const thumb: Find = (network, name, version) => {
  const [, md5, width] = THUMB.exec(name) ?? [];
  const side = THUMB_WIDTHS.find((one) => one === Number(width));
  return md5 === undefined || side === undefined ? undefined : ofToken(network, md5, side, version);
};

const ofNft: Find = (network, name) => {
  const file = readPictureFile(name);
  const bytes = file && network.pictures.form(file.hash, file.width);
  return bytes && { bytes, isExact: true };
};

function ofToken(network: Network, md5: string, side: number, version: string | null): Shown | undefined {
  const shown = network.tokenPictures.of(md5, side);
  if (!shown) return undefined;
  const { bytes, changedAt } = shown;
  return { bytes, isExact: changedAt !== undefined && version === String(changedAt) };
}

/** The first part of the path, and what is there. */
const TOKENS: readonly (readonly [string, Find])[] = [
  ['token', whole],
  ['thumb', thumb],
];
const ALL = [...TOKENS, ['nft', ofNft], ['nft-collection', ofNft]] as const;

export interface ImagePageParts {
  readonly mount: Mount;
  readonly ids: RequestIds;
  readonly metrics: Metrics;
  readonly callers: Callers;
  /** undefined: everybody is answered. */
  readonly rates: AddressRates | undefined;
  /** Unix ms. */
  readonly now: () => number;
}

export function imagePages({ mount, ids, metrics, callers, rates, now }: ImagePageParts) {
  const { prefix } = mount;
  const pages = new Elysia();
  const add = (path: string, tallied: string, find: Find) => {
    const tally = metrics.tally(mount.name, 'GET', tallied);
    const answer = ({ request, params }: Asked) => {
      const full = rates?.take(callers.of(request).ip, now());
      const requestId = ids.of(request);
      const response = full
        ? sendError(rateLimited(full), requestId, `/v1${prefix}/docs`)
        : answerOf(mount, request, Object.values(params)[0] ?? '', find, requestId);
      tally.count(response.status);
      return response;
    };
    for (const method of ['GET', 'HEAD'] as const) pages.route(method, `${path}/:p1`, answer);
  };
  for (const [name, find] of TOKENS) add(`${prefix}/${name}`, '/thumb', find);
  for (const [name, find] of ALL) add(`${prefix}/s1/${name}`, '/s1', find);
  return pages;
}

interface Asked {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

function answerOf(
  { network, prefix }: Mount,
  request: Request,
  name: string,
  find: Find,
  requestId: string,
): Response {
  const shown = network && find(network, name, versionIn(request.url));
  return shown
    ? pictureResponse(request, shown, requestId)
    : sendError(notFound('No image'), requestId, `/v1${prefix}/docs`);
}

function versionIn(url: string): string | null {
  const at = url.indexOf('?');
  return at < 0 ? null : new URLSearchParams(url.slice(at + 1)).get('v');
}

function pictureResponse(request: Request, { bytes, isExact }: Shown, requestId: string): Response {
  const etag = `"${Bun.hash(bytes).toString(36)}"`;
  const headers = {
    ...(isExact ? EXACT_HEADERS : OTHER_HEADERS),
    ETag: etag,
    'X-Request-ID': requestId,
  };
  if (isKnown(request.headers, etag)) return new Response(null, { status: 304, headers });
  // Of HEAD the server sends the length alone.
  return new Response(bytes as Uint8Array<ArrayBuffer>, { headers });
}
