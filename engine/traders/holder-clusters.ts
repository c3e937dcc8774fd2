/**
 * Groups of holders of a token that were funded together (metrics/funding-clusters.ts), from the columns of lines and
 * funders, in any thread. Pools hold for others and are left out; shares are of all that lines hold, or those given. Who
 * funds strangers unites nobody (services.ts).
 *
 * Cost of 100,000 holders: about a microsecond each and hop, and some nanoseconds an account of the ledger; it yields every
 * few milliseconds.
 */
import { type CooperativeTask, ROWS_A_STEP } from '../event-loop.ts';
import { fundingClusters } from '../metrics/funding-clusters.ts';
import type { AccountReads, LineReads, PoolReads, TokenReads } from '../state/shared-state.ts';
import { TokenBalances } from '../state/token-balances.ts';
import { type FunderReads, services } from './services.ts';

/** Groups in a result, and members that each of them names. */
const CLUSTERS_MAX = 100;
const MEMBERS_MAX = 10;

export interface HolderCluster {
  /** Account ids: the one that they share at the top, and the first members, the largest holders first. */
  readonly top: number;
  readonly accounts: readonly number[];
  readonly members: number;
  readonly holdingPct: number;
}

export interface HolderClusters {
  /** Those that hold anything. */
  readonly holders: number;
  /** Members of all groups, what they hold, and how many groups there are. */
  readonly clustered: number;
  readonly clusteredPct: number;
  readonly total: number;
  /** The largest groups. */
  readonly clusters: readonly HolderCluster[];
}

export interface ClusterReads {
  readonly accounts: Pick<AccountReads, 'flags'>;
  readonly tokens: TokenReads;
  readonly lines: LineReads;
  readonly pools: Pick<PoolReads, 'byAccount'>;
}

export interface ClusterQuery {
  readonly token: number;
  /** Funders above each holder. */
  readonly hops: number;
  /** Holders that are put together, each once, with their shares of the supply in %. Default: all. */
  readonly among?: readonly { readonly account: number; readonly holdingPct: number }[] | undefined;
}

export function* holderClusters(
  { accounts, tokens, lines, pools }: ClusterReads,
  funders: FunderReads,
  { token, hops, among }: ClusterQuery,
): CooperativeTask<HolderClusters> {
  const list = lines.holders(token);
  const balances = new TokenBalances({ lines, tokens }, token);
  const all: number[] = [];
  const balancesOfAll: number[] = [];
  let sum = 0;
  for (let at = 0; at < list.length; at++) {
    if (at % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
    const line = list[at]!;
    const balance = balances.of(line);
    if (!(balance > 0)) continue;
    sum += balance;
    const account = lines.holderAccount(line, token);
    if (pools.byAccount(account) !== undefined) continue;
    all.push(account);
    balancesOfAll.push(balance);
  }
  const isService = yield* services(accounts, funders, all);
  const holders = among ? among.map(({ account }) => account) : all;
  const held = among ? among.map(({ holdingPct }) => holdingPct) : balancesOfAll;
  const whole = among ? 100 : sum;
  const groups = yield* fundingClusters(holders, (account) => funders.of(account), isService, hops);
  const pctOf = (members: readonly number[]) => {
    let part = 0;
    for (let i = 0; i < members.length; i++) part += held[members[i]!]!;
    return (100 * part) / whole;
  };
  let [clustered, clusteredPct] = [0, 0];
  for (const { members } of groups) {
    clustered += members.length;
    clusteredPct += pctOf(members);
  }
  const clusters = groups.slice(0, CLUSTERS_MAX).map(({ top, members }) => ({
    top,
    accounts: largestOf(members, held).map((place) => holders[place]!),
    members: members.length,
    holdingPct: pctOf(members),
  }));
  return { holders: holders.length, clustered, clusteredPct, total: groups.length, clusters };
}

/** The members that hold most, in one pass. */
function largestOf(members: readonly number[], held: readonly number[]): number[] {
  const largest: number[] = [];
  for (let i = 0; i < members.length; i++) {
    const place = members[i]!;
    if (largest.length === MEMBERS_MAX && held[place]! <= held[largest.at(-1)!]!) continue;
    if (largest.length === MEMBERS_MAX) largest.pop();
    let at = largest.length;
    while (at > 0 && held[largest[at - 1]!]! < held[place]!) at--;
    largest.splice(at, 0, place);
  }
  return largest;
}
