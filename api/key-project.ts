/** Reads what somebody says of the project that a key is for. */
import type { Project } from '../platform/api-keys.ts';
import { badRequest } from '../requests/errors.ts';

export const CATEGORIES = ['wallet', 'explorer', 'trading_bot', 'analytics', 'ai_agent', 'other'] as const;
export const EXPECTED_DAILY = ['lt1k', '1k-10k', '10k-100k', '100k+'] as const;

export const NAME_MAX = 64;
const TEXT_MAX = 500;
const URL_MAX = 512;
const CONTACT_MAX = 200;

/** Control characters, and those that reorder or hide text. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;

/** @throws ApiError 400 where something is missing or malformed */
export function readProject(sent: unknown): Project {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw badRequest('project is not an object', 'See its members in /openapi.json');
  const fields = sent as Readonly<Record<string, unknown>>;
  const contact = fields.contact === undefined ? undefined : text(fields, 'contact', CONTACT_MAX);
  return {
    name: text(fields, 'name', NAME_MAX),
    url: httpsAddress('project.url', text(fields, 'url', URL_MAX)),
    category: oneOf(fields, 'category', CATEGORIES),
    description: text(fields, 'description', TEXT_MAX),
    expectedDaily: oneOf(fields, 'expectedDaily', EXPECTED_DAILY),
    ...(contact !== undefined && { contact }),
  };
}

/** A name as its owner writes it, without what cannot be seen. @throws ApiError 400 where nothing is left of it */
export function readName(sent: string, what: string, most = NAME_MAX): string {
  const name = sent.replace(HIDDEN, '').trim();
  if (name.length < 1 || name.length > most) throw badRequest(`${what} has 1 to ${most} characters`);
  return name;
}

function httpsAddress(what: string, sent: string): string {
  const url = URL.parse(sent);
  if (url?.protocol !== 'https:' || url.username + url.password !== '')
    throw badRequest(`${what} is no https address`);
  return url.href;
}

function text(fields: Readonly<Record<string, unknown>>, name: string, most: number): string {
  const value = fields[name];
  if (typeof value !== 'string') throw badRequest(`project.${name} is missing`);
  return readName(value, `project.${name}`, most);
}

function oneOf(fields: Readonly<Record<string, unknown>>, name: string, values: readonly string[]): string {
  const value = fields[name];
  if (typeof value === 'string' && values.includes(value)) return value;
  throw badRequest(`project.${name} is one of ${values.join(', ')}`);
}
