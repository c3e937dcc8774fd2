/** NFT pages that a recorded transaction read and did not write. */

import type { Hex } from '../../../engine/codec/arithmetic/asset.ts';
import { PAGE_ENTRIES } from '../../../sandbox/ledger/directory.ts';
import type { Entry } from '../../../sandbox/protocol/fields.ts';
import * as keylets from '../../../sandbox/protocol/keylets.ts';
import type { Before } from './before.ts';
import { fillerKey } from './directories.ts';

/** A page of an account that holds these, without links to other pages. */
const pageWith = (index: Hex, ids: readonly Hex[]): Entry => ({
  LedgerEntryType: 'NFTokenPage',
  index,
  Flags: 0,
  NFTokens: ids.map((NFTokenID) => ({ NFToken: { NFTokenID } })),
});

/** Neighbours of changed pages are full, so that they are not merged; an NFT that is offered is on a page. */
export function supplyNftPages(state: Before): void {
  const { tx, recorded } = state;
  for (const page of [...state.entries.values()]) {
    if (page.LedgerEntryType !== 'NFTokenPage') continue;
    for (const [link, back] of [
      ['PreviousPageMin', 'NextPageMin'],
      ['NextPageMin', 'PreviousPageMin'],
    ] as const) {
      const key = page[link];
      if (key === undefined) continue;
      const ids = Array.from(
        { length: PAGE_ENTRIES },
        (_, at) => fillerKey(key, at).slice(0, 40) + key.slice(40),
      );
      state.add({ ...pageWith(key, ids), [back]: page.index });
    }
  }
  if (tx.TransactionType !== 'NFTokenCreateOffer' || recorded.result === 'tecNO_ENTRY') return;
  const last = keylets.nftPageMax(tx.Owner ?? tx.Account);
  state.add(pageWith(last, [tx.NFTokenID!]));
}
