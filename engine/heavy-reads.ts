/**
 * Reads that take too long for the thread that applies ledgers and answers requests: the tasks, and the interface to run
 * them. They run in worker threads, on the memory that the main thread writes (state/shared-state.ts);
 * workers/heavy-reads.ts runs them.
 *
 *     views --- run('rankHolders', { token }) ---> queue ---> worker thread: HEAVY_TASKS.rankHolders(state, { token })
 *           <-- value, index of its ledger ------------------'
 *
 * A task is a pure function of a state. To add one: a function, and its row in HEAVY_TASKS. Input and result must be
 * cloneable; large results belong on shared memory.
 */
import type { CooperativeTask } from './event-loop.ts';
import { type RelatedTokens, relatedTokens, tokensOfAudience } from './metrics/related-tokens.ts';
import { type CollapseRates, collapseRates } from './risk/collapse-rates.ts';
import { type RiskDescription, SharedRisk } from './risk/shared-risk.ts';
import { type HolderColumns, HolderGathering } from './state/holder-ranking.ts';
import { SharedState, type StateDescription } from './state/shared-state.ts';
import { type BalanceReads, balanceReads } from './traders/balance-reads.ts';
import { type ClusterQuery, type HolderClusters, holderClusters } from './traders/holder-clusters.ts';
import { type Profits, profitsBefore } from './traders/profits.ts';
import {
  type ActiveTraders,
  activeTraders,
  type Interval,
  type RankedRows,
  rankTokenTraders,
  rankTraders,
  type TokenTotals,
  type TokenTraderQuery,
  type TraderQuery,
  tokenTotals,
} from './traders/rankings.ts';
import { type RotationSum, sumRotations } from './traders/rotations.ts';
import { SharedTraders, type TradersDescription } from './traders/shared-traders.ts';

/** A result, and the ledger it belongs to. */
export interface OfLedger<T> {
  readonly value: T;
  /** Index of the ledger whose state was read. */
  readonly ledger: number;
}

/** @property token only pairs with it; undefined: all */
/** Whose audience: that of a token, or given accounts. */
type RelatedQuery = { readonly token: number } | { readonly audience: readonly number[] };

interface RotationQuery {
  readonly now: number;
  readonly hours: number;
  readonly token?: number | undefined;
}

/** What tasks read. */
export interface SharedReads {
  readonly state: SharedState;
  /** Attached when it is first used. @throws Error where the caller did not describe them */
  readonly traders: SharedTraders;
  /** The same. */
  readonly risk: SharedRisk;
}

/** What tasks may need beside the state. */
export interface ReadDescriptions {
  readonly traders?: TradersDescription;
  readonly risk?: RiskDescription;
}

/** Attaches to what another thread described. */
export function sharedReads(state: StateDescription, { traders, risk }: ReadDescriptions): SharedReads {
  let attached: SharedTraders | undefined;
  let observed: SharedRisk | undefined;
  return {
    state: new SharedState(state),
    get traders() {
      if (!traders) throw new Error('the traders were not described');
      attached ??= new SharedTraders(traders);
      return attached;
    },
    get risk() {
      if (!risk) throw new Error('the observations were not described');
      observed ??= new SharedRisk(risk);
      return observed;
    },
  };
}

/** @param check call now and then: it throws when the result is not wanted any more. */
type Task<Input, Result> = (shared: SharedReads, input: Input, check: () => void) => OfLedger<Result>;

/** Holders of a token, largest first, on shared memory. */
const rankHolders: Task<{ readonly token: number }, HolderColumns> = ({ state }, { token }, check) => {
  const { value: gathered, ledger } = state.read(() => {
    check();
    const list = state.lines.holders(token);
    const gathering = new HolderGathering(list.length);
    gathering.add(state, token, list, 0, list.length);
    return gathering;
  });
  check();
  return { value: gathered.ordered(true), ledger };
};

