/** The methods of the protocol, of both eras. Lists are made once: what is there does not change while the service runs. */
import { cutText } from '../../engine/codec/cut-text.ts';
import { isJsonObject } from '../../engine/codec/values.ts';
import { HOUR_MS } from '../../engine/ripple-time.ts';
import type { Guarded } from '../../requests/admission.ts';
import { ApiError } from '../../requests/errors.ts';
import type { ApiParts } from '../compile-route.ts';
import { type Catalogue, listing } from './catalogue.ts';
import { agreedVersion, type Era, SERVER_KEY, STATELESS_VERSIONS } from './eras.ts';
import { FirstPage } from './first-page.ts';
import { type JsonObject, RPC, RpcError, shownName } from './json-rpc.ts';
import { promptOf, promptsOf } from './prompts.ts';
import { type Resource, Resources } from './resources.ts';
import type { RunningCalls, RunningRequest } from './running-calls.ts';
import { TOOL_BUCKET, type Tool } from './tool.ts';
import { type KeptCall, ToolAnswers } from './tool-answers.ts';

/** Tools a page of `tools/list`. */
const TOOLS_PAGE = 50;
/** For how long clients may keep lists, and what a resource says, ms. */
const LIST_TTL_MS = HOUR_MS;
const READ_TTL_MS = 4_000;

/** Members of a result as JSON without braces: as text, or as the bytes of what is kept. */
export type Members = string | Uint8Array;

/** What a method answers: members of the result, and for how long clients may keep it. */
interface Result {
  readonly members: Members;
  readonly ttlMs?: number;
}

/** A request, and who sent it. */
export interface Asked extends RunningRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Lists and descriptions, which need no key. */
export const LISTING: Guarded = {
  path: '/mcp',
  auth: 'none',
  tier: 'anonymous',
  cost: 0,
  bucket: TOOL_BUCKET,
};

/** What asks for nothing. */
export const NOTIFICATION: Guarded = { ...LISTING, hasBurstAlone: true };

/** A call of a tool: a key on a paid plan, where keys are asked for; it costs what its route costs. */
export const guardOf = ({ cost, bucket, times }: Pick<Guarded, 'cost' | 'bucket' | 'times'>): Guarded => ({
  path: '/mcp',
  auth: 'key',
  tier: 'developer',
  opensWithoutKey: true,
  ...(cost !== undefined && { cost }),
  ...(bucket !== undefined && { bucket }),
  ...(times !== undefined && { times }),
});

const callGuard = ({ cost, bucket }: Tool, times: number) => ({ cost: cost * times, bucket, times });

export class Methods {
  readonly #catalogue: Catalogue;
  readonly #answers: ToolAnswers;
  readonly #running: RunningCalls;
  readonly #parts: ApiParts;
  readonly #resources: Resources;
  readonly #server: JsonObject;
  /** Results of `tools/list`, by page. */
  readonly #toolPages: readonly Uint8Array[];
  readonly #firstPage: FirstPage;
  /** `_meta` of results of the stateless era. */
  readonly #meta: string;

  constructor(parts: ApiParts, catalogue: Catalogue, running: RunningCalls) {
    this.#parts = parts;
    this.#catalogue = catalogue;
    this.#answers = new ToolAnswers(parts, catalogue, running);
    this.#running = running;
    const { name, version } = parts.service;
    this.#server = { name: name.toLowerCase(), title: name, version };
    this.#meta = JSON.stringify({ [SERVER_KEY]: this.#server });
    this.#resources = new Resources(parts, catalogue);
    this.#toolPages = toolPages(catalogue.tools);
    this.#firstPage = new FirstPage(this.#toolPages[0]!);
  }

  /** Answers to requests for the first tools, for those who may list them. */
  get firstPage(): FirstPage {
    return this.#firstPage;
  }

  /** The answer to a call that is kept. @param params as JSON.stringify writes them */
  keptCall(params: string): KeptCall | undefined {
    return this.#answers.kept(params);
  }

  /** The result as JSON, in parts. @throws RpcError, also when it is not admitted */
  answer(asked: Asked): readonly Members[] | Promise<readonly Members[]> {
    const result = this.#result(asked);
    return result instanceof Promise
      ? result.then((done) => this.#parted(done, asked.era))
      : this.#parted(result, asked.era);
  }

  #parted({ members, ttlMs }: Result, era: Era): readonly Members[] {
    if (era === 'handshake') return ['{', members, '}'];
    const hints = ttlMs === undefined ? '' : `,"ttlMs":${ttlMs},"cacheScope":"public"`;
    const comma = members.length === 0 ? '' : ',';
    return [`{"resultType":"complete","_meta":${this.#meta}${hints}${comma}`, members, '}'];
  }

