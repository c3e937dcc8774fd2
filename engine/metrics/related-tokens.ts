/**
 * Tokens with the same audience: what the largest holders of a token, or of a collection of NFTs, hold besides it.
 *
 *     audience   the AUDIENCE largest holders of the token; pools are left out
 *     shared     how many of the audience hold another token, too
 *     score      shared / sqrt(audience x holders of the other token): the cosine of the two sets of holders, so that tokens
 *                that everybody holds do not come first (https://en.wikipedia.org/wiki/Cosine_similarity, Otsuka-Ochiai)
 *
 * A shared audience is no link between wallets. Tokens with fewer than SHARED_MIN shared holders are left out.
 *
 * Cost: one pass over all lines (two columns; 8 million take about 50 ms), a bit for each account. Yields after each slice.
 */
import type { CooperativeTask } from '../event-loop.ts';
import { HolderGathering } from '../state/holder-ranking.ts';
import type { BalanceColumns } from '../state/token-balances.ts';

export const AUDIENCE = 500;
export const SHARED_MIN = 2;
/** Rows of the result. */
export const RELATED_MAX = 100;
/** Shared holders that a row names. */
export const NAMED_MAX = 5;
/** Lines of a slice: below a millisecond. */
const SLICE = 65_536;

/** What it reads of a state. */
interface RelatedReads extends BalanceColumns {
  readonly lines: BalanceColumns['lines'] & {
    readonly table: { readonly count: number };
    readonly lows: Uint32Array;
    holders(token: number): Uint32Array;
    holdersCount(token: number): number;
    holderAccount(line: number, token: number): number;
    /** The token that one end of a line holds more than zero of; 0: none. */
    heldToken(line: number): number;
  };
  readonly pools: { byAccount(account: number): number | undefined };
}

export interface RelatedTokens {
  /** Accounts of the audience. */
  readonly audience: number;
  /** Highest score first. */
  readonly tokens: readonly RelatedToken[];
  /** Accounts of the audience, the largest holder first. */
  readonly accounts: readonly number[];
}

interface RelatedToken {
  readonly token: number;
  readonly shared: number;
  readonly holders: number;
  readonly score: number;
  /** Some of the shared holders. */
  readonly named: readonly number[];
}

export function* relatedTokens(state: RelatedReads, token: number): CooperativeTask<RelatedTokens> {
  const audience = audienceOf(state, token);
  yield;
  return yield* tokensOfAudience(state, audience, token);
}

/** What accounts hold. @param except not this token */
export function* tokensOfAudience(
  state: RelatedReads,
  audience: readonly number[],
  except: number,
): CooperativeTask<RelatedTokens> {
  const { lines } = state;
  let last = 0;
  for (const account of audience) last = Math.max(last, account);
  const bits = new Uint32Array((last >>> 5) + 1);
  for (const account of audience) bits[account >>> 5]! |= 1 << (account & 31);
  const isIn = (account: number): boolean => ((bits[account >>> 5] ?? 0) & (1 << (account & 31))) !== 0;
  const counts = new Map<number, { shared: number; readonly named: number[] }>();
  const { lows, highs } = lines;
  const { count } = lines.table;
  for (let line = 1; line < count; line++) {
    if (line % SLICE === 0) yield;
    if (!isIn(lows[line]!) && !isIn(highs[line]!)) continue;
    const held = lines.heldToken(line);
    if (held === 0 || held === except) continue;
    const holder = lines.holderAccount(line, held);
    if (!isIn(holder)) continue;
    const count = counts.get(held) ?? { shared: 0, named: [] };
    count.shared++;
    if (count.named.length < NAMED_MAX) count.named.push(holder);
    counts.set(held, count);
  }
  const tokens = Array.from(counts, ([other, { shared, named }]) => {
    const holders = lines.holdersCount(other);
    const score = shared / Math.sqrt(audience.length * holders);
    return { token: other, shared, holders, score, named };
  });
  const ranked = tokens
    .filter(({ shared }) => shared >= SHARED_MIN)
    .sort((a, b) => b.score - a.score || a.token - b.token);
  return { audience: audience.length, tokens: ranked.slice(0, RELATED_MAX), accounts: audience };
}

/** Accounts of the largest holders. */
function audienceOf(state: RelatedReads, token: number): number[] {
  const { lines, pools } = state;
  const list = lines.holders(token);
  const gathering = new HolderGathering(list.length);
  gathering.add(state, token, list, 0, list.length);
  const found: number[] = [];
  for (const line of gathering.ordered().lines) {
    const account = lines.holderAccount(line, token);
    if (pools.byAccount(account) === undefined) found.push(account);
    if (found.length === AUDIENCE) break;
  }
  return found;
}
