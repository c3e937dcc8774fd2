/** The addresses of the pages' scripts and styles. */
import { Elysia } from 'elysia';
import { notFound } from '../requests/errors.ts';
import type { Metrics } from './metrics.ts';
import { sendError, withCommonHeaders } from './reply.ts';
import type { RequestIds } from './request.ts';
import type { WebPages } from './web-pages.ts';

export function webAssets(pages: WebPages, ids: RequestIds, metrics: Metrics) {
  const tally = metrics.tally('', 'GET', '/assets');
  const asset = async ({ request, params }: { request: Request; params: { name: string } }) => {
    const id = ids.of(request);
    const found = await pages.asset(request, params.name);
    const response = found
      ? withCommonHeaders(found, id)
      : sendError(notFound('No such file'), id, '/v1/docs');
    tally.count(response.status);
    return response;
  };
  return new Elysia().route('GET', '/assets/:name', asset).route('HEAD', '/assets/:name', asset);
}
