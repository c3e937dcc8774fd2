/**
 * One route, declared once: a row of data. Clamping, echo, aliases, OpenAPI, the JSON docs, costs, limits and the
 * contract tests all come from the same rows.
 */
import type { Engine } from '../engine/engine.ts';

/** A JSON Schema (2020-12) as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [key: string]: unknown };

interface ParamBase {
  readonly in: 'path' | 'query' | 'body';
  readonly about: string;
  /** Other names that clients send for the same thing. */
  readonly aliases?: readonly string[];
  /** Missing or empty: 400. */
  readonly required?: true;
}

/** A parameter: how it is read, clamped and documented. Out of range is clamped, never refused. */
export type Param = ParamBase &
  (
    | {
        readonly kind: 'int' | 'float';
        readonly default?: number;
        readonly min?: number;
        readonly max?: number;
      }
    | { readonly kind: 'bool'; readonly default?: boolean }
    | { readonly kind: 'text'; readonly default?: string; readonly maxLength?: number }
    | {
        readonly kind: 'enum';
        readonly values: readonly string[];
        readonly default?: string;
        readonly synonyms?: Readonly<Record<string, string>>;
      }
    | { readonly kind: 'list'; readonly maxItems: number }
    | { readonly kind: 'time' } // Unix ms or ISO date -> Unix ms
    | { readonly kind: 'json' } // any JSON value; from a query string it is parsed, malformed = 400
  );

export type Params = Readonly<Record<string, Param>>;

type ValueOf<P extends Param> = P extends { kind: 'int' | 'float' | 'time' }
  ? number
  : P extends { kind: 'bool' }
    ? boolean
    : P extends { kind: 'text' | 'enum' }
      ? string
      : P extends { kind: 'list' }
        ? readonly string[]
        : unknown;

type Certain<P extends Param> = P extends
  | { required: true }
  | { default: string | number | boolean }
  | { in: 'path' }
  ? true
  : false;

/** What a handler gets: each parameter by name, clamped; absent and without default = undefined. */
export type Input<P extends Params> = {
  readonly [K in keyof P]: Certain<P[K]> extends true ? ValueOf<P[K]> : ValueOf<P[K]> | undefined;
};

export interface Context {
  readonly engine: Engine;
  readonly request: Request;
  readonly requestId: string;
}

/**
 * What a handler answers. An object is serialised. `Fragment` carries the inside of the JSON object as bytes
 * (without the outer braces), for answers joined from cached row fragments. A Response goes out as it is.
 * `success`, `attribution` and `took` are spliced in by the reply layer, never written by handlers.
 */
export type Answer = Readonly<Record<string, unknown>> | Fragment | Response;

export class Fragment {
  constructor(readonly parts: readonly (Uint8Array | string)[]) {}
}

export interface Route<P extends Params = Params> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/token/{id}` */
  readonly path: string;
  /** Section of the contract: '4.1'. */
  readonly section: string;
  readonly summary: string;
  readonly params: P;
  readonly response: JsonSchema;
  /** Credits per call (section 8.2). */
  readonly cost: number;
  /** Rate bucket: the path prefix that shares one window (section 8.1). */
  readonly bucket: string;
  /** Largest request body in bytes. */
  readonly maxBody?: number;
  /**
   * 'ledger': the answer depends on nothing but the parameters and the engine's version, so its bytes are kept
   * until the next ledger. Number: seconds it may be kept.
   */
  readonly cache?: 'ledger' | number;
  /** Also offered as a read-only tool. */
  readonly mcp?: true;
  /** Answer without the `success`/`took` envelope (e.g. /openapi.json). */
  readonly bare?: true;
  readonly handler: (input: Input<P>, context: Context) => Answer | Promise<Answer>;
}

/** Types a row: the handler's input follows from its parameters. */
export function route<const P extends Params>(row: Route<P>): Route {
  return row as unknown as Route;
}
