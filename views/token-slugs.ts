/** Slugs of all tokens, the largest by 24 h volume first. */
import { mapInSlices } from '../engine/event-loop.ts';
import type { TokenViews } from './token-views.ts';

/** Slugs answered at once. */
const SLUGS_MAX = 10_000;
/** Slugs written before other work may run: about 4 ms. */
const SLUGS_A_SLICE = 1000;

/** At most SLUGS_MAX; made in slices, since writing an issuer's address is expensive. */
export async function tokenSlugs(
  tokens: TokenViews,
): Promise<{ count: number; total: number; truncated: boolean; slugs: string[] }> {
  const query = { sort: 'vol24hxrp', ascending: false, offset: 0, limit: SLUGS_MAX } as const;
  await tokens.listReady(query.sort);
  const { ids, total } = tokens.list(query);
  const slugs = await mapInSlices(ids, SLUGS_A_SLICE, (id) => tokens.slug(id));
  return { count: ids.length, total, truncated: total > ids.length, slugs };
}
