/** Finds the stream that an address names. */
import type { Stream } from './stream.ts';

/** The stream whose path matches, and the path's segments, still percent-encoded; a trailing slash is ignored. */
export function match(
  streams: readonly Stream[],
  pathname: string,
): { stream: Stream; segments: readonly string[] } | undefined {
  const asked = segmentsOf(pathname);
  for (const stream of streams) {
    const wanted = segmentsOf(stream.path);
    if (wanted.length !== asked.length) continue;
    if (wanted.every((part, at) => part.startsWith('{') || part === asked[at]))
      return { stream, segments: asked };
  }
  return undefined;
}

function segmentsOf(pathname: string): string[] {
  return pathname.split('/').filter((part) => part.length > 0);
}
