/**
 * Admission: the one function that is called before every answer, cached ones included, before a socket opens, and
 * before each of its messages. Rates, credits, tiers and keys belong here and nowhere else.
 *
 *     request ── row ──────┐
 *     socket ─── stream ───┼─> admit(act, row, identity) ── undefined ──> answer cache, handler, hub
 *     message ── stream ───┘                             └─ ApiError ───> its status and body, or its close code
 *
 * It runs for every request, so it must not wait: what takes time (a signature) is done when the identity is made.
 */
import type { ApiError } from './errors.ts';
import type { Identity } from './identity.ts';
import type { Tier } from './tiers.ts';

/** The credential that a row requires (section 5 of the contract). admin: its key, or the signature of its wallet. */
export type Auth = 'none' | 'key' | 'wallet' | 'admin' | 'platform';

/** What admission reads of a row, which is a route or a stream. */
export interface Guarded {
  readonly path: string;
  /** Of a route: GET reads. */
  readonly method?: string;
  readonly auth: Auth;
  /** The lowest tier that is admitted. */
  readonly tier: Tier;
  /** Credits of a call; default: none. */
  readonly cost?: number;
  /** The path prefix whose window it counts in (section 8.1). Default: that of the streams. */
  readonly bucket?: string;
  /** As how many requests it counts in that window; default: one. */
  readonly times?: number;
  /** The key may be in the query, as `apiKey`: images, which pages cannot ask for with headers. */
  readonly keyInQuery?: true;
  /** Where the service is open it needs no key: what it answers belongs to nobody. */
  readonly opensWithoutKey?: true;
  /** What browsers ask for by its address alone: its limits are those of the key that it brings them. */
  readonly isDocument?: true;
  /** Refused for the burst of its address alone: who sends it is no client of a tier, or it asks for nothing. */
  readonly hasBurstAlone?: true;
  /** The key that all pages share does not do. */
  readonly refusesBrowserKey?: true;
}

/** Window of the streams. */
export const STREAM_BUCKET = '/ws';

/** Of what is refused for the burst of its address alone. */
export const BURST_BUCKET = '/burst';

/** What no row answers: it counts in the windows of the address and the tier, so that nobody may ask for it without end. */
export const NO_ROW: Guarded = { path: '/', auth: 'none', tier: 'anonymous', bucket: '/' };

/** What is to be admitted: a request, a new socket, or a message on a socket. */
export type Act = 'request' | 'connection' | 'message';

/** @returns undefined: admitted. Else the error, with its headers and further members, that the client gets. */
export type Admit = (act: Act, row: Guarded, identity: Identity) => ApiError | undefined;

/** Admits every client. */
export const admitAll: Admit = () => undefined;
