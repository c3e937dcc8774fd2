/**
 * Several sorted sources as one.
 *
 *     sources   a: 1 4 9     b: 2 4     c: 4 7          ->  1, 2, 4 of c, 7, 9
 *     heap      the next row of each source, the lowest key on top; of equal keys that of the later source
 *
 * Cost: the logarithm of the number of sources in comparisons a row; no row is copied or kept after the next one.
 *
 * Sources are ended with it, also where nobody wants more rows: one that reads a store holds a snapshot of it until then.
 */

interface Head<R> {
  row: R;
  readonly source: Iterator<R>;
  readonly order: number;
}

/**
 * Rows in key order; of equal keys only that of the last source.
 * @param sources each ascending, with each key once. @param compare orders rows by their keys
 */
export function* merged<R>(
  sources: readonly Iterator<R>[],
  compare: (a: R, b: R) => number,
): Generator<R, undefined> {
  const heap: Head<R>[] = [];
  const isBefore = (a: Head<R>, b: Head<R>): boolean => (compare(a.row, b.row) || b.order - a.order) < 0;
  try {
    for (const [order, source] of sources.entries()) {
      const { value, done } = source.next();
      if (!done) heap.push({ row: value, source, order });
    }
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) siftDown(heap, i, isBefore);
    while (heap.length > 0) {
      const { row } = heap[0]!;
      yield row;
      do advance(heap, isBefore);
      while (heap.length > 0 && compare(heap[0]!.row, row) === 0);
    }
  } finally {
    for (const source of sources) source.return?.();
  }
}

/** Takes the next row of the source on top. */
function advance<R>(heap: Head<R>[], isBefore: (a: Head<R>, b: Head<R>) => boolean): void {
  const { value, done } = heap[0]!.source.next();
  if (!done) heap[0]!.row = value;
  else {
    const last = heap.pop()!;
    if (heap.length === 0) return;
    heap[0] = last;
  }
  siftDown(heap, 0, isBefore);
}

function siftDown<R>(heap: Head<R>[], from: number, isBefore: (a: Head<R>, b: Head<R>) => boolean): void {
  const sinking = heap[from]!;
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (!isBefore(heap[child]!, sinking)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = sinking;
}
