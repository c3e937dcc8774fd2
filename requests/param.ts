/**
 * Parameters, declared once: how each is read, clamped, documented and typed. Rows of routes and rows of streams use
 * the same declarations.
 *
 * This folder holds what REST and streams share of a request: the identity of the client (`identity.ts`), admission
 * (`admission.ts`), parameters (here and in `param-reader.ts`), the forms of identifiers (`identifiers.ts`), and the one
 * error (`errors.ts`). `api` and `ws` both use it, because neither may import the other. It imports nothing of the
 * project.
 */
/** A JSON Schema (2020-12) as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [key: string]: unknown };

interface ParamBase {
  readonly in: 'path' | 'query' | 'body';
  readonly about: string;
  /** Other names that clients send for the same thing. */
  readonly aliases?: readonly string[];
  /** Missing or empty is an error: 400. */
  readonly required?: true;
}

/** A parameter: how it is read, clamped and documented. Out of range is clamped, never refused. */
export type Param = ParamBase &
  (
    | {
        readonly kind: 'int' | 'float';
        readonly default?: number;
        /** The default where it follows from the other parameters, by their values; `about` says how. */
        readonly defaultFrom?: (values: Readonly<Record<string, unknown>>) => number;
        readonly min?: number;
        readonly max?: number;
        /** 'default': out of range becomes the default instead of the nearest bound. */
        readonly outside?: 'default';
        /** A larger `max` where this boolean parameter is sent as true. */
        readonly maxWith?: { readonly flag: string; readonly max: number };
        /** Of an `offset`: number of the first `page` that old clients send. Default: 0. */
        readonly firstPage?: 0 | 1;
      }
    | { readonly kind: 'bool'; readonly default?: boolean }
    | {
        readonly kind: 'text';
        readonly default?: string;
        readonly minLength?: number;
        readonly maxLength?: number;
        /** The form of the text; shown in the documents, checked by the handler. */
        readonly pattern?: string;
        /** Of a stream: the close code for a text that is too long. Without it the text is truncated. */
        readonly code?: number;
      }
    | {
        readonly kind: 'enum';
        readonly values: readonly string[];
        readonly default?: string;
        readonly synonyms?: Readonly<Record<string, string>>;
        /** Of a stream: the close code for an unknown value. Without it the value becomes the default. */
        readonly code?: number;
      }
    | {
        readonly kind: 'list';
        readonly maxItems: number;
        /** The schema of an item. Default: any text. */
        readonly items?: JsonSchema;
        /** What items can be; others are ignored. A single one is declared as an alternative to the list. */
        readonly values?: readonly string[];
      }
    // Unix ms or ISO date -> Unix ms
    | {
        readonly kind: 'time';
        /** It ends a span: a date without a time of day means the last millisecond of the day, not the first. */
        readonly endsSpan?: true;
      }
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

/** Groups of parameters; at least one group must be sent completely, else 400. */
export interface Need {
  readonly anyOf: readonly (readonly string[])[];
  /** More than one group is refused too. */
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
  | { defaultFrom: (values: Readonly<Record<string, unknown>>) => number }
  | { in: 'path' }
  ? true
  : false;

/** The input of a handler: each parameter by name, clamped; undefined if it is absent and has no default. */
export type Input<P extends Params> = {
  readonly [K in keyof P]: Certain<P[K]> extends true ? ValueOf<P[K]> : ValueOf<P[K]> | undefined;
};

type Sent<P extends Param> = P extends { kind: 'list' } ? readonly (string | number)[] : ValueOf<P>;

/** Values to send, by the names of the parameters: an example of a request. */
export type Example<P extends Params> = { readonly [K in keyof P]?: Sent<P[K]> };
