/** Section 4.3: what the admin of the service says of accounts. */
import type { AccountIdentity, IdentityChanges } from '../../platform/account-data.ts';
import { IDENTITY_NAMES } from '../../platform/account-data.ts';
import { IMAGE_BYTES_MAX, IMAGE_SIDE, ImageError } from '../../platform/images.ts';
import { ApiError, badRequest, busy, notConfigured, notFound, unavailable } from '../../requests/errors.ts';
import { account } from '../common.ts';
import { samples } from '../examples.ts';
import { IMAGE_BODY_MAX, readBase64 } from '../image-body.ts';
import { type Route, type RouteContext, route } from '../route.ts';
import {
  boolean,
  describe,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  orNull,
  type Schema,
  string,
} from '../schema.ts';
import { originMembers } from './account-schemas.ts';
import { addressOf } from './trader-schemas.ts';

const NAME_MAX = 60;
const TEXT_MAX = 1000;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9](-?[a-z0-9])*\.)+[a-z]{2,63}$/i;
const HANDLE = /^@?[A-Za-z0-9_]{1,30}$/;

const shared = {
  section: '4.3',
  auth: 'admin',
  tier: 'anonymous',
  cost: 2,
  bucket: '/account',
  unavailable: true,
} as const;

const written: Schema<string | boolean> = { anyOf: [string, boolean] };

const fields = object({
  account: string,
  editable: describe(mapOf(orNull(written)), 'What the admin can write, as it is now; null: nothing'),
  readOnly: describe(
    object({ exists: boolean, domain: orNull(string), ...originMembers, logo: orNull(string) }),
    'What follows from the ledger; the address of the logo here',
  ),
  manualFields: describe(list(string), 'What the admin wrote'),
  lockedByChain: describe(
    list(string),
    'What the admin cannot write, since the account says it on the ledger',
  ),
  fieldOwners: describe(mapOf(orNull(oneOf(['admin', 'chain']))), 'By field; null: nobody says it'),
  derived: describe(
    object({ name: orNull(string), nameSource: orNull(oneOf(['verified', 'xls-26', 'domain'])) }),
    'What is shown, and where it comes from',
  ),
});

/** What is said of an account here, and by whom. */
function standing(address: string, { network, views, engine }: RouteContext) {
  const identity: Partial<AccountIdentity> = network.accountData.of(address) ?? {};
  const { accounts } = engine.state;
  const id = accounts.findText(address);
  const domain = id === undefined ? undefined : accounts.domain(id);
  const lockedByChain = domain === undefined ? [] : ['domain'];
  const owner = (name: string): 'chain' | 'admin' | null =>
    lockedByChain.includes(name)
      ? 'chain'
      : identity[name as keyof AccountIdentity] === undefined
        ? null
        : 'admin';
  const named = views.accounts.names.of(address);
  return {
    account: address,
    editable: Object.fromEntries(
      IDENTITY_NAMES.filter((name) => !lockedByChain.includes(name)).map((name) => [
        name,
        identity[name] ?? null,
      ]),
    ),
    readOnly: {
      exists: id !== undefined && accounts.exists(id),
      domain: domain ?? null,
      ...(id === undefined ? { inception: null, parent: null } : views.accounts.balances.origin(id)),
      logo: identity.logoAt === undefined ? null : `/v1/account-thumb/${address}`,
    },
    manualFields: IDENTITY_NAMES.filter((name) => owner(name) === 'admin'),
    lockedByChain,
    fieldOwners: Object.fromEntries(IDENTITY_NAMES.map((name) => [name, owner(name)])),
    derived: { name: named?.name ?? null, nameSource: named?.source ?? null },
  };
}

/** @throws ApiError 503 */
function dataOf({ network }: RouteContext) {
  if (!network.accountData.isAttached) throw unavailable('This network keeps nothing beside its ledgers');
  return network.accountData;
}

const writer = ({ wallet, service }: RouteContext) => ({ now: service.now(), by: wallet || 'admin' });

const read = route({
  ...shared,
  method: 'GET',
  path: '/account/{address}/admin',
  example: { address: samples.account },
  summary: 'What the admin says of an account, and what it cannot say since the ledger does',
  params: { address: account },
  response: fields,
  handler: ({ address }, context) => standing(addressOf(address), context),
});

const text = (about: string, maxLength = TEXT_MAX) =>
  ({ in: 'body', kind: 'text', maxLength, about }) as const;

const write = route({
  ...shared,
  method: 'PATCH',
  path: '/account/{address}/admin',
  example: { address: samples.account, name: 'An exchange' },
  summary: 'Writes what the admin says of an account; what is not sent stays, `-` removes a text',
  params: {
    address: account,
    name: text(`At most ${NAME_MAX} characters`, 200),
    desc: text('At most 1000 characters'),
    domain: text('Refused (409) where the account has a Domain on the ledger', 253),
    twitter: text('Handle', 40),
    adminVerified: { in: 'body', kind: 'bool', about: 'The admin has seen whose account it is' },
    verifiedLogo: text('Id of an image', 200),
    verifiedTagRequired: { in: 'body', kind: 'bool', about: 'Payments to it need a destination tag' },
  },
  response: fields,
  handler: async ({ address: sent, ...input }, context) => {
    const address = addressOf(sent);
    const data = dataOf(context);
    const changes = changesOf(input);
    const { accounts } = context.engine.state;
    const id = accounts.findText(address);
    if (changes.domain !== undefined && id !== undefined && accounts.domain(id) !== undefined)
      throw new ApiError('conflict', 'The account has a Domain on the ledger', {
        hint: 'It is changed there, with AccountSet',
      });
    await data.write(address, changes, writer(context));
    return standing(address, context);
  },
});

