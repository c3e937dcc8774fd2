/** What a `/ws/sync` socket subscribes to, read from its messages. */
import { readBoolean, readNumber } from '../../requests/param-reader.ts';
import type { TokenFilter, TokenViews } from '../../views/token-views.ts';
import { CloseCode, Refusal } from '../limits.ts';
import type { Message } from '../stream.ts';

export interface Options {
  readonly lightweight: boolean;
  readonly skipMetrics: boolean;
}

export type Subscription = Options &
  (
    | { readonly mode: 'all' }
    | { readonly mode: 'none' }
    | { readonly mode: 'tokens'; readonly ids: ReadonlySet<number> }
    | { readonly mode: 'filter'; readonly filter: TokenFilter }
  );

/** Without a subscription: every changed token, in the fewer fields that lists need. */
export const UNSUBSCRIBED: Subscription = { mode: 'all', lightweight: true, skipMetrics: false };

export const TOP_MAX = 500;
const TAGS_MAX = 20;

/** Equal for equal subscriptions: sockets with the same share a topic. */
export function keyOf(subscription: Subscription): string {
  const { mode, lightweight, skipMetrics } = subscription;
  const flags = `${mode}|${lightweight ? 'l' : ''}${skipMetrics ? 's' : ''}`;
  if (mode === 'tokens') {
    const sorted = Uint32Array.from(subscription.ids).sort();
    return `${flags}|${new Bun.CryptoHasher('sha1').update(sorted).digest('base64')}`;
  }
  return mode === 'filter' ? `${flags}|${JSON.stringify(subscription.filter)}` : flags;
}

/**
 * @param namesMax tokens that a message may name, known or not
 * @returns a text that says what is wrong with the message, else the subscription. @throws Refusal 4011
 */
export function subscriptionOf(
  views: TokenViews,
  message: Message,
  namesMax: number,
): { subscription: Subscription; unknown: readonly string[] } | string {
  const isSet = (flag: unknown) => readBoolean(flag) === true;
  const options = { lightweight: isSet(message.lightweight), skipMetrics: isSet(message.skip_metrics) };
  if (message.tokens !== undefined) {
    const found = tokensOf(views, message.tokens, namesMax);
    if (typeof found === 'string') return found;
    return { subscription: { mode: 'tokens', ids: new Set(found.ids), ...options }, unknown: found.unknown };
  }
  if (message.filter !== undefined) {
    const filter = filterOf(message.filter);
    if (typeof filter === 'string') return filter;
    return { subscription: { mode: 'filter', filter, ...options }, unknown: [] };
  }
  return { subscription: { mode: 'all', ...options }, unknown: [] };
}

/** Ids of a message's token list; what the ledger does not hold comes back as unknown. @throws Refusal 4011 */
export function tokensOf(
  views: TokenViews,
  value: unknown,
  namesMax: number,
): { ids: number[]; unknown: string[] } | string {
  if (!Array.isArray(value)) return 'tokens must be an array of token md5s';
  // Before they are looked up: that of a name takes some microseconds, and others wait for it.
  if (value.length > namesMax) throw tooManyTokens(namesMax);
  const ids: number[] = [];
  const unknown: string[] = [];
  for (const one of value) {
    const id = typeof one === 'string' && one.length <= 128 ? views.resolve(one) : undefined;
    if (id !== undefined) ids.push(id);
    else unknown.push(typeof one === 'string' ? one.slice(0, 128) : typeof one);
  }
  return { ids, unknown };
}

export function tooManyTokens(max: number): Refusal {
  return new Refusal(CloseCode.subscriptions, `at most ${max} tokens a connection`);
}

function filterOf(value: unknown): TokenFilter | string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'filter must be an object';
  const { minVolume, tags, topN } = value as Record<string, unknown>;
  const volume = readNumber(minVolume);
  if (minVolume !== undefined && !(volume !== undefined && volume >= 0))
    return 'filter.minVolume must be a number of XRP, 0 or more';
  if (tags !== undefined && !isTags(tags)) return `filter.tags must be an array of up to ${TAGS_MAX} texts`;
  const wanted = topN === undefined ? TOP_MAX : readNumber(topN);
  if (wanted === undefined) return 'filter.topN must be a number';
  const top = Math.min(TOP_MAX, Math.max(1, Math.trunc(wanted)));
  return {
    ...(volume === undefined ? {} : { minVolume: volume }),
    // An empty list names no tag to ask for.
    ...(tags === undefined || tags.length === 0 ? {} : { tags: tags as string[] }),
    topN: top,
  };
}

function isTags(value: unknown): value is string[] {
  return (
    Array.isArray(value) &&
    value.length <= TAGS_MAX &&
    value.every((tag) => typeof tag === 'string' && tag.length <= 64)
  );
}
