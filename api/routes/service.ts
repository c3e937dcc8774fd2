/** The service's own pages: health, metrics, documents. Reachable at the root too. */
import { prefersPage } from '../accept.ts';
import { docsObject } from '../docs.ts';
import { healthObject } from '../health.ts';
import { prefixLength, targetOf } from '../request.ts';
import { type Route, route } from '../route.ts';
import {
  anyObject,
  boolean,
  describe,
  integer,
  list,
  number,
  object,
  oneOf,
  orNull,
  string,
} from '../schema.ts';

const toReference = () =>
  new Response(null, { status: 302, headers: { Location: '/reference', Vary: 'Accept' } });

const index = route({
  method: 'GET',
  path: '/',
  section: '1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  whileNotOpen: true,
  summary: 'Where to find what; browsers get the pages at the root, and elsewhere are sent to /reference',
  params: {},
  response: object({
    name: string,
    version: describe(string, 'Of the contract'),
    baseUrl: string,
    docs: string,
    openapi: string,
    reference: describe(string, 'Every address, to try in a browser'),
    health: string,
    streams: describe(string, 'The WebSocket streams as JSON'),
  }),
  produces: ['application/json', 'text/html'],
  isDocument: true,
  cost: 0,
  bucket: '/',
  handler: (_, { mount, service, request }) => {
    // The pages are at the root alone: they find everything else from there.
    if (prefersPage(request.headers.get('accept')))
      return prefixLength(targetOf(request)) === 0 ? service.pages.document(request) : toReference();
    const baseUrl = service.baseUrl(request);
    const root = baseUrl.slice(0, -`/v1${mount.prefix}`.length);
    return {
      name: service.name,
      version: service.version,
      baseUrl,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
      reference: `${root}/reference`,
      health: `${baseUrl}/health`,
      streams: `${root}${mount.prefix}/ws/info`,
    };
  },
});

const part = object({ status: describe(string, 'up or down'), latency: describe(number, 'ms') });

const health = route({
  method: 'GET',
  path: '/health',
  section: '1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  whileNotOpen: true,
  summary: 'Whether the service is healthy and up to date',
  params: {},
  response: object({
    status: oneOf(['healthy', 'degraded']),
    ready: describe(boolean, 'What is shown is the present; `status` is healthy exactly while this is true'),
    timestamp: describe(integer, 'Unix ms'),
    version: string,
    uptime: describe(integer, 'Seconds'),
    services: object({ database: part, rippled: part, cache: part }),
    'reason?': describe(
      string,
      'Why what is shown is not the present, while it is not and the reason is known',
    ),
    progress: orNull(
      object({
        stage: oneOf([
          'opening',
          'rebuilding',
          'restoring',
          'checking',
          'migrating',
          'snapshot',
          'catching up',
        ]),
        share: orNull(describe(number, 'Share that is done, 0 to 1; null where it is not known')),
      }),
    ),
    ledger: orNull(
      object({
        index: integer,
        closeTime: describe(integer, 'Unix ms'),
        age_seconds: integer,
        behind: describe(integer, 'Ledgers known to be waiting'),
        ranges: describe(
          list(list(integer)),
          'Ledgers held: first and last of each range, the newest 20 ranges',
        ),
        rangesTotal: describe(integer, 'Number of all ranges'),
        state: describe(
          oneOf(['complete', 'partial']),
          'partial: only what has moved in the ledgers read is known',
        ),
      }),
    ),
    disk: orNull(
      object({
        fileBytes: describe(integer, "Length of the store's file"),
        usedBytes: describe(integer, 'Part of the file that was ever used'),
        freeBytes: describe(integer, 'Free pages of that part, used for what is written next'),
        'diskFreeBytes?': describe(integer, 'Free on the disk'),
        'writtenBytesPerDay?': describe(
          integer,
          'Written to the file, of the last 24 hours of following; known after three hours',
        ),
        'growthBytesPerDay?': describe(integer, 'What is in use of the file grows by, of the same time'),
        'fullAt?': describe(
          integer,
          'Unix ms at which the disk is full at that growth; absent while it does not grow, or where --keep ends it before',
        ),
      }),
    ),
  }),
  cost: 0,
  bucket: '/health',
  handler: (_, { mount, service }) => healthObject(mount, service),
});

const metrics = route({
  method: 'GET',
  path: '/metrics',
  section: '1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  whileNotOpen: true,
  summary: 'Figures for Prometheus',
  params: {},
  response: describe(string, 'Text exposition format 0.0.4'),
  produces: ['text/plain'],
  bare: true,
  cost: 0,
  bucket: '/metrics',
  handler: async (_, { service }) =>
    new Response(await service.metrics(), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Cache-Control': 'no-store' },
    }),
});

const calibration = object({
  of: describe(string, 'The figure'),
  horizonDays: describe(
    integer,
    'Days in which a collapse counts: 60, or fewer while the network is younger',
  ),
  asOf: describe(integer, 'Unix ms: start of the last day that is counted'),
  predictions: describe(integer, 'Past tokens with a chance that was answered before their days were over'),
  brier: describe(number, 'Mean square of chance less outcome, 0 (best) to 1'),
  brierOfBase: describe(
    number,
    'The same where the share of all of them that collapsed is the chance of each',
  ),
  bands: list(
    object({
      from: describe(number, 'Percent, as the next two: the chance is above it'),
      to: number,
      predicted: describe(number, 'Mean chance'),
      happened: describe(number, 'Percent that collapsed'),
      count: integer,
      collapsed: integer,
    }),
  ),
});

const docs = route({
  method: 'GET',
  path: '/docs',
  section: '1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  whileNotOpen: true,
  summary: 'This documentation as JSON; browsers are sent to /reference',
  params: {},
  response: object({
    version: string,
    baseUrl: string,
    openapi: string,
    reference: object({ caching: anyObject, patterns: anyObject }),
    methodology: describe(
      list(object({ name: string, fields: list(string), text: string })),
      'How the figures are computed, with sources',
    ),
    'calibration?': describe(
      orNull(calibration),
      'What collapseChance said of past tokens of this network, against what happened; null: nothing can be said so far; absent: the network is not open',
    ),
    limits: describe(
      anyObject,
      'Section 8.1: whether limits are in force, those of an address, of each tier, and of path prefixes in a minute',
    ),
    errors: list(object({ code: string, status: integer, about: string })),
    routes: list(
      object({
        method: string,
        path: string,
        summary: string,
        auth: describe(string, 'What a caller must show: none, key, wallet or admin'),
        tier: describe(string, 'The lowest tier that is let in'),
        cost: describe(number, 'Credits'),
        bucket: string,
        section: string,
      }),
    ),
  }),
  produces: ['application/json', 'text/html'],
  cost: 0,
  bucket: '/docs',
  handler: async (_, { service, request, mount }) => {
    if (prefersPage(request.headers.get('accept'))) return toReference();
    return docsObject(service, request, await mount.network?.views.reviews.calibration());
  },
});

const openapi = route({
  method: 'GET',
  path: '/openapi.json',
  section: '1',
  auth: 'none',
  tier: 'anonymous',
  example: {},
  whileNotOpen: true,
  summary: 'The OpenAPI 3.1 document',
  params: {},
  response: anyObject,
  bare: true,
  cost: 0,
  bucket: '/openapi.json',
  handler: (_, { service, request }) => service.openapi(request),
});

export const serviceRoutes: Route[] = [index, health, metrics, docs, openapi];
