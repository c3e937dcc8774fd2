/** Reads what a creator or issuer says of a token. What is shown to others is checked: attackers write it too. */
import { cutText } from '../engine/codec/cut-text.ts';
import { PLATFORMS } from '../engine/market/platforms.ts';
import {
  SOCIAL_NAMES,
  type Social,
  type SocialName,
  type Standing,
  type TokenChanges,
} from '../platform/token-metadata.ts';
import { withoutHidden as clean, linesWithoutHidden } from '../platform/written-texts.ts';
import { ApiError, badRequest } from '../requests/errors.ts';
import { tagSlug } from '../views/token-tags.ts';

const USER_MAX = 64;
export const DESCRIPTION_MAX = 2000;
const URL_MAX = 512;
export const TAG_MAX = 32;
const COLLECTION_MAX = 128;

const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{1,62}$/;
export const HANDLE = /^@?\w{1,64}$/;
export const TAG = /^[\p{L}\p{N}][\p{L}\p{N} &+.'-]*$/u;
const COLLECTION = /^[\w:.-]+$/;
/** Tags that only the service gives: names of platforms. */
const RESERVED = new Set(
  PLATFORMS.flatMap(({ name, launchpad = name }) => [tagSlug(name), tagSlug(launchpad)]),
);

type StandingChanges = Pick<TokenChanges, keyof Standing>;

export interface SentTexts {
  readonly user: string | undefined;
  readonly domain: string | undefined;
  readonly whitepaper: string | undefined;
  readonly description: string | undefined;
  readonly social: unknown;
  readonly tags: readonly string[] | undefined;
  readonly linkedCollections: readonly string[] | undefined;
}

/**
 * A blank text and an empty list remove what was there.
 * @param given the tags that the token has: those that only the admin gives stay. 'any': the admin writes
 * @throws ApiError 400, 403
 */
export function readTexts(sent: SentTexts, given: readonly string[] | 'any'): TokenChanges {
  return {
    user: read(sent.user, (text) => cutText(clean(text), USER_MAX)),
    domain: read(sent.domain, (text) => matching('domain', text.toLowerCase(), DOMAIN)),
    whitepaper: read(sent.whitepaper, (text) => webAddress('whitepaper', text)),
    description: read(sent.description, linesWithoutHidden),
    social: sent.social === undefined ? undefined : readSocial(sent.social),
    tags: sent.tags && orNull(readTags(sent.tags, given)),
    linkedCollections:
      sent.linkedCollections &&
      orNull(
        sent.linkedCollections.map((id) => matching('linkedCollections', id, COLLECTION, COLLECTION_MAX)),
      ),
  };
}

/** What only the admin says; no and 0 remove what was there. */
export function readStanding(sent: {
  readonly verified: number | undefined;
  readonly kyc: boolean | undefined;
  readonly xVerified: boolean | undefined;
}): StandingChanges {
  const mark = (value: boolean | undefined) => (value === undefined ? undefined : value || null);
  return {
    verified:
      sent.verified === undefined ? undefined : ((sent.verified || null) as Standing['verified'] | null),
    kyc: mark(sent.kyc),
    xVerified: mark(sent.xVerified),
  };
}

export function read(text: string | undefined, check: (text: string) => string): string | null | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  return (trimmed === '' ? '' : check(trimmed).trim()) || null;
}

function readSocial(sent: unknown): Social | null {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw badRequest('social must be an object', `Names: ${SOCIAL_NAMES.join(', ')}`);
  const kept: [SocialName, string][] = [];
  for (const [name, value] of Object.entries(sent)) {
    const known = SOCIAL_NAMES.find((one) => one === name);
    if (!known || typeof value !== 'string')
      throw badRequest(
        `social.${name.slice(0, 40)} is not known, or no text`,
        `Names: ${SOCIAL_NAMES.join(', ')}`,
      );
    const text = value.trim();
    if (text !== '') kept.push([known, socialLink(known, text)]);
  }
  return kept.length === 0 ? null : (Object.fromEntries(kept) as Social);
}

/** Clients show the bare handles of these two. */
function socialLink(name: SocialName, text: string): string {
  if ((name === 'twitter' || name === 'telegram') && HANDLE.test(text)) return text.replace('@', '');
  return webAddress(`social.${name}`, text);
}

/** @param given see readTexts */
export function readTags(sent: readonly string[], given: readonly string[] | 'any'): string[] {
  const bySlug = new Map<string, string>();
  if (given !== 'any') for (const tag of given) if (RESERVED.has(tagSlug(tag))) bySlug.set(tagSlug(tag), tag);
  for (const tag of sent) {
    const slug = tagSlug(matching('tags', tag, TAG, TAG_MAX));
    if (RESERVED.has(slug) && given !== 'any' && !bySlug.has(slug))
      throw new ApiError('forbidden', `Only the service gives the tag ${tag}`, {
        hint: 'Names of launch platforms follow from the ledger',
      });
    if (!bySlug.has(slug)) bySlug.set(slug, tag);
  }
  return [...bySlug.values()];
}

/** As it is written again by the parser of addresses. @throws ApiError 400 */
export function webAddress(name: string, text: string): string {
  const url = text.length <= URL_MAX ? URL.parse(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw badRequest(`${name} must be an http or https address`, `At most ${URL_MAX} characters, no user`);
  return url.href;
}

/** @throws ApiError 400 */
export function matching(name: string, text: string, form: RegExp, max = Number.POSITIVE_INFINITY): string {
  if (text.length > max || !form.test(text))
    throw badRequest(`${name}: '${clean(text).slice(0, 40)}' is malformed`);
  return text;
}

export function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
