/**
 * Images of tokens at the root, where clients look for them on the host of images: `/token/{md5}` and
 * `/thumb/{md5}_{32|48|64|96|128}`. They need no key: pages embed them. 404 where a token has none; clients then show one
 * of their own.
 */
import { Elysia } from 'elysia';
import { IMAGE_SIDE, THUMB_WIDTHS } from '../platform/images.ts';
import { notFound } from '../requests/errors.ts';
import type { Mount } from '../views/mount.ts';
import type { Metrics } from './metrics.ts';
import { sendError, withCommonHeaders } from './reply.ts';
import type { RequestIds } from './request.ts';

const MD5 = /^[0-9a-f]{32}$/;
const THUMB = /^([0-9a-f]{32})_(\d{2,3})$/;
/** An address that names the time of the image never shows another one. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** Other addresses show the newest, and are asked again after 5 minutes. */
const FOR_MINUTES = 'public, max-age=300';

export function imagePages(mount: Mount, ids: RequestIds, metrics: Metrics) {
  const tally = metrics.tally(mount.name, 'GET', '/thumb');
  const answer = (request: Request, md5: string | undefined, side: number): Response => {
    const id = ids.of(request);
    const image = md5 === undefined ? undefined : imageOf(mount, request, md5, side);
    const response = image
      ? withCommonHeaders(image, id)
      : sendError(notFound('No image'), id, `/v1${mount.prefix}/docs`);
    tally.count(response.status);
    return response;
  };
  const whole = ({ request, params }: Asked) => {
    const [name = ''] = Object.values(params);
    return answer(request, MD5.test(name) ? name : undefined, IMAGE_SIDE);
  };
  const thumb = ({ request, params }: Asked) => {
    const [, md5, width] = THUMB.exec(Object.values(params)[0] ?? '') ?? [];
    const side = THUMB_WIDTHS.find((one) => one === Number(width));
    return answer(request, side === undefined ? undefined : md5, side ?? 0);
  };
  const { prefix } = mount;
  const pages = new Elysia();
  for (const method of ['GET', 'HEAD'] as const)
    pages.route(method, `${prefix}/token/:p1`, whole).route(method, `${prefix}/thumb/:p1`, thumb);
  return pages;
}

interface Asked {
  readonly request: Request;
  readonly params: Readonly<Record<string, string>>;
}

function imageOf({ network }: Mount, request: Request, md5: string, side: number): Response | undefined {
  const changedAt = network?.tokenData.of(md5)?.image?.changedAt;
  if (changedAt === undefined) return undefined;
  const etag = `"${changedAt}-${side}"`;
  const version = new URLSearchParams(request.url.split('?', 2)[1]).get('v');
  const headers = {
    'Content-Type': 'image/webp',
    'Cache-Control': version === String(changedAt) ? FOR_EVER : FOR_MINUTES,
    'X-Content-Type-Options': 'nosniff',
    // Opened by itself it is a picture, and no document that could do anything.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    ETag: etag,
  };
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers });
  const bytes = network!.tokenData.imageOf(md5, side);
  return bytes && new Response(request.method === 'HEAD' ? null : new Uint8Array(bytes), { headers });
}
