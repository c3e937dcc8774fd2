/** Requests for pages of a snapshot and their answers as text: what is read of an answer without parsing it. */

const MARKER = '"marker":"';
const MARKER_DIGITS = 64;

/** The first marker in an answer, where it is written as nodes write it; undefined where only parsing finds it. */
export function markerIn(answer: string): string | undefined {
  const at = answer.indexOf(MARKER);
  const marker = answer.slice(at + MARKER.length, at + MARKER.length + MARKER_DIGITS);
  return at >= 0 && /^[0-9A-Fa-f]{64}$/.test(marker) ? marker : undefined;
}

/** Whether it is the answer to a request, by an id that no other number in a message equals. The same spelling only. */
export function answers(answer: string, id: number): boolean {
  return answer.includes(`"id":${id}`);
}

/** The request for the page after that of a request: the same text that the source makes of it. */
export function nextPageRequest(request: string, marker: string, id: number): string {
  const { id: _id, marker: _marker, ...command } = JSON.parse(request) as Record<string, unknown>;
  return JSON.stringify({ ...command, marker, id });
}