  #result(asked: Asked): Result | Promise<Result> {
    const { method, params, era } = asked;
    if (method === 'tools/call') return this.#call(asked);
    if (method === 'resources/read') return this.#read(asked);
    this.admit(LISTING, asked);
    if (method === 'initialize' && era === 'handshake') return this.#initialize(params);
    if (method === 'ping' && era === 'handshake') return { members: '' };
    if (method === 'server/discover' && era === 'stateless')
      return kept({ supportedVersions: STATELESS_VERSIONS, ...this.#description() });
    switch (method) {
      case 'tools/list':
        return this.#toolsPage(params.cursor);
      case 'prompts/list':
        return kept({ prompts: promptsOf(this.#catalogue) });
      case 'prompts/get':
        return made(promptOf(this.#catalogue, params));
      case 'resources/list':
        return kept({ resources: this.#resources.list });
      case 'resources/templates/list':
        return kept({ resourceTemplates: this.#resources.templates });
      default:
        throw new RpcError(RPC.methodNotFound, `Method not found: ${shownName(method)}`);
    }
  }

  #description(): JsonObject {
    const { name } = this.#parts.service;
    return {
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions:
        `${name}: live market, account and token analytics of the XRP Ledger. Tokens are named by md5, ` +
        'issuer-currency or MPT id: search_tokens finds them. Prices and values are in XRP unless a unit is shown. ' +
        'search_tools finds further tools; api_get reaches every public address of the API.',
    };
  }

  #initialize(params: JsonObject): Result {
    return made({
      protocolVersion: agreedVersion(params.protocolVersion),
      serverInfo: this.#server,
      ...this.#description(),
    });
  }

  #toolsPage(cursor: unknown): Result {
    const page =
      cursor === undefined ? 0 : this.#toolPages.findIndex((_, at) => at > 0 && String(at) === cursor);
    const members = this.#toolPages[page];
    if (members === undefined) throw new RpcError(RPC.invalidParams, 'The cursor is none of this list');
    return { members, ttlMs: LIST_TTL_MS };
  }

  #call(asked: Asked): Result | Promise<Result> {
    const { name, arguments: sent } = asked.params;
    const tool = typeof name === 'string' ? this.#catalogue.find(name) : undefined;
    if (!tool) {
      this.admit(LISTING, asked);
      throw new RpcError(RPC.invalidParams, `Unknown tool: ${shownName(name)}; tools/list names all`);
    }
    const guard = guardOf(this.#catalogue.routeBehind(tool, sent) ?? callGuard(tool, tool.timesOf(sent)));
    this.admit(guard, asked);
    const { id, era, identity, request } = asked;
    const members = this.#answers.answer({ tool, guard, sent, id, era, identity, request });
    return members instanceof Promise ? members.then((done) => ({ members: done })) : { members };
  }

  async #read(asked: Asked): Promise<Result> {
    const { uri } = asked.params;
    const resource = typeof uri === 'string' ? this.#resources.find(uri) : undefined;
    this.admit(resource?.tool ? guardOf(resource.tool) : LISTING, asked);
    if (!resource) throw notThere(uri);
    const text = await this.#running.during(asked, (check) => textOf(resource, asked, check));
    return {
      ...made({ contents: [{ uri, mimeType: resource.mimeType, text }] }),
      ttlMs: resource.tool ? READ_TTL_MS : LIST_TTL_MS,
    };
  }

  /** @throws RpcError with the HTTP status of the refusal */
  admit(row: Guarded, { identity }: Pick<Asked, 'identity'>): void {
    const refused = this.#parts.admit('request', row, identity);
    if (!refused) return;
    const { status, message, details, code } = refused;
    throw new RpcError(RPC.refused, details.hint ? `${message}. ${details.hint}` : message, {
      data: { code, status, ...details.extra },
      status,
      headers: details.headers ?? {},
    });
  }
}

const notThere = (uri: unknown) =>
  new RpcError(RPC.invalidParams, 'Resource not found', {
    data: { uri: typeof uri === 'string' ? cutText(uri, 500) : null },
  });

/** A token or account that is none is no resource, like any other address. @throws RpcError, ApiError of what failed */
async function textOf(resource: Resource, { params, identity }: Asked, check: () => void): Promise<string> {
  try {
    return await resource.read(identity, check);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 400))
      throw notThere(params.uri);
    throw error;
  }
}

const membersOf = (result: JsonObject): string => JSON.stringify(result).slice(1, -1);
const made = (result: JsonObject): Result => ({ members: membersOf(result) });
const kept = (result: JsonObject): Result => ({ ...made(result), ttlMs: LIST_TTL_MS });

function toolPages(tools: readonly Tool[]): Uint8Array[] {
  const pages: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < tools.length; at += TOOLS_PAGE) {
    const next = at + TOOLS_PAGE < tools.length ? { nextCursor: String(pages.length + 1) } : {};
    const listed = tools.slice(at, at + TOOLS_PAGE).map(listing);
    pages.push(Buffer.from(membersOf({ tools: listed, ...next })));
  }
  return pages;
}

/** Whether a message of the handshake era must stand alone. */
export const standsAlone = (message: unknown): boolean =>
  isJsonObject(message) && message.method === 'initialize';
