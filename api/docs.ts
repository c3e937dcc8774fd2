/** The JSON documentation of GET /docs: what a docs page prints, beside the OpenAPI document. */
import { errorCodes } from './errors.ts';
import type { Service } from './route.ts';

export function docsObject(service: Service, request: Request): Record<string, unknown> {
  const baseUrl = service.baseUrl(request);
  return {
    version: service.version,
    baseUrl,
    openapi: `${baseUrl}/openapi.json`,
    reference: {
      caching: {
        default: 'Live: an answer is valid until the next ledger closes (ETag, no-cache)',
        platformStatus: '30 s',
        news: '5 min',
        cumulativeStats: '10 min',
      },
      patterns: {
        account: '^r[1-9A-HJ-NP-Za-km-z]{24,34}$',
        nftokenId: '^[0-9A-Fa-f]{64}$',
        txHash: '^[0-9A-Fa-f]{64}$',
        md5: '^[0-9a-f]{32}$',
      },
    },
    errors: Object.entries(errorCodes).map(([code, { status, about }]) => ({ code, status, about })),
    routes: service.routes.map(({ method, path, summary, cost, bucket, section }) => ({
      method,
      path,
      summary,
      cost,
      bucket,
      section,
    })),
  };
}
