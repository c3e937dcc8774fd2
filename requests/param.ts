/**
 * Parameters, declared once: how one is read, clamped, documented and typed. Rows of routes and rows of streams are
 * made of the same declarations.
 *
 * This folder is what REST and streams share of a request, whichever way it came: who asks (`identity.ts`), whether it
 * is let in (`admission.ts`), what it asks (here and in `param-reader.ts`), and the one error (`errors.ts`). It stands
 * beside `api` and `ws`, because neither may import the other, and imports nothing of the project.
 */
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
        /** 'default': out of range becomes the default instead of the nearest bound. */
        readonly outside?: 'default';
        /** Of an `offset`: number of the first `page` that old clients send (0 unless told). */
        readonly firstPage?: 0 | 1;
      }
    | { readonly kind: 'bool'; readonly default?: boolean }
    | {
        readonly kind: 'text';
        readonly default?: string;
        readonly minLength?: number;
        readonly maxLength?: number;
        /** What the text looks like; shown in the documents, judged by the handler. */
        readonly pattern?: string;
        /** Of a stream: a text that is too long closes with this code. Else it is cut. */
        readonly code?: number;
      }
    | {
        readonly kind: 'enum';
        readonly values: readonly string[];
        readonly default?: string;
        readonly synonyms?: Readonly<Record<string, string>>;
        /** Of a stream: a value that is not offered closes with this code. Else it becomes the default. */
        readonly code?: number;
      }
    | {
        readonly kind: 'list';
        readonly maxItems: number;
        /** What an item looks like. Default: any text. */
        readonly items?: JsonSchema;
      }
    | { readonly kind: 'time' } // Unix ms or ISO date -> Unix ms
    | { readonly kind: 'json' } // any JSON value; from a query string it is parsed, malformed = 400
  );

export type Params = Readonly<Record<string, Param>>;

/** A row that has parameters: a route or a stream. */
export interface ParamRow {
  /** `/token/{id}`: path parameters are named in it. */
  readonly path: string;
  readonly params: Params;
  /** Needs beyond single required parameters; each is checked before the handler runs. */
  readonly needs?: readonly Need[];
}

/** Groups of parameters of which one must be sent in full, else 400. */
export interface Need {
  readonly anyOf: readonly (readonly string[])[];
  /** A second one is refused, too. */
  readonly onlyOne?: true;
}

type ValueOf<P extends Param> = P extends { kind: 'int' | 'float' | 'time' }
  ? number
  : P extends { kind: 'bool' }
    ? boolean
    : P extends { kind: 'text' }
      ? string
      : P extends { kind: 'enum' }
        ? P['values'][number]
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

type Sent<P extends Param> = P extends { kind: 'list' } ? readonly (string | number)[] : ValueOf<P>;

/** Values to send, by the names of the parameters: an example of a request. */
export type Example<P extends Params> = { readonly [K in keyof P]?: Sent<P[K]> };
