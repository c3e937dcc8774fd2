/**
 * The groups of `/ws/sync`: sockets with the same subscription, and one pass over all groups per tick.
 *
 * Goal: a ledger costs each group one frame, however many sockets it has; neither 20,000 different groups nor a ledger
 * that changes 500 tokens block the event loop: a pass is made of small steps, and the scheduler decides by time how many
 * of them run before it yields. Non-goal: requests of a single socket (sync.ts).
 *
 *     ledgers -> changed ids -> tick: seq + 1 -> pass: group 1, 2, 3 ... each: its ids among the changed -> rows -> frame
 *                                  ^ ledgers that come during a pass wait for the next one
 *     a step: one row rendered, or one frame published, or GROUPS_A_STEP groups without a change
 *
 * A frame has `rowsPerFrame` rows at most, and goes out before the next rows are rendered: what a thousand rows for a
 * hundred sockets cost in the transport is neither one stall, nor does it wait for the last row.
 *
 * seq counts frames of the whole stream, one a tick at least; prevSeq is the seq of the frame this group got last. So a
 * socket that changes its subscription keeps a rising seq (`move`), and a group that is quiet skips numbers without a gap: it
 * gets an empty frame every tenth tick. Cost: changed ids x groups set lookups, rows rendered once per tick.
 */
import type { LedgerEvent } from '../../engine/engine.ts';
import { runToEnd } from '../../engine/event-loop.ts';
import { Channel } from '../channel.ts';
import type { Client } from '../client.ts';
import type { StreamContext } from '../stream.ts';
import { keyOf, type Subscription } from './sync-subscription.ts';

/** A group without changes gets an empty frame when this many ticks passed. */
const QUIET_TICKS = 10;
/** Ticks after which the tokens that pass a filter are selected again. */
const SELECT_TICKS = 4;
/** Ticks for which the frames of unsubscribed sockets are still made while there is none, for those that reconnect. */
const IDLE_TICKS = 32;
/** Groups without a frame that one step passes: about 50 us. */
const GROUPS_A_STEP = 32;

export interface Group {
  readonly key: string;
  readonly subscription: Subscription;
  readonly channel: Channel;
  /** Tokens of a `tokens` or `filter` group. */
  ids: ReadonlySet<number> | undefined;
  /** Tick at which they were selected, and that of its last frame. */
  selectedAt: number;
  framedAt: number;
  /** Its frames of the tick, while they are being made. */
  framing: Generator<void, boolean> | undefined;
  /** Tick at which the last member left. */
  idleAt: number;
}

export class Groups {
  /** Seq of the newest frame. */
  seq = 0;
  #ticks = 0;
  readonly #context: StreamContext;
  readonly #byKey = new Map<string, Group>();
  #changed = new Set<number>();
  #ledgers = 0;
  /** The tick whose pass is going on. */
  #tick: Tick | undefined;

