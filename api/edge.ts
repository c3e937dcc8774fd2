/**
 * The rules at the edge: what is refused before anybody is asked who they are, because of what the request looks like or
 * because the service is closed. They stand before the kept answers and before the streams.
 *
 *     request -> closed? -> a program without a name of its own? -> kept answer, router, hub
 *
 * /health is exempt: whatever watches the service asks it.
 */
import { unavailable } from '../requests/errors.ts';
import { sendError, withCommonHeaders } from './reply.ts';
import { prefixLength, targetOf } from './request.ts';

export interface EdgeRules {
  /** Refuse requests of programs that send their library's User-Agent, or none. */
  readonly refusesGenericAgents?: boolean;
  /** Why the service answers nobody, a sentence; undefined: it is open. Asked for each request until it is. */
  readonly closed?: () => string | undefined;
  /** Answers go out over TLS: browsers are told to come back by it only. */
  readonly isTls?: boolean;
}

/** Names that HTTP libraries and tools send for themselves: whoever is behind cannot be told from anybody else. */
const GENERIC_AGENTS = [
  'curl',
  'wget',
  'python-requests',
  'python-urllib',
  'python-httpx',
  'aiohttp',
  'httpie',
  'go-http-client',
  'go-resty',
  'java',
  'okhttp',
  'apache-httpclient',
  'axios',
  'node',
  'node-fetch',
  'undici',
  'got',
  'bun',
  'deno',
  'libwww-perl',
  'php',
  'guzzlehttp',
  'ruby',
  'faraday',
  'reqwest',
  'scrapy',
  'postmanruntime',
  'powershell',
];

/** The library's name alone, with its version and in any case: `Python/3.12 aiohttp/3.9` too, `my-bot (curl/8.1)` not. */
const GENERIC = new RegExp(
  `^(?:mozilla/5\\.0|(?:python/\\S+ )?(?:${GENERIC_AGENTS.join('|')})(?:[/ (].*)?)$`,
  'i',
);

const REFUSED =
  'Forbidden: this User-Agent is that of a library. Send one that names your program and how to reach you, ' +
  'as "my-program/1.0 (me@example.com)".\n';

const HINT = 'GET /health shows whether the service is well';

/** A year, as HSTS wants it for browsers to keep it for good. Not for subdomains: they are not ours. */
const HSTS = 'max-age=31536000';

const isGenericAgent = (agent: string | null): boolean =>
  agent === null || agent.trim() === '' || GENERIC.test(agent.trim());

export class Edge {
  readonly #rules: EdgeRules;
  #isClosed: boolean;

  constructor(rules: EdgeRules = {}) {
    this.#rules = rules;
    this.#isClosed = rules.closed !== undefined;
  }

  /** Whether requests must be shown to {@link refuse}. */
  get refuses(): boolean {
    return this.#isClosed || this.#rules.refusesGenericAgents === true;
  }

  /** Whether answers must go through {@link finish}. */
  get finishes(): boolean {
    return this.#rules.isTls === true;
  }

  /** @param isStream libraries of WebSockets send no User-Agent. @returns undefined: let it in */
  refuse(request: Request, isStream: boolean): Response | undefined {
    const target = targetOf(request);
    if (/^\/health(?:[/?]|$)/.test(target.slice(prefixLength(target)))) return undefined;
    const reason = this.#reason();
    if (reason !== undefined) return sendError(unavailable(reason, HINT), crypto.randomUUID(), '/v1/docs');
    if (!this.#rules.refusesGenericAgents || isStream || !isGenericAgent(request.headers.get('user-agent')))
      return undefined;
    const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };
    return withCommonHeaders(new Response(REFUSED, { status: 403, headers }), crypto.randomUUID());
  }

  finish(response: Response): Response {
    response.headers.set('Strict-Transport-Security', HSTS);
    return response;
  }

  /** Why it is closed. Once open, it stays open. */
  #reason(): string | undefined {
    const reason = this.#isClosed ? this.#rules.closed?.() : undefined;
    this.#isClosed = reason !== undefined;
    return reason;
  }
}