/** Runs a task over traders under their locks, and under those of the state for balances. */
function readTraders<T>(
  shared: SharedReads,
  check: () => void,
  make: (balances: BalanceReads) => CooperativeTask<T>,
): OfLedger<T> {
  const { state, traders } = shared;
  const balances = balanceReads(state);
  return state.read(() =>
    traders.read(() => {
      const task = make(balances);
      for (;;) {
        check();
        const { done, value } = task.next();
        if (done) return value;
      }
    }),
  );
}

/** Rows of traders in the order of a figure. */
const orderTraders: Task<TraderQuery, RankedRows> = (shared, query, check) => {
  const read = readTraders(shared, check, ({ xrp }) => rankTraders(shared.traders, query, xrp));
  check();
  return { value: read.value.ordered(true), ledger: read.ledger };
};

/** Positions in a token in the order of a figure. */
const orderTokenTraders: Task<TokenTraderQuery, RankedRows> = (shared, query, check) => {
  const read = readTraders(shared, check, ({ of }) =>
    rankTokenTraders(shared.traders, query, of(query.token)),
  );
  check();
  return { value: read.value.ordered(true), ledger: read.ledger };
};

const sumTokenTraders: Task<{ readonly token: number; readonly now: number }, TokenTotals> = (
  shared,
  { token, now },
  check,
) => readTraders(shared, check, () => tokenTotals(shared.traders, token, now));

const countActiveTraders: Task<{ readonly now: number }, Record<Interval, ActiveTraders>> = (
  shared,
  { now },
  check,
) => readTraders(shared, check, ({ xrp }) => activeTraders(shared.traders, now, xrp));

/** Tokens that the largest holders of one hold, too, or that given accounts hold. */
const relateTokens: Task<RelatedQuery, RelatedTokens> = ({ state }, query, check) =>
  state.read(() => {
    const task =
      'token' in query ? relatedTokens(state, query.token) : tokensOfAudience(state, query.audience, 0);
    for (;;) {
      check();
      const { done, value } = task.next();
      if (done) return value;
    }
  });

/** Holders of a token that were funded together. */
const clusterHolders: Task<ClusterQuery, HolderClusters> = (shared, query, check) =>
  readTraders(shared, check, () => holderClusters(shared.state, shared.traders.funders, query));

/** What was rotated in some hours. */
const sumAllRotations: Task<RotationQuery, RotationSum[]> = (shared, { now, hours, token }, check) => {
  const { rotations } = shared.traders;
  return readTraders(shared, check, () => sumRotations(rotations, rotations.rows(now, hours), token));
};

/** Traders and their profits before a day. */
const sumProfits: Task<{ readonly day: number }, Profits> = (shared, { day }, check) =>
  readTraders(shared, check, () => profitsBefore(shared.traders, day));

/** How often tokens of each kind collapsed, as of a pass. */
const countCollapses: Task<{ readonly day: number }, CollapseRates> = ({ state, risk }, { day }, check) =>
  state.read(() =>
    risk.read(() => {
      const task = collapseRates(risk, day);
      for (;;) {
        check();
        const { done, value } = task.next();
        if (done) return value;
      }
    }),
  );

export const HEAVY_TASKS = {
  rankHolders,
  relateTokens,
  clusterHolders,
  orderTraders,
  orderTokenTraders,
  sumTokenTraders,
  countActiveTraders,
  sumAllRotations,
  countCollapses,
  sumProfits,
} as const;

export type HeavyTaskName = keyof typeof HEAVY_TASKS;
export type HeavyInput<N extends HeavyTaskName> = Parameters<(typeof HEAVY_TASKS)[N]>[1];
export type HeavyResult<N extends HeavyTaskName> = ReturnType<(typeof HEAVY_TASKS)[N]>;

export interface HeavyReads {
  /**
   * Runs a task in another thread.
   * @param signal ends it early: it then rejects with the signal's reason
   * @throws HeavyReadsBusyError when too many wait, or it took too long
   * @throws OvertakenError when ledgers followed one another faster than the state could be read
   */
  run<N extends HeavyTaskName>(name: N, input: HeavyInput<N>, signal?: AbortSignal): Promise<HeavyResult<N>>;
}

/** The threads have more to do than they can do in time. Come again later. */
export class HeavyReadsBusyError extends Error {
  override readonly name = 'HeavyReadsBusyError';
}
