/**
 * What creators did with tokens of their own (engine/flows/creators.ts): on the day, by kind of action; and what they have
 * taken of all time, which is the XRP they got for selling less what they paid for buying, by the positions of now.
 */
import { DROPS_PER_XRP } from '../../engine/codec/amount.ts';
import type { Engine } from '../../engine/engine.ts';
import { yieldToLoop } from '../../engine/event-loop.ts';
import { Best } from '../best.ts';
import type { DaySums } from './day-sums.ts';

const TOP_CREATORS = 10;
/** Tokens whose creator's position is looked up before other work may run: about 2 ms. */
const TOKENS_A_SLICE = 2048;

export async function creatorBehavior(engine: Engine, day: DaySums) {
  return {
    last24h: [...day.creators]
      .map(([action, { trades, drops }]) => ({
        _id: action,
        count: trades,
        totalXrp: drops / DROPS_PER_XRP,
      }))
      .toSorted((a, b) => b.totalXrp - a.totalXrp || b.count - a.count),
    topExtractorsAllTime: await topExtractors(engine),
  };
}

async function topExtractors({ flows, traders, state }: Engine) {
  const { positions } = traders;
  const taken = new Map<number, { count: number; drops: number }>();
  for (let token = 1; token < state.tokens.count; token++) {
    if (token % TOKENS_A_SLICE === 0) await yieldToLoop();
    const creator = flows.creators.of(token);
    const row = positions.find(creator, token);
    if (row === 0) continue;
    const sum = taken.get(creator) ?? { count: 0, drops: 0 };
    taken.set(creator, sum);
    sum.count += positions.trades[row]!;
    sum.drops += positions.received[row]! - positions.spent[row]!;
  }
  const most = new Best(TOP_CREATORS);
  for (const [creator, { drops }] of taken) if (drops > 0) most.offer(creator, drops);
  return Array.from(most.ids, (creator) => ({
    _id: state.accounts.text(creator),
    actionCount: taken.get(creator)!.count,
    totalXrpExtracted: taken.get(creator)!.drops / DROPS_PER_XRP,
  }));
}
