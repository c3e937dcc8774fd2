/** Market actions of scenarios: buying and selling at any price, launching a token with a pool. */

import { ACCOUNT_ONE, type Asset, issued, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { MINUTE } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import { poolOf } from '../arbitrage.ts';
import { annotate, fund, type ScheduledAction } from '../scenario.ts';
import {
  type Annotation,
  amountOf,
  type SimulationStep,
  type TransactionTemplate,
} from '../simulation-step.ts';
import { currencyCode } from '../tokens.ts';

const MUCH = 1e15;
const MUCH_XRP = 1e9;

type More = Partial<TransactionTemplate>;

/** Spends an amount of XRP on a token, at any price. */
export function buy(
  step: SimulationStep,
  agent: Agent,
  asset: Asset,
  xrp: number,
  annotation?: Annotation,
  more: More = {},
): void {
  const SendMax = amountOf(XRP, xrp);
  step.pay(agent, agent.account, asset, MUCH, { ...more, SendMax, Flags: Tf.tfPartialPayment }, annotation);
}

/** Sells a number of tokens at any price; does nothing when the number is 0 or less. */
export function sell(
  step: SimulationStep,
  agent: Agent,
  asset: Asset,
  count: number,
  annotation?: Annotation,
  more: More = {},
): void {
  if (count <= 0) return;
  const SendMax = amountOf(asset, count);
  step.pay(agent, agent.account, XRP, MUCH_XRP, { ...more, SendMax, Flags: Tf.tfPartialPayment }, annotation);
}

/** XRP for one token in its pool; 0 without one. */
export function poolPrice(step: SimulationStep, asset: Asset): number {
  const pool = poolOf(step, asset, XRP);
  return pool === undefined || pool.base === 0 ? 0 : pool.quote / pool.base;
}

export interface Launch {
  readonly id: string;
  /** When the first account is funded; the pool exists `LAUNCH_TAKES` later. Seconds since the week began. */
  readonly at: number;
  readonly asset: Asset;
  readonly issuer: Agent;
  readonly creator: Agent;
  readonly supply: number;
  /** Fraction of the supply that goes into the pool. */
  readonly share: number;
  readonly poolXrp: number;
  /** Trading fee, in 1/100,000. */
  readonly poolFee: number;
  /** Whether the issuer's account is blackholed: it can then never be deleted. */
  readonly blackhole: boolean;
  /** SourceTag of the platform that opens the pool. */
  readonly launchpad?: number;
}

export const LAUNCH_TAKES = 6 * MINUTE;

export const tokenOf = (issuer: Agent, name: string): Asset => issued(currencyCode(name), issuer.account);

/** Issues a token to its creator, blackholes the issuer where the options say so, and creates the pool. */
export function launch(options: Launch): ScheduledAction[] {
  const { id, at, asset, issuer, creator, supply, share, poolXrp, poolFee, blackhole, launchpad } = options;
  return [
    fund(at, [issuer], 20),
    fund(at, [creator], poolXrp + 60),
    {
      at: at + MINUTE,
      run: (step) => {
        step.send(
          issuer,
          { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple },
          annotate(id, 'issuer settings'),
        );
      },
    },
    {
      at: at + 2 * MINUTE,
      run: (step) => void step.trust(creator, asset, supply, {}, annotate(id, 'creator trusts')),
    },
    {
      at: at + 3 * MINUTE,
      run: (step) => void step.pay(issuer, creator.account, asset, supply, {}, annotate(id, 'issue')),
    },
    {
      at: at + 4 * MINUTE,
      run: (step) => {
        if (!blackhole) return;
        step.send(
          issuer,
          { TransactionType: 'SetRegularKey', RegularKey: ACCOUNT_ONE },
          annotate(id, 'issuer blackholed'),
        );
        step.send(
          issuer,
          { TransactionType: 'AccountSet', SetFlag: Asf.asfDisableMaster },
          annotate(id, 'issuer blackholed'),
        );
      },
    },
    {
      at: at + LAUNCH_TAKES - MINUTE,
      run: (step) => {
        step.send(
          creator,
          {
            TransactionType: 'AMMCreate',
            Amount: amountOf(asset, supply * share),
            Amount2: amountOf(XRP, poolXrp),
            TradingFee: poolFee,
            Fee: amountOf(XRP, 0.2),
            ...(launchpad !== undefined && { SourceTag: launchpad }),
          },
          annotate(id, 'launch'),
        );
      },
    },
  ];
}
