/** Tools about the network and the service itself, and the two that reach everything else. */
import { weightedMedian } from '../../../engine/metrics/weighted-median.ts';
import { ORACLE_QUOTES } from '../../../engine/state/oracles.ts';
import { badRequest } from '../../../requests/errors.ts';
import type { Route } from '../../route.ts';
import { flag, tool } from '../tool.ts';

/** Tools that `search_tools` shows. */
const FOUND_MAX = 8;

export const networkTools = [
  tool({
    name: 'get_transaction',
    title: 'A transaction',
    about: 'A transaction with its result, amounts and metadata, by hash.',
    routes: ['GET /tx/{hash}'],
    params: { hash: { of: 'hash', about: '64 hexadecimal digits' } },
  }),
  tool({
    name: 'get_ledger',
    title: 'A ledger',
    about:
      'The newest ledger, or one by its index: hash, close time, transactions, fees. For node operators.',
    routes: ['GET /ledger', 'GET /ledger/{index}'],
    params: { index: { kind: 'int', about: 'Index; default: the newest', min: 1 } },
    run: ({ index }, { call }) =>
      index === undefined
        ? call('GET /ledger', {})
        : call('GET /ledger/{index}', { index, transactions: true }),
  }),
  tool({
    name: 'get_ledger_entry',
    title: 'A ledger entry',
    about: 'An entry of the ledger by its index: account, offer, pool, escrow, check.',
    routes: ['GET /ledger/entry'],
    params: { index: { of: 'index', required: true } },
  }),
  tool({
    name: 'get_oracle_prices',
    title: 'Prices of oracles on the ledger',
    about:
      'What each price oracle on the ledger says of 1 XRP in a currency, with its age, and the middle of them.',
    routes: ['GET /ledger'],
    params: {
      base: { kind: 'enum', about: 'What is priced', values: ['XRP'], default: 'XRP' },
      quote: { kind: 'enum', about: 'Currency', values: ORACLE_QUOTES, default: 'USD' },
      oracles: { kind: 'list', about: 'Only those of these owners', maxItems: 20 },
    },
    answer: {
      properties: { base: {}, quote: {}, median: {}, total: { type: 'integer' }, oracles: { type: 'array' } },
    },
    run: ({ base, quote, oracles }, { network, closeTime }) => {
      const { state } = network.engine;
      const rows = state.oracles.latest(quote as string).map(({ owner, documentId, price, lastUpdate }) => ({
        owner: state.accounts.text(owner),
        documentId,
        price,
        updateTime: lastUpdate * 1000,
        ageSeconds: Math.round(closeTime / 1000) - lastUpdate,
      }));
      const asked = rows.filter(
        ({ owner }) => oracles === undefined || (oracles as readonly string[]).includes(owner),
      );
      const prices = asked.map(({ price }) => ({ value: price, weight: 1 }));
      const median = prices.length === 0 ? null : weightedMedian(prices);
      return { base, quote, median, total: asked.length, oracles: asked };
    },
  }),
  tool({
    name: 'get_service_health',
    title: 'Whether this service is well',
    about: 'Whether what is shown is the present, ledgers behind, disk. For node operators.',
    routes: ['GET /health'],
    params: {},
  }),
  tool({
    name: 'get_job',
    title: 'What became of a job',
    about:
      'Answer of a call with background: true, or that it still runs; cancel: ends it. Jobs are forgotten 10 minutes after their end.',
    routes: [],
    params: {
      job: { kind: 'text', about: 'Id', required: true, maxLength: 36 },
      cancel: flag('Ends it'),
    },
    cost: 0,
    answer: { properties: { job: {}, state: {}, seconds: {}, answer: {}, error: {} } },
    run: ({ job, cancel }, { jobs, identity }) => {
      if (cancel) jobs.cancel(identity, job as string);
      return jobs.of(identity, job as string);
    },
  }),
  tool({
    name: 'search_tools',
    title: 'Find tools',
    about:
      'Finds tools of this server by words of a question, with their parameters. For clients that load few.',
    routes: [],
    params: { query: { kind: 'text', about: 'Words', required: true, maxLength: 200 } },
    cost: 0,
    answer: { properties: { total: { type: 'integer' }, tools: { type: 'array' } } },
    run: ({ query }, { listed }) => {
      const words = String(query)
        .toLowerCase()
        .split(/[^a-z0-9]+/)
        .filter((word) => word.length > 1);
      const scored = listed()
        .map(({ name, row, takes }) => ({
          name,
          about: row.about,
          params: takes.join(', '),
          score: scoreOf(words, `${name} ${row.title}`, row.about),
        }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      return {
        total: scored.length,
        tools: scored.slice(0, FOUND_MAX).map(({ name, about, params }) => ({ tool: name, params, about })),
      };
    },
  }),
  tool({
    name: 'api_get',
    title: 'Any public address of the API',
    about:
      'GET of an address of the API, as `/tokens?limit=5`. The resource reference/api-endpoints lists all; fields=a,b keeps the answer short.',
    routes: [],
    params: {
      path: { kind: 'text', about: 'Path and query below the base address', required: true, maxLength: 2000 },
    },
    answer: {},
    routeFor: ({ path }, { rows }) => placeOf(path, rows)?.row,
    run: ({ path }, { calls, identity }) => {
      const found = placeOf(path, calls.rows);
      if (!found)
        throw badRequest(
          'No public GET address has this path',
          'search_tools, or the resource reference/api-endpoints, names them',
        );
      return calls.get(found.row, found.place, identity);
    },
  }),
];

/** Words of a question in a name count three times those in a description. */
function scoreOf(words: readonly string[], name: string, about: string): number {
  const [inName, inAbout] = [name.toLowerCase(), about.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inAbout.includes(word) ? 1 : 0),
    0,
  );
}

interface Place {
  readonly row: Route;
  /** Path and query below the base address. */
  readonly place: string;
}

/** The row that a path and query are for; undefined: none. */
function placeOf(path: unknown, rows: Iterable<Route>): Place | undefined {
  const url = URL.parse(String(path).replace(/^\/*/, '/'), 'http://localhost');
  const below = url?.pathname.replace(/^\/(v1|api)(?=\/)/, '');
  const row = below === undefined ? undefined : rowAt(rows, below);
  return row && url ? { row, place: `${below}${url.search}` } : undefined;
}

/** The public GET row of a path; exact segments win over parameters. */
function rowAt(rows: Iterable<Route>, path: string): Route | undefined {
  const segments = path.split('/').slice(1);
  let best: { readonly row: Route; readonly params: number } | undefined;
  for (const row of rows) {
    if (row.method !== 'GET' || row.auth !== 'none' || row.tier !== 'anonymous') continue;
    const params = paramsIn(row.path.split('/').slice(1), segments);
    if (params !== undefined && (!best || params < best.params)) best = { row, params };
  }
  return best?.row;
}

/** How many segments are parameters; undefined: the path is another one. */
function paramsIn(pattern: readonly string[], segments: readonly string[]): number | undefined {
  if (pattern.length !== segments.length) return undefined;
  let params = 0;
  for (const [at, part] of pattern.entries()) {
    const sent = segments[at]!;
    if (part.startsWith('{') && sent !== '') params++;
    else if (part !== sent) return undefined;
  }
  return params;
}
