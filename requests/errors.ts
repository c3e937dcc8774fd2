/**
 * The one error class and the one error body: `{ success: false, error, code, message, docs, requestId }`.
 * `error` says what is wrong, `message` what to do about it (the same text where there is nothing to add): clients
 * read `error` first, then `message`, then the status.
 *
 * Section 7 of the contract names no status for an oversize body; HTTP's own is 413 (400 is for bodies that can be read
 * and are wrong).
 */

/** Every code with its status and meaning; /docs and the OpenAPI document print the same table. */
export const errorCodes = {
  invalid_parameter: { status: 400, about: 'A parameter is malformed and has no default' },
  missing_parameter: { status: 400, about: 'A required parameter is missing' },
  invalid_json: { status: 400, about: 'The body or a JSON parameter is not well-formed JSON' },
  unauthorized: { status: 401, about: 'Missing or wrong API key or signature' },
  payment_required: { status: 402, about: 'A limit of the tier is reached, or credits are used up' },
  forbidden: { status: 403, about: 'Not allowed for this caller or tier' },
  not_found: { status: 404, about: 'Nothing there' },
  method_not_allowed: { status: 405, about: 'The path exists, the method does not; see Allow' },
  not_acceptable: { status: 406, about: 'A format other than JSON was requested' },
  conflict: { status: 409, about: 'Repeated or contradicting request' },
  gone: { status: 410, about: 'The resource was removed' },
  body_too_large: { status: 413, about: 'The request body is larger than the route takes' },
  upgrade_required: { status: 426, about: 'The address speaks WebSocket; see Upgrade' },
  rate_limited: { status: 429, about: 'Too many requests; see Retry-After' },
  internal: { status: 500, about: 'Server fault; quote the request id' },
  unavailable: { status: 503, about: 'Temporarily unavailable: try again later' },
  not_configured: {
    status: 503,
    about: 'Not part of this service as its operator set it up: trying again is of no use',
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

interface ErrorDetails {
  /** What the client can do. */
  readonly hint?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body, e.g. `retryAfter`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Of a stream: the close code, if it does not follow from the error code. */
  readonly closeCode?: number;
}

export class ApiError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    text: string,
    readonly details: ErrorDetails = {},
  ) {
    super(text);
    this.status = errorCodes[code].status;
  }

  /** The body as JSON text. */
  body(requestId: string, docs: string): string {
    return JSON.stringify({
      success: false,
      error: this.message,
      code: this.code,
      message: this.details.hint ?? this.message,
      docs,
      requestId,
      ...this.details.extra,
    });
  }
}

/** @param closeCode of a stream: its close code. */
export const badRequest = (text: string, hint?: string, closeCode?: number) =>
  new ApiError('invalid_parameter', text, { ...(hint && { hint }), ...(closeCode && { closeCode }) });

export const notFound = (text: string, hint?: string) =>
  new ApiError('not_found', text, hint ? { hint } : {});

/** For what may be answered later. @param hint when to try again */
export const unavailable = (text: string, hint?: string) =>
  new ApiError('unavailable', text, hint ? { hint } : {});

/** For what this service does not have as it is set up: nobody needs to ask again. @param hint which variable would change that */
export const notConfigured = (text: string, hint?: string) =>
  new ApiError('not_configured', text, hint ? { hint } : {});

/** Seconds after which a client should ask again for a network that is not open. */
const NOT_OPEN_RETRY_S = 2;
/** The same where too much is being computed: the largest ranking takes 60 ms. */
const BUSY_RETRY_S = 1;

/** The 503 of a network of which nothing can be read now. @param reason why, in a sentence */
export const notOpen = (reason: string) =>
  unavailableFor(NOT_OPEN_RETRY_S, reason, '; GET /health shows when it is ready');

/** The 503 of reads for which there is no room at this moment. */
export const busy = () => unavailableFor(BUSY_RETRY_S, 'Too much is being computed at this moment');

/** A 503 with the time after which to ask again. @param more continues the hint */
export function unavailableFor(seconds: number, reason: string, more = ''): ApiError {
  return new ApiError('unavailable', reason, {
    hint: `Retry after ${seconds} s${more}`,
    headers: { 'Retry-After': String(seconds) },
    extra: { retryAfter: seconds },
  });
}

/**
 * The 429 of section 7. Times in seconds; `bucket` is the path prefix whose window is full.
 * @property policy of the standard field `RateLimit-Policy`; default: of that window alone
 */
export function rateLimited(window: {
  bucket: string;
  limit: number;
  remaining: number;
  windowSeconds: number;
  resetSeconds: number;
  policy?: string;
}): ApiError {
  const { bucket, limit, remaining, windowSeconds, resetSeconds } = window;
  const retryAfter = Math.max(1, Math.ceil(resetSeconds));
  return new ApiError('rate_limited', `Rate limit of ${bucket} reached: ${limit} per ${windowSeconds} s`, {
    hint: `Retry after ${retryAfter} s`,
    headers: {
      'Retry-After': String(retryAfter),
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(remaining),
      'X-RateLimit-Reset': String(retryAfter),
      RateLimit: `"${bucket}";r=${remaining};t=${retryAfter}`,
      'RateLimit-Policy': window.policy ?? `"${bucket}";q=${limit};w=${windowSeconds}`,
    },
    extra: { retryAfter, bucket, window: windowSeconds },
  });
}