type Sent = { readonly [K in keyof IdentityChanges]?: Exclude<IdentityChanges[K], null> };

/** @throws ApiError 400 */
function changesOf(input: Sent): IdentityChanges {
  const texts = { name: input.name, desc: input.desc, domain: input.domain, twitter: input.twitter };
  const read = Object.fromEntries(
    Object.entries({ ...texts, verifiedLogo: input.verifiedLogo }).map(([name, value]) => [
      name,
      textOf(name, value),
    ]),
  ) as IdentityChanges;
  if (read.name && read.name.length > NAME_MAX) throw badRequest(`name has more than ${NAME_MAX} characters`);
  if (read.domain && !DOMAIN.test(read.domain)) throw badRequest('domain is not a domain');
  if (read.twitter && !HANDLE.test(read.twitter)) throw badRequest('twitter is not a handle');
  const { adminVerified, verifiedTagRequired } = input;
  return { ...read, adminVerified, verifiedTagRequired };
}

const CONTROL = /\p{Cc}|\p{Cf}/u;

/** null: removed. @throws ApiError 400 */
function textOf(name: string, value: string | undefined): string | null | undefined {
  if (value === undefined) return undefined;
  const trimmed = value.trim();
  if (trimmed === '-') return null;
  if (CONTROL.test(trimmed)) throw badRequest(`${name} has control characters`);
  return trimmed === '' ? null : trimmed;
}

const logo = route({
  ...shared,
  method: 'POST',
  path: '/account/{address}/logo',
  example: {
    address: samples.account,
    imageData: 'R0lGODlhAQABAIAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==',
  },
  summary: `The logo of an account: encoded again as WebP of at most ${IMAGE_SIDE} px a side`,
  params: {
    address: account,
    imageData: {
      in: 'body',
      kind: 'text',
      required: true,
      maxLength: IMAGE_BODY_MAX,
      about: `PNG, JPEG, GIF or WebP in base64; at most ${IMAGE_BYTES_MAX} bytes when decoded`,
    },
  },
  response: object({ account: string, logo: string, imgUpdated: integer }),
  maxBody: IMAGE_BODY_MAX,
  handler: async ({ address: sent, imageData }, context) => {
    const address = addressOf(sent);
    const data = dataOf(context);
    const { images } = context.service;
    if (!images) throw notConfigured('This service takes no images');
    try {
      const by = writer(context);
      await data.writeLogo(address, await images.encode(readBase64(imageData)), by);
      return { account: address, logo: `/v1/account-thumb/${address}`, imgUpdated: by.now };
    } catch (error) {
      if (!(error instanceof ImageError)) throw error;
      throw error.kind === 'busy' ? busy() : badRequest(`The image is refused: ${error.message}`);
    }
  },
});

/** Side of the form that lists show, px. */
const THUMB_SIDE = 128;

const thumb = route({
  method: 'GET',
  path: '/account-thumb/{address}',
  section: '4.3',
  auth: 'key',
  tier: 'anonymous',
  keyInQuery: true,
  example: { address: samples.account },
  summary: 'The logo of an account, WebP',
  params: {
    address: account,
    apiKey: { in: 'query', kind: 'text', maxLength: 128, about: 'Instead of the header X-Api-Key' },
  },
  response: { type: 'string', format: 'binary' },
  cost: 1,
  bucket: '/account-thumb',
  bare: true,
  produces: ['image/webp'],
  handler: ({ address }, { network }) => {
    const bytes = network.accountData.logoOf(addressOf(address), THUMB_SIDE);
    if (!bytes) throw notFound('No logo');
    const headers = {
      'Content-Type': 'image/webp',
      'Cache-Control': 'private, max-age=300',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    };
    return new Response(new Uint8Array(bytes), { headers });
  },
});

const verify = route({
  ...shared,
  method: 'PUT',
  path: '/account/{address}/verified',
  example: { address: samples.account, name: 'An exchange', logo: 'exchange' },
  summary: 'Vouches for an account: its name, its logo, and whether payments need a destination tag',
  params: {
    address: account,
    name: {
      in: 'body',
      kind: 'text',
      required: true,
      minLength: 1,
      maxLength: NAME_MAX,
      about: `1 to ${NAME_MAX} characters`,
    },
    logo: { in: 'body', kind: 'text', required: true, maxLength: 200, about: 'Id of an image' },
    tagRequired: { in: 'body', kind: 'bool', about: 'Payments to it need a destination tag' },
  },
  response: object({ account: string, name: string, logo: string, tagRequired: boolean }),
  handler: async ({ address: sent, name, logo: image, tagRequired = false }, context) => {
    const address = addressOf(sent);
    const verified = changesOf({
      name,
      verifiedLogo: image,
      adminVerified: true,
      verifiedTagRequired: tagRequired,
    });
    if (!verified.name || !verified.verifiedLogo) throw badRequest('name and logo must not be empty');
    await dataOf(context).write(address, verified, writer(context));
    return { account: address, name: verified.name, logo: verified.verifiedLogo, tagRequired };
  },
});

const unverify = route({
  ...shared,
  method: 'DELETE',
  path: '/account/{address}/verified',
  example: { address: samples.account },
  summary: 'No longer vouches for an account',
  params: { address: account },
  response: object({ account: string, verified: boolean }),
  handler: async ({ address: sent }, context) => {
    const address = addressOf(sent);
    const data = dataOf(context);
    if (!data.of(address)?.adminVerified) throw notFound('The account is not verified');
    const removed = { adminVerified: null, verifiedLogo: null, verifiedTagRequired: null };
    await data.write(address, removed, writer(context));
    return { account: address, verified: false };
  },
});

export const accountAdminRoutes: Route[] = [read, write, logo, thumb, verify, unverify];
