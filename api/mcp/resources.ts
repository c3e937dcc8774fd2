/**
 * Resources: what a model can read without calling a tool.
 *
 *     millrace://reference/api-endpoints    the route table          millrace://token/{id}        as get_token
 *     millrace://reference/methodology      how figures are made     millrace://account/{address} as get_account_info
 *                                                                    millrace://methodology/{name}
 */
import type { Identity } from '../../requests/identity.ts';
import type { ApiParts } from '../compile-route.ts';
import { methodology } from '../methodology.ts';
import type { Catalogue } from './catalogue.ts';
import { cleanValue } from './clean-text.ts';
import { fitted } from './fitted.ts';
import type { JsonObject } from './json-rpc.ts';
import type { Tool } from './tool.ts';

/** What can be read at an address. */
export interface Resource {
  readonly mimeType: string;
  /** The tool whose answer it is, which decides who may read it; undefined: everybody may. */
  readonly tool?: Tool;
  /** @param check throws where the request has been cancelled @throws RpcError, ApiError */
  read(identity: Identity, check: () => void): string | Promise<string>;
}

/** Templates that are answers of tools: the first part of the path, the tool, its parameter. */
const BY_TOOL = [
  { part: 'token', tool: 'get_token', param: 'id', title: 'A token: price, volume, holders, supply' },
  {
    part: 'account',
    tool: 'get_account_info',
    param: 'account',
    title: 'An account: balance, reserve, name',
  },
] as const;

export class Resources {
  readonly list: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
  readonly #scheme: string;
  readonly #parts: ApiParts;
  readonly #catalogue: Catalogue;

  constructor(parts: ApiParts, catalogue: Catalogue) {
    this.#parts = parts;
    this.#catalogue = catalogue;
    this.#scheme = `${parts.service.name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}://`;
    this.list = [
      {
        uri: `${this.#scheme}reference/api-endpoints`,
        name: 'api-endpoints',
        title: 'Every address of the API: method, path, parameters, cost',
        mimeType: 'application/json',
      },
      {
        uri: `${this.#scheme}reference/methodology`,
        name: 'methodology',
        title: 'How the figures are computed: the names of all methods',
        mimeType: 'application/json',
      },
    ];
    this.templates = [
      ...BY_TOOL.filter(({ tool }) => catalogue.find(tool)).map(({ part, param, title }) => ({
        uriTemplate: `${this.#scheme}${part}/{${param}}`,
        name: part,
        title,
        mimeType: 'application/json',
      })),
      {
        uriTemplate: `${this.#scheme}methodology/{name}`,
        name: 'method',
        title: 'How one figure is computed, with its source',
        mimeType: 'text/plain',
      },
    ];
  }

  /** undefined: there is nothing at that address */
  find(uri: string): Resource | undefined {
    if (!uri.startsWith(this.#scheme)) return undefined;
    const [part = '', ...rest] = uri.slice(this.#scheme.length).split('/');
    const name = decoded(rest.join('/'));
    if (name === '' || name === undefined) return undefined;
    if (part === 'reference') return this.#reference(name);
    if (part === 'methodology') return method(name);
    const found = BY_TOOL.find((one) => one.part === part);
    const tool = found && this.#catalogue.find(found.tool);
    if (!tool) return undefined;
    return {
      mimeType: 'application/json',
      tool,
      read: async (identity, check) => {
        const answer = await this.#catalogue.run(tool, tool.read({ [found.param]: name }), identity, check);
        return JSON.stringify(fitted(cleanValue(answer) as JsonObject).value);
      },
    };
  }

  #reference(name: string): Resource | undefined {
    if (name === 'api-endpoints')
      return { mimeType: 'application/json', read: () => JSON.stringify({ endpoints: this.#endpoints() }) };
    if (name !== 'methodology') return undefined;
    const names = () => methodology().map(({ name, fields }) => ({ name, fields }));
    return { mimeType: 'application/json', read: () => JSON.stringify({ methods: names() }) };
  }

  #endpoints(): JsonObject[] {
    return this.#parts.service.routes.map(({ method, path, summary, params, cost, auth }) => ({
      method,
      path,
      summary,
      params: Object.entries(params).map(([name, { required, in: place }]) =>
        required || place === 'path' ? `${name}*` : name,
      ),
      cost,
      ...(auth !== 'none' && { auth }),
    }));
  }
}

function method(name: string): Resource | undefined {
  const found = methodology().find((one) => one.name.toLowerCase() === name.toLowerCase());
  return found && { mimeType: 'text/plain', read: () => found.text };
}

/** undefined: it is not well-formed */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
