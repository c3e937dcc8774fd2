/**
 * The groups of `/ws/sync`: sockets with the same subscription, and one walk over all groups per tick.
 *
 * Goal: a ledger costs each group one frame, however many sockets it has; 20,000 different groups are walked in
 * slices between which the loop gets its turn. Non-goal: what a single socket asks (sync.ts).
 *
 *     ledgers -> touched ids -> tick: seq + 1 -> walk: group 1, 2, 3 ... each: own ids among the touched -> frame
 *                                  ^ ledgers that come during a walk wait for the next one
 *
 * seq counts ticks of the whole stream; prevSeq is the seq of the frame this group got last. So a socket that
 * changes its subscription keeps a rising seq, and a group that is quiet skips numbers without a gap: it gets an
 * empty frame every tenth. Cost: touched ids x groups set lookups, rows rendered once per tick.
 */
import { Channel } from '../channel.ts';
import type { Connection } from '../connection.ts';
import type { Ids, TokenId } from '../feed.ts';
import type { StreamContext } from '../stream.ts';
import { keyOf, type Subscription } from './sync-subscription.ts';

/** A group without news gets an empty frame when this many ticks passed. */
const QUIET_TICKS = 10;
/** Ticks after which a filter is asked again which tokens pass. */
const SELECT_TICKS = 4;
/** Ticks for which the frames of unsubscribed sockets are made on while nobody is there, for who reconnects. */
const IDLE_TICKS = 32;
/** Groups looked at in one job. */
const GROUPS_PER_JOB = 32;

export interface Group {
  readonly key: string;
  readonly subscription: Subscription;
  readonly channel: Channel;
  /** Tokens of a `tokens` or `filter` group. */
  ids: ReadonlySet<TokenId> | undefined;
  selectedAt: number;
  /** Tick at which the last member left. */
  idleAt: number;
}

export class Groups {
  /** Seq of the newest tick. */
  seq = 0;
  readonly #context: StreamContext;
  readonly #byKey = new Map<string, Group>();
  #touched = new Set<TokenId>();
  #ledgers = 0;
  /** The walk under way, and its tick. */
  #walk: Walk | undefined;
  #tick = 0;

