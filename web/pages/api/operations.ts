/** The routes of the OpenAPI document, as far as this page reads it. */

export interface Parameter {
  readonly name: string;
  readonly about: string;
  readonly isRequired: boolean;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly section: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  /** In which words are looked for, in small letters. */
  readonly haystack: string;
}

// biome-ignore lint/suspicious/noExplicitAny: the document's own schema is not part of it
type Json = Record<string, any>;

/** Parameters that every route has are left out: they are described once, in the reference. */
const isShared = (parameter: Json) => '$ref' in parameter;

export function operationsOf(document: object): Operation[] {
  const { paths = {} } = document as Json;
  return Object.entries(paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]) => operationOf(method, path, operation)),
  );
}

function operationOf(
  method: string,
  path: string,
  { summary = '', tags = [], parameters = [] }: Json,
): Operation {
  return {
    method: method.toUpperCase(),
    path,
    summary,
    section: tags[0] ?? 'Others',
    parameters: (parameters as Json[]).filter((one) => !isShared(one)).map(parameterOf),
    haystack: `${method} ${path} ${summary} ${tags.join(' ')}`.toLowerCase(),
  };
}

const parameterOf = ({ name, description = '', required = false }: Json): Parameter => ({
  name,
  about: description,
  isRequired: required,
});

/** In the order of the document. */
export function bySection(operations: readonly Operation[]): ReadonlyMap<string, readonly Operation[]> {
  return Map.groupBy(operations, ({ section }) => section);
}
