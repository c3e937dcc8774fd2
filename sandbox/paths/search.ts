/**
 * Finds candidates: every path of the searched shapes from the sender's asset to the receiver. Whether a path carries
 * anything is not checked here (ranking.ts does, with the payment engine).
 *
 *     shape "afd"     sender ─a─► issuer ─f─► book that gives the currency ─d─► receiver
 *     searched as     ""  ⊂  "a"  ⊂  "af"  ⊂  "afd"         each beginning once, kept for the shapes that share it
 *
 * Goal: the candidates of rippled's `Pathfinder`, by the same rules: where several accounts could come next the ten with
 * the most continuations are kept (fifty at the sender); no asset twice in the same way; no step over a line without
 * liquidity, that no-ripple closes, or whose issuer has frozen or not authorised it.
 * Non-goals: the implied path (every payment uses it); MPTs, which cannot be used in paths; optimality: shapes are
 * short, and only their number of links limits them.
 *
 * The target is the issuer of the delivered amount if that is another account: from there the step to the receiver
 * is implied.
 *
 * Cost: the lines of every visited account, once; limited by `SearchBudget`, and yields to the event loop.
 */

import type { Amount } from '../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  type Asset,
  currencyOf,
  type Hex,
  XRP,
} from '../../engine/codec/arithmetic/asset.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { noRipple, noRippleOfPeer } from '../assets/line-side.ts';
import type { ReadView } from '../ledger/view.ts';
import type { PathStep } from '../protocol/fields.ts';
import { hasAny, Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import { type AccountLines, canSendOver } from './account-lines.ts';
import type { BookSource } from './book-index.ts';
import { goOn, hasBeen, type Node, PathGraph, stepsOf, type Trail } from './graph.ts';
import type { SearchBudget } from './search-budget.ts';
import { type Link, paymentKind, SHAPES } from './shapes.ts';

/** rippled ends a search at this number. */
export const COMPLETE_MAX = 1_000;
/** Accounts that a path continues to, at the sender and elsewhere. */
const NEXT_AT_SENDER_MAX = 50;
const NEXT_MAX = 10;
/** An account next to the receiver has priority over all others. */
const NEXT_TO_RECEIVER = 10_000;

/** Inputs of a search. */
export interface Market {
  readonly view: ReadView;
  readonly books: BookSource;
  readonly lines: AccountLines;
  readonly effort: SearchBudget;
}

/** One search: from one asset of the sender to the amount to deliver. */
export interface Question {
  readonly source: AccountId;
  readonly destination: AccountId;
  /** XRP, or a currency with the sender itself as issuer: whose debt it spends is part of the path. */
  readonly send: Asset;
  readonly deliver: Amount;
  readonly domain: Hex | undefined;
}

interface Candidate {
  readonly account: AccountId;
  readonly ways: number;
}

/** The paths do not continue from here. */
const ENDED: readonly Trail[] = [];

export class PathSearch {
  readonly #market: Market;
  readonly #question: Question;
  readonly #graph: PathGraph;
  readonly #start: Node;
  readonly #target: AccountId;
  readonly #deliverCurrency: Hex;
  readonly #complete = new Map<string, Trail>();
  readonly #byBeginning = new Map<string, readonly (Trail | undefined)[]>([['', [undefined]]]);
  readonly #waysOn = new Map<string, number>();
  readonly #most: number;

  /** @param most maximum number of candidates */
  constructor(market: Market, question: Question, most = COMPLETE_MAX) {
    const { deliver, destination, domain, send } = question;
    this.#market = market;
    this.#question = question;
    this.#graph = new PathGraph(market.books, domain);
    this.#start = this.#graph.node(send);
    this.#target = deliver.asset === XRP ? destination : deliver.issuer;
    this.#deliverCurrency = currencyOf(deliver.asset)!;
    this.#most = most;
  }

  /** @returns undefined when there is nothing to pay or no receiver, else candidates, shortest shapes first */
  *run(level: number): CooperativeTask<PathStep[][] | undefined> {
    const verdict = this.#isWorthwhile();
    if (verdict !== 'search') return verdict === 'implied' ? [] : undefined;
    const { send, deliver } = this.#question;
    for (const { level: from, links } of SHAPES[paymentKind(send, deliver.asset)]) {
      if (from > level) continue;
      yield* this.#beginnings(links);
      if (this.#complete.size > this.#most || this.#market.effort.exhausted) break;
    }
    return [...this.#complete.values()].slice(0, this.#most).map((trail) => this.#graph.path(trail));
  }

  /** `implied`: every path would pass the sender again, so only the implied one is possible. */
  #isWorthwhile(): 'search' | 'implied' | 'not' {
    const { source, destination, deliver } = this.#question;
    const { view } = this.#market;
    const exists = (account: AccountId): boolean => view.read(keylets.account(account)) !== undefined;
    if (deliver.isZero) return 'not';
    if (source === this.#target && this.#graph.currency(this.#start) === this.#deliverCurrency)
      return source === destination ? 'not' : 'implied';
    if (!exists(source) || (this.#target !== destination && !exists(this.#target))) return 'not';
    if (exists(destination)) return 'search';
    // A new account is funded with XRP, and with at least its reserve.
    const funds = deliver.isNative && deliver.drops >= view.fees.reserve;
    return funds ? 'search' : 'not';
  }

  /** The paths of a shape's beginning; its links but the last are searched before. */
  *#beginnings(links: string): CooperativeTask<readonly (Trail | undefined)[]> {
    const known = this.#byBeginning.get(links);
    if (known !== undefined) return known;
    const before = yield* this.#beginnings(links.slice(0, -1));
    const made: Trail[] = [];
    for (const trail of before) {
      if (this.#market.effort.exhausted) break;
      this.#market.effort.visit();
      for (const next of yield* this.#linked(trail, links.at(-1) as Link)) made.push(next);
      yield* this.#market.effort.pause();
    }
    this.#byBeginning.set(links, made);
    return made;
  }

  /** The paths one link longer; complete ones are stored and do not continue. */
  *#linked(trail: Trail | undefined, link: Link): CooperativeTask<readonly Trail[]> {
    const end = trail?.node ?? this.#start;
    switch (link) {
      case 'a':
        return yield* this.#overLines(trail, end);
      case 'd':
        return this.#toReceiver(trail, end);
      case 'x':
        return end !== this.#graph.xrp && this.#graph.outputs(end).includes(this.#graph.xrp)
          ? [goOn(trail, this.#graph.xrp, true)]
          : ENDED;
      default:
        return this.#throughBooks(trail, end, link === 'f');
    }
  }

  #arrived(trail: Trail): void {
    const key = stepsOf(trail)
      .map(({ node, byBook }) => 2 * node + (byBook ? 1 : 0))
      .join();
    if (!this.#complete.has(key)) this.#complete.set(key, trail);
  }

  /** XRP reaches the receiver at once; a debt must be one that the receiver can accept. */
  #toReceiver(trail: Trail | undefined, end: Node): readonly Trail[] {
    const graph = this.#graph;
    if (trail === undefined) return ENDED;
    if (end === graph.xrp) {
      if (this.#question.deliver.isNative) this.#arrived(trail);
      return ENDED;
    }
    if (graph.currency(end) !== this.#deliverCurrency) return ENDED;
    const account = graph.account(end);
    const line = this.#market.lines.between(account, this.#target, this.#deliverCurrency);
    if (!line || hasBeen(trail, graph.peer(end, this.#target), false)) return ENDED;
    if (!canSendOver(line, this.#flag(account, Lsf.lsfRequireAuth))) return ENDED;
    if (noRipple(line) && this.#cameByNoRipple(trail)) return ENDED;
    this.#arrived(trail);
    return ENDED;
  }

  *#overLines(trail: Trail | undefined, end: Node): CooperativeTask<readonly Trail[]> {
    const graph = this.#graph;
    const { source, destination } = this.#question;
    if (end === graph.xrp) return this.#toReceiver(trail, end);
    const account = graph.account(end);
    const currency = graph.currency(end);
    const mustAuthorize = this.#flag(account, Lsf.lsfRequireAuth);
    const closed = this.#cameByNoRipple(trail);
    const candidates: Candidate[] = [];
    for (const line of yield* this.#market.lines.of(account)) {
      if (this.#market.effort.exhausted) break;
      const { peer } = line;
      if (line.currency !== currency || peer === source) continue;
      // The receiver is reached through the issuer.
      if (peer === destination && destination !== this.#target) continue;
      if (hasBeen(trail, graph.peer(end, peer), false)) continue;
      if (!canSendOver(line, mustAuthorize) || (closed && noRipple(line))) continue;
      if (peer !== this.#target) {
        const ways = yield* this.#ways(graph.peer(end, peer), noRippleOfPeer(line));
        if (ways > 0) candidates.push({ account: peer, ways });
      } else if (currency !== this.#deliverCurrency)
        candidates.push({ account: peer, ways: NEXT_TO_RECEIVER });
      else if (trail !== undefined) this.#arrived(trail);
    }
    candidates.sort((a, b) => b.ways - a.ways || (a.account > b.account ? -1 : 1));
    const most = account === source ? NEXT_AT_SENDER_MAX : NEXT_MAX;
    return candidates.slice(0, most).map(({ account: peer }) => goOn(trail, graph.peer(end, peer), false));
  }

  #throughBooks(trail: Trail | undefined, end: Node, last: boolean): readonly Trail[] {
    const graph = this.#graph;
    const made: Trail[] = [];
    for (const out of graph.outputs(end)) {
      this.#market.effort.visit();
      const delivers = graph.currency(out) === this.#deliverCurrency;
      if (out === this.#start || (last && !delivers) || hasBeen(trail, out, true)) continue;
      if (out === graph.xrp) {
        const next = goOn(trail, out, true);
        if (delivers) this.#arrived(next);
        else made.push(next);
        continue;
      }
      if (hasBeen(trail, out, false)) continue;
      // In book, issuer, book the issuer is implied.
      const isBetween = trail !== undefined && !trail.byBook && trail.before?.byBook === true;
      const next = goOn(isBetween ? trail.before : trail, out, true);
      const issuer = graph.account(out);
      if (delivers && issuer === this.#target) this.#arrived(next);
      else if (!delivers || issuer !== this.#question.destination) made.push(goOn(next, out, false));
    }
    return made;
  }

  /** Whether the last step is over a line on which its account has set no-ripple. */
  #cameByNoRipple(trail: Trail | undefined): boolean {
    if (trail === undefined || trail.byBook) return false;
    const { before } = trail;
    if (before?.byBook) return false;
    const from = before === undefined ? this.#question.source : this.#graph.account(before.node);
    const to = this.#graph.account(trail.node);
    const line = this.#market.lines.between(to, from, this.#graph.currency(trail.node));
    return line !== undefined && noRipple(line);
  }

  /**
   * The number of continuations from an account in a currency; one to the receiver counts more than all others.
   * @param closed it was reached over a line on which it has set no-ripple: only its lines without no-ripple count
   */
  *#ways(node: Node, closed: boolean): CooperativeTask<number> {
    const key = `${node}${closed ? '-' : '+'}`;
    const known = this.#waysOn.get(key);
    if (known !== undefined) return known;
    const ways = yield* this.#countWays(node, closed);
    this.#waysOn.set(key, ways);
    return ways;
  }

  *#countWays(node: Node, closed: boolean): CooperativeTask<number> {
    const account = this.#graph.account(node);
    const currency = this.#graph.currency(node);
    const root = this.#market.view.read(keylets.account(account));
    if (!root || hasAny(root.Flags, Lsf.lsfGlobalFreeze)) return 0;
    const mustAuthorize = hasAny(root.Flags, Lsf.lsfRequireAuth);
    let ways = this.#market.books.count(this.#graph.asset(node), this.#question.domain);
    for (const line of yield* this.#market.lines.of(account)) {
      if (line.currency !== currency || (closed && noRipple(line))) continue;
      if (!canSendOver(line, mustAuthorize)) continue;
      if (currency === this.#deliverCurrency && line.peer === this.#target) ways += NEXT_TO_RECEIVER;
      else if (!noRippleOfPeer(line) && !hasAny(line.flags, line.others.freeze)) ways += 1;
    }
    return ways;
  }

  #flag(account: AccountId, flag: number): boolean {
    return hasAny(this.#market.view.read(keylets.account(account))?.Flags, flag);
  }
}