  constructor(context: StreamContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Joins the group of a subscription; in mode `none` nothing comes. */
  join(connection: Connection, subscription: Subscription): Group {
    const key = keyOf(subscription);
    const group = this.#byKey.get(key) ?? this.#create(key, subscription);
    if (subscription.mode !== 'none') group.channel.join(connection);
    return group;
  }

  leave(connection: Connection, group: Group): void {
    group.channel.leave(connection);
    group.idleAt = this.seq;
    if (group.channel.members.size === 0 && group.subscription.mode !== 'all') this.#drop(group);
  }

  /** Tells a group what the walk under way has for it: before a member leaves for a group already told. */
  settle(group: Group): void {
    if (this.#walk && group.channel.seq < this.#tick) this.#tell(group, this.#walk);
  }

  markDirty(touched: Ids): void {
    this.#ledgers++;
    if (this.#byKey.size === 0) return;
    for (const id of touched) this.#touched.add(id);
  }

  /** Begins a walk unless one is under way; that one begins the next when it ends. */
  flush(): void {
    if (this.#walk || this.#ledgers === 0) return;
    this.#ledgers = 0;
    this.seq++;
    if (this.#byKey.size === 0) return;
    this.#tick = this.seq;
    this.#walk = new Walk(this.#context, this.#touched);
    this.#touched = new Set();
    this.#step(this.#walk, this.#byKey.values());
  }

  /** Tokens a newcomer is shown: at most `limit`. */
  shown({ subscription, ids }: Group, limit: number): readonly TokenId[] {
    if (subscription.mode === 'none') return [];
    if (!ids) return this.#context.feed.select({ topN: limit });
    const shown: TokenId[] = [];
    for (const id of ids) {
      if (shown.length === limit) break;
      shown.push(id);
    }
    return shown;
  }

  #create(key: string, subscription: Subscription): Group {
    // Born during a walk, a group is still to be told of its tick: the state it was shown may be older.
    const seq = this.#walk ? this.#tick - 1 : this.seq;
    const channel = new Channel(this.#context.transport, `sync:${key}`, seq, true);
    const ids = this.#select(subscription);
    const group = { key, subscription, channel, ids, selectedAt: this.seq, idleAt: this.seq };
    if (subscription.mode !== 'none') this.#byKey.set(key, group);
    return group;
  }

  #drop(group: Group): void {
    if (this.#byKey.get(group.key) === group) this.#byKey.delete(group.key);
    group.channel.release();
  }

  #step(walk: Walk, groups: Iterator<Group>): void {
    this.#context.scheduler.urgent(() => {
      for (let i = 0; i < GROUPS_PER_JOB; i++) {
        const { value: group, done } = groups.next();
        if (done) {
          this.#walk = undefined;
          this.flush();
          return;
        }
        if (group.channel.seq >= this.#tick) continue;
        if (group.channel.members.size === 0 && this.seq - group.idleAt > IDLE_TICKS) this.#drop(group);
        else this.#tell(group, walk);
      }
      this.#step(walk, groups);
    });
  }

  #tell(group: Group, walk: Walk): void {
    const { channel } = group;
    const news = this.#news(group, walk);
    if (news.length === 0 && this.seq - channel.seq < QUIET_TICKS) return;
    const { rowsPerFrame } = this.#context.transport.limits;
    for (let at = 0; at === 0 || at < news.length; at += rowsPerFrame) {
      // A frame is bounded; what does not fit comes in the next one, under a seq of its own.
      if (at > 0) this.seq++;
      const { lightweight, skipMetrics } = group.subscription;
      const rows = walk.rows(news.slice(at, at + rowsPerFrame), lightweight);
      const head = `{"res":"success","seq":${this.seq},"prevSeq":${channel.seq},${walk.middle(skipMetrics)}`;
      channel.publish(`${head},"tokens":[${rows}]}`, this.seq);
    }
  }

  /** The group's tokens that changed, and those that its filter lets in only now. */
  #news(group: Group, walk: Walk): TokenId[] {
    const { subscription } = group;
    const before = group.ids;
    if (subscription.mode === 'filter' && this.seq - group.selectedAt >= SELECT_TICKS) {
      group.ids = this.#select(subscription);
      group.selectedAt = this.seq;
    }
    const { ids } = group;
    if (!ids) return [...walk.touched];
    const news: TokenId[] = [];
    if (ids.size < walk.touched.size) {
      for (const id of ids) if (walk.touched.has(id)) news.push(id);
    } else {
      for (const id of walk.touched) if (ids.has(id)) news.push(id);
    }
    if (before && before !== ids)
      for (const id of ids) if (!before.has(id) && !walk.touched.has(id)) news.push(id);
    return news;
  }

  #select(subscription: Subscription): ReadonlySet<TokenId> | undefined {
    if (subscription.mode === 'tokens') return subscription.ids;
    if (subscription.mode === 'filter') return new Set(this.#context.feed.select(subscription.filter));
    return undefined;
  }
}

/** What all frames of one tick share: rows are rendered once, the metrics once. */
class Walk {
  readonly touched: ReadonlySet<TokenId>;
  readonly #context: StreamContext;
  readonly #full = new Map<TokenId, string>();
  readonly #light = new Map<TokenId, string>();
  #middle: readonly [string, string] | undefined;

  constructor(context: StreamContext, touched: ReadonlySet<TokenId>) {
    this.#context = context;
    this.touched = touched;
  }

  rows(ids: readonly TokenId[], lightweight: boolean): string {
    const kept = lightweight ? this.#light : this.#full;
    return ids
      .map((id) => {
        let text = kept.get(id);
        if (text === undefined) {
          text = this.#context.feed.row(id, lightweight);
          kept.set(id, text);
        }
        return text;
      })
      .join(',');
  }

  middle(skipMetrics: boolean): string {
    this.#middle ??= [middleText(this.#context, false), middleText(this.#context, true)];
    return this.#middle[skipMetrics ? 1 : 0];
  }
}

/** `"time":...,"session":...,"total":...` and, unless skipped, exch, H24 and global. */
export function middleText({ feed, now, session }: StreamContext, skipMetrics: boolean): string {
  const head = `"time":${now()},"session":"${session}","total":${feed.total()}`;
  if (skipMetrics) return head;
  const { exch, H24, global } = feed.metrics();
  return `${head},"exch":${exch},"H24":${H24},"global":${global}`;
}
