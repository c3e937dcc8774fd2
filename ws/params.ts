/** Reads a stream's path and query parameters by its row. */
import { CloseCode, Refusal } from './limits.ts';
import type { Input, Stream, StreamParam } from './stream.ts';

/** The stream whose path fits, and the values of its path parameters; a trailing slash is ignored. */
export function match(
  streams: readonly Stream[],
  pathname: string,
): { stream: Stream; path: Readonly<Record<string, string>> } | undefined {
  const asked = segments(pathname);
  for (const stream of streams) {
    const wanted = segments(stream.path);
    if (wanted.length !== asked.length) continue;
    const path: Record<string, string> = {};
    const fits = wanted.every((part, i) => {
      if (!part.startsWith('{')) return part === asked[i];
      path[part.slice(1, -1)] = decoded(asked[i]!);
      return true;
    });
    if (fits) return { stream, path };
  }
  return undefined;
}

/** @throws Refusal with the code the row names. */
export function readInput(
  stream: Stream,
  path: Readonly<Record<string, string>>,
  query: URLSearchParams,
): Input {
  const input: Record<string, string | number | boolean | undefined> = {};
  for (const [name, param] of Object.entries(stream.params)) {
    const names = [name, ...(param.aliases ?? [])];
    const found = names.map((key) => query.get(key)).find((value) => value !== null && value !== '');
    input[name] = readOne(name, param, param.in === 'path' ? path[name] : (found ?? undefined));
  }
  return input;
}

function readOne(name: string, param: StreamParam, text: string | undefined): Input[string] {
  switch (param.kind) {
    case 'text':
      if (text !== undefined && text.length > param.maxLength)
        throw new Refusal(CloseCode.parameter, `${name} is longer than ${param.maxLength} characters`);
      return text;
    case 'int': {
      const value = text === undefined ? Number.NaN : Math.trunc(Number(text));
      return Number.isFinite(value) ? Math.min(param.max, Math.max(param.min, value)) : param.default;
    }
    case 'flag':
      if (text === undefined) return param.default;
      return text === '1' || text.toLowerCase() === 'true';
    case 'enum': {
      if (text === undefined) return param.default;
      const known = param.synonyms && Object.hasOwn(param.synonyms, text) ? param.synonyms[text]! : text;
      const value = param.values.find((offered) => offered.toLowerCase() === known.toLowerCase());
      if (value === undefined)
        throw new Refusal(param.code, `${name} must be one of ${param.values.join(', ')}`);
      return value;
    }
  }
}

function segments(pathname: string): string[] {
  return pathname.split('/').filter((part) => part.length > 0);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
