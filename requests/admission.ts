/**
 * Whether somebody is let in: the one function before every answer, kept ones included, before a socket opens, and
 * before each of its messages. Rates, credits, tiers and keys belong here and nowhere else.
 *
 *     request ── row ──────┐
 *     socket ─── stream ───┼─> admit(act, row, identity) ── undefined ──> answer cache, handler, hub
 *     message ── stream ───┘                             └─ ApiError ───> its status and body, or its close code
 *
 * It runs for every request, so it must not wait: what takes time (a signature) is settled where the identity is made.
 */
import type { ApiError } from './errors.ts';
import type { Identity } from './identity.ts';

/** What a caller must show (section 5 of the contract). */
export type Auth = 'none' | 'key' | 'wallet' | 'admin';

/** Tiers of section 5, the lowest first. */
export type Tier =
  | 'anonymous'
  | 'free'
  | 'developer'
  | 'partner'
  | 'business'
  | 'professional'
  | 'enterprise';

/** What admission knows of a row: a route or a stream. */
export interface Guarded {
  readonly path: string;
  readonly auth: Auth;
  /** The lowest tier that is let in. */
  readonly tier: Tier;
}

/** What is asked for: an answer, a socket, or the reading of a message on one. */
export type Act = 'request' | 'connection' | 'message';

/** @returns undefined: admitted. An error, with its headers and further members, is what the caller gets instead. */
export type Admit = (act: Act, row: Guarded, identity: Identity) => ApiError | undefined;

/** There are no keys and no limits of rate yet. */
export const admitAll: Admit = () => undefined;
