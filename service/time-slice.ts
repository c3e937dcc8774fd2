/**
 * Gives the event loop a turn when the last one is `ms` ago. Prepared ledgers come many at once and are applied in
 * microtasks: without this, requests and sockets would wait until all that are ready are applied.
 */
export function turns(ms: number): () => Promise<void> | undefined {
  let last = performance.now();
  return () => {
    if (performance.now() - last < ms) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        last = performance.now();
        resolve();
      }),
    );
  };
}
