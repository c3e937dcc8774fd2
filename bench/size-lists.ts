/**
 * Every list of sections 4.1 and 4.2 at the main network's size, against a `Bun.serve` that sends the same bytes: as
 * http-lists.ts, over a generated store that has followed some ledgers. `bun bench/size-lists.ts [--share=0.1]`.
 */
import type { Figure } from './budgets.ts';
import { besideStatic } from './http.ts';
import { slowestList, subjects } from './http-lists.ts';
import { FollowingService, madeStore, SHARE, withCopy } from './size/rig.ts';

/** Ledgers followed first, so that there are trades to list. */
const LEDGERS = 130;
const TRANSACTIONS = 100;

async function run(): Promise<Figure[]> {
  const { store, archive } = await madeStore(SHARE, { ledgers: LEDGERS, transactions: TRANSACTIONS });
  return withCopy(store, async (dir) => {
    const following = await FollowingService.start(dir, archive);
    try {
      for (let i = 0; i < LEDGERS; i++) await following.ledger();
      const { tokens, accounts } = await subjects(following.url);
      return await besideStatic(following.service, following.url, (rig) =>
        slowestList(rig, 'size.any-list', tokens, accounts),
      );
    } finally {
      await following.end();
    }
  });
}

console.log(`figures ${JSON.stringify(await run())}`);
