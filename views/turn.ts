/** Long work in slices, so that it holds up nobody. */

/** Lets other work run. */
export function turn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

/** `make` of every item, `slice` items before other work may run. */
export async function mapInSlices<T, R>(
  items: ArrayLike<T>,
  slice: number,
  make: (item: T) => R,
): Promise<R[]> {
  const made: R[] = [];
  for (let i = 0; i < items.length; i++) {
    if (i > 0 && i % slice === 0) await turn();
    made.push(make(items[i]!));
  }
  return made;
}