  constructor(context: StreamContext) {
    this.#context = context;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** Joins the group of a subscription; in mode `none` nothing comes. */
  join(connection: Client, subscription: Subscription): Group {
    const key = keyOf(subscription);
    const group = this.#byKey.get(key) ?? this.#create(key, subscription);
    if (subscription.mode !== 'none') group.channel.join(connection);
    return group;
  }

  leave(connection: Client, group: Group): void {
    group.channel.leave(connection);
    group.idleAt = this.#ticks;
    if (group.channel.members.size === 0 && group.subscription.mode !== 'all') this.#drop(group);
  }

  /** Leaves a group for that of another subscription. */
  move(connection: Client, before: Group, subscription: Subscription): Group {
    this.#settle(before);
    const group = this.join(connection, subscription);
    if (group === before) return group;
    this.leave(connection, before);
    // The group's frames of this tick are to come: their seq is above that of the frames which the member has.
    if (this.#tick && group.channel.seq < this.#tick.seq) this.seq++;
    return group;
  }

  /** Publishes the group's frames of the tick, before a member leaves for a group that has published them already. */
  #settle(group: Group): void {
    if (group.framing) runToEnd(group.framing);
    else if (this.#tick && group.channel.seq < this.#tick.seq) runToEnd(this.#frames(group, this.#tick));
  }

  markDirty(event: LedgerEvent): void {
    this.#ledgers++;
    if (this.#byKey.size === 0) return;
    for (const id of this.#context.views.tokens.changed.rows(event)) this.#changed.add(id);
  }

  /** Begins a pass unless one is going on; that one begins the next when it ends. */
  flush(): void {
    if (this.#tick || this.#ledgers === 0) return;
    this.#ledgers = 0;
    this.seq++;
    this.#ticks++;
    if (this.#byKey.size === 0) return;
    this.#tick = new Tick(this.#context, this.seq, this.#changed);
    this.#changed = new Set();
    this.#continue(this.#tick, this.#byKey.values());
  }

  /** Tokens that a member is shown: at most `limit`. @param first those of the group that come first */
  shown({ subscription, ids }: Group, limit: number, first: ReadonlySet<number>): readonly number[] {
    if (subscription.mode === 'none') return [];
    if (!ids) return this.#context.views.tokens.mostTraded({ topN: limit });
    const shown: number[] = [];
    for (const id of first.intersection(ids).union(ids)) {
      if (shown.length === limit) break;
      shown.push(id);
    }
    return shown;
  }

  #create(key: string, subscription: Subscription): Group {
    // A group made during a pass still gets the frame of its tick: the state that its member was shown may be older.
    const seq = this.#tick ? this.#tick.seq - 1 : this.seq;
    const channel = new Channel(this.#context.transport, `sync:${key}`, seq, true);
    const ids = this.#select(subscription);
    const at = this.#ticks;
    const framedAt = this.#tick ? at - 1 : at;
    const group = {
      key,
      subscription,
      channel,
      ids,
      selectedAt: at,
      framedAt,
      idleAt: at,
      framing: undefined,
    };
    if (subscription.mode !== 'none') this.#byKey.set(key, group);
    return group;
  }

  #drop(group: Group): void {
    if (this.#byKey.get(group.key) === group) this.#byKey.delete(group.key);
    group.channel.release();
  }

  /** Schedules the next step of a pass. A group whose frame fails is left out, and the pass goes on with the next. */
  #continue(tick: Tick, groups: Iterator<Group>, steps = this.#steps(tick, groups)): void {
    this.#context.scheduler.urgent(() => {
      let isLast = false;
      try {
        isLast = steps.next().done === true;
      } catch (error) {
        this.#continue(tick, groups);
        throw error;
      }
      if (!isLast) {
        this.#continue(tick, groups, steps);
        return;
      }
      this.#tick = undefined;
      this.flush();
    });
  }

  *#steps(tick: Tick, groups: Iterator<Group>): Generator<void> {
    let passed = 0;
    for (;;) {
      const { value: group, done } = groups.next();
      if (done) return;
      if (group.channel.seq < tick.seq) {
        if (group.channel.members.size === 0 && this.#ticks - group.idleAt > IDLE_TICKS) this.#drop(group);
        else if (yield* this.#serve(group, tick)) passed = 0;
      }
      if (++passed < GROUPS_A_STEP) continue;
      passed = 0;
      yield;
    }
  }

  /** The group's frames, unless `settle` makes the rest of them. @returns whether it did something expensive */
  *#serve(group: Group, tick: Tick): Generator<void, boolean> {
    const frames = this.#frames(group, tick);
    group.framing = frames;
    try {
      for (;;) {
        const { done, value } = frames.next();
        if (done) return value === true;
        yield;
      }
    } finally {
      group.framing = undefined;
    }
  }

  /** Renders the group's rows one by one, and publishes a frame of so many. @returns false where there is nothing to publish yet */
  *#frames(group: Group, tick: Tick): Generator<void, boolean> {
    const { channel, subscription } = group;
    const { lightweight, skipMetrics } = subscription;
    const ids = this.#idsToSend(group, tick.changed);
    if (ids.length === 0 && this.#ticks - group.framedAt < QUIET_TICKS) return false;
    group.framedAt = this.#ticks;
    const { rowsPerFrame } = this.#context.transport.limits;
    for (let at = 0; at === 0 || at < ids.length; at += rowsPerFrame) {
      const rows = ids.slice(at, at + rowsPerFrame);
      for (const id of rows) if (tick.render(id, lightweight)) yield;
      // Its last member may have left.
      if (this.#byKey.get(group.key) !== group) return false;
      // What does not fit comes in the next frame, under a seq of its own.
      if (at > 0) this.seq++;
      const head = `{"res":"success","seq":${this.seq},"prevSeq":${channel.seq},${tick.middle(skipMetrics)}`;
      channel.publish(`${head},"tokens":[${tick.rows(rows, lightweight)}]}`, this.seq);
      yield;
    }
    return true;
  }

  /** The group's tokens that changed, and those that its filter lets in only now. */
  #idsToSend(group: Group, changed: ReadonlySet<number>): number[] {
    const { subscription } = group;
    const before = group.ids;
    if (subscription.mode === 'filter' && this.#ticks - group.selectedAt >= SELECT_TICKS) {
      group.ids = this.#select(subscription);
      group.selectedAt = this.#ticks;
    }
    const { ids } = group;
    const toSend = changedOf(group, changed);
    if (before && ids && before !== ids)
      for (const id of ids) if (!before.has(id) && !changed.has(id)) toSend.push(id);
    return toSend;
  }

  #select(subscription: Subscription): ReadonlySet<number> | undefined {
    if (subscription.mode === 'tokens') return subscription.ids;
    if (subscription.mode === 'filter')
      return new Set(this.#context.views.tokens.mostTraded(subscription.filter));
    return undefined;
  }
}

/** The group's tokens among the changed ones: as many lookups as the smaller set has ids. */
function changedOf({ ids }: Group, changed: ReadonlySet<number>): number[] {
  if (!ids) return [...changed];
  const [few, many] = ids.size < changed.size ? [ids, changed] : [changed, ids];
  const both: number[] = [];
  for (const id of few) if (many.has(id)) both.push(id);
  return both;
}

/** What all frames of one tick share: rows are rendered once, the metrics once. */
class Tick {
  readonly seq: number;
  readonly changed: ReadonlySet<number>;
  readonly #context: StreamContext;
  readonly #full = new Map<number, string>();
  readonly #light = new Map<number, string>();
  #middle: readonly [string, string] | undefined;

  constructor(context: StreamContext, seq: number, changed: ReadonlySet<number>) {
    this.#context = context;
    this.seq = seq;
    this.changed = changed;
  }

  /** Makes sure that a row is rendered. @returns false when it was already */
  render(id: number, lightweight: boolean): boolean {
    const rendered = lightweight ? this.#light : this.#full;
    if (rendered.has(id)) return false;
    rendered.set(id, this.#context.views.tokens.rowText(id, lightweight ? 'light' : 'full'));
    return true;
  }

  /** Rows, joined by commas. */
  rows(ids: readonly number[], lightweight: boolean): string {
    const rendered = lightweight ? this.#light : this.#full;
    return ids
      .map((id) => {
        this.render(id, lightweight);
        return rendered.get(id);
      })
      .join(',');
  }

  middle(skipMetrics: boolean): string {
    this.#middle ??= [middleText(this.#context, false), middleText(this.#context, true)];
    return this.#middle[skipMetrics ? 1 : 0];
  }
}

/** `"time":...,"session":...,"total":...` and, unless skipped, exch, H24 and global. */
export function middleText({ views, now, session }: StreamContext, skipMetrics: boolean): string {
  const head = `"time":${now()},"session":"${session}","total":${views.tokens.total}`;
  if (skipMetrics) return head;
  const { exch, H24, global } = views.market.texts();
  return `${head},"exch":${exch},"H24":${H24},"global":${global}`;
}
