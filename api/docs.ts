/** The JSON documentation of GET /docs: what a page of documentation shows in addition to the OpenAPI document. */
import { errorCodes } from '../requests/errors.ts';
import { patterns } from '../requests/identifiers.ts';
import { TIERS } from '../requests/tiers.ts';
import type { Calibration } from '../views/reviews.ts';
import { methodology } from './methodology.ts';
import type { Service } from './route.ts';

export function docsObject(service: Service, request: Request, calibration?: Calibration | null) {
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
      patterns,
    },
    methodology: methodology(),
    ...(calibration !== undefined && { calibration }),
    limits: limitsOf(service),
    errors: Object.entries(errorCodes).map(([code, { status, about }]) => ({ code, status, about })),
    routes: service.routes.map(({ method, path, summary, auth, tier, cost, bucket, section }) => ({
      method,
      path,
      summary,
      auth,
      tier,
      cost,
      bucket,
      section,
    })),
  };
}

/** Section 8.1 of the contract with this service's figures; undefined, which is left out: no limit. */
function limitsOf({ admission }: Service) {
  const { mode, tiers, endpoints, otherEndpoints, unlimited, addressBurst } = admission;
  return {
    inForce: mode === 'keys',
    address: { requests: addressBurst.limit, seconds: addressBurst.windowMs / 1000 },
    tiers: TIERS.map((tier) => {
      const {
        burst,
        perTenSeconds,
        perMinute,
        perDay,
        creditsPerMonth,
        multiplier,
        submitPerSecond,
        isPerAddress,
        keys,
      } = tiers[tier];
      const scope = isPerAddress ? 'address' : 'key';
      return {
        tier,
        scope,
        perSecond: burst,
        perTenSeconds,
        perMinute,
        perDay,
        creditsPerMonth,
        multiplier,
        submitPerSecond,
        keys,
      };
    }),
    endpointsPerMinute: { ...endpoints, others: otherEndpoints },
    unlimited,
  };
}
