/**
 * Started by platform-store.test.ts under a file size limit: writes until that is refused, then removes a row. Prints how
 * it went, as JSON.
 */
import { openPlatformStore } from '../../data/platform-store.ts';
import { PlatformError } from '../../platform/store.ts';
import { balances, contents, notes } from './platform-collections.ts';

/** Codes of what the store says of its commits; null: they succeed again. */
const said: (string | null)[] = [];
const store = await openPlatformStore({
  dir: process.argv[2]!,
  network: 'test',
  collections: [notes, balances],
  onFailing: (fault) => said.push((fault as PlatformError | undefined)?.code ?? null),
});
const large = () =>
  store.transaction((transaction) =>
    transaction.put(balances, ['l'], { drops: 0, events: ['x'.repeat(40_000)] }),
  );
let code: string | undefined;
let isPlatformError = false;
let stored = 0;
while (code === undefined && stored < 500) {
  try {
    await store.transaction((transaction) => {
      transaction.put(balances, [stored], { drops: 0, events: ['x'.repeat(40_000)] });
      transaction.put(notes, [stored], { owner: 'ann', slug: undefined, tags: [], size: 1 });
    });
    stored++;
  } catch (error) {
    code = (error as { code: string }).code;
    isPlatformError = error instanceof PlatformError;
  }
}
await large().catch(() => {});
const { failures } = store.stats();
await store.transaction((transaction) => {
  transaction.delete(balances, [0]);
  transaction.delete(notes, [0]);
});
const afterwards = contents(store, notes).length;
console.log(JSON.stringify({ code, isPlatformError, stored, afterwards, failures, said }));
await store.close();
