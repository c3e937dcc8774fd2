/** What people in scenarios do on markets: buy and sell at any price, launch a token with a pool. */
import { MINUTE } from '../../../engine/ripple-time.ts';
import { ACCOUNT_ONE, type Asset, issued, XRP } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { poolOf } from '../arbitrage.ts';
import type { Person } from '../people.ts';
import { fund, noted, type Step } from '../script.ts';
import { currencyCode } from '../tokens.ts';
import { amountOf, type Noted, type Turn, type Wish } from '../turn.ts';

const MUCH = 1e15;
const MUCH_XRP = 1e9;

type More = Partial<Wish>;

/** Spends so much XRP on a token, whatever it costs. */
export function buy(
  turn: Turn,
  person: Person,
  asset: Asset,
  xrp: number,
  note: Noted,
  more: More = {},
): void {
  const SendMax = amountOf(XRP, xrp);
  turn.pay(person, person.account, asset, MUCH, { ...more, SendMax, Flags: Tf.tfPartialPayment }, note);
}

/** Sells so many tokens, whatever they bring. Nothing when there are none. */
export function sell(
  turn: Turn,
  person: Person,
  asset: Asset,
  count: number,
  note: Noted,
  more: More = {},
): void {
  if (count <= 0) return;
  const SendMax = amountOf(asset, count);
  turn.pay(person, person.account, XRP, MUCH_XRP, { ...more, SendMax, Flags: Tf.tfPartialPayment }, note);
}

/** XRP for one token in its pool; 0 without one. */
export function poolPrice(turn: Turn, asset: Asset): number {
  const pool = poolOf(turn, asset, XRP);
  return pool === undefined || pool.base === 0 ? 0 : pool.quote / pool.base;
}

export interface Launch {
  readonly id: string;
  /** When the first account is funded; the pool is there `LAUNCH_TAKES` later. */
  readonly at: number;
  readonly asset: Asset;
  readonly issuer: Person;
  readonly creator: Person;
  readonly supply: number;
  /** Of the supply that goes into the pool. */
  readonly share: number;
  readonly poolXrp: number;
  /** In 1/100,000. */
  readonly poolFee: number;
  /** Whether the issuer's keys are thrown away: his account can then never be closed. */
  readonly blackhole: boolean;
  /** SourceTag of the platform that opens the pool. */
  readonly launchpad?: number;
}

export const LAUNCH_TAKES = 6 * MINUTE;

export const tokenOf = (issuer: Person, name: string): Asset => issued(currencyCode(name), issuer.account);

/** A token comes to be: issued to its creator, the issuer's keys perhaps thrown away, a pool opened. */
export function launch(told: Launch): Step[] {
  const { id, at, asset, issuer, creator, supply, share, poolXrp, poolFee, blackhole, launchpad } = told;
  return [
    fund(at, [issuer], 20),
    fund(at, [creator], poolXrp + 60),
    {
      at: at + MINUTE,
      act: (turn) => {
        turn.send(
          issuer,
          { TransactionType: 'AccountSet', SetFlag: Asf.asfDefaultRipple },
          noted(id, 'issuer settings'),
        );
      },
    },
    {
      at: at + 2 * MINUTE,
      act: (turn) => void turn.trust(creator, asset, supply, {}, noted(id, 'creator trusts')),
    },
    {
      at: at + 3 * MINUTE,
      act: (turn) => void turn.pay(issuer, creator.account, asset, supply, {}, noted(id, 'issue')),
    },
    {
      at: at + 4 * MINUTE,
      act: (turn) => {
        if (!blackhole) return;
        turn.send(
          issuer,
          { TransactionType: 'SetRegularKey', RegularKey: ACCOUNT_ONE },
          noted(id, 'issuer blackholed'),
        );
        turn.send(
          issuer,
          { TransactionType: 'AccountSet', SetFlag: Asf.asfDisableMaster },
          noted(id, 'issuer blackholed'),
        );
      },
    },
    {
      at: at + LAUNCH_TAKES - MINUTE,
      act: (turn) => {
        turn.send(
          creator,
          {
            TransactionType: 'AMMCreate',
            Amount: amountOf(asset, supply * share),
            Amount2: amountOf(XRP, poolXrp),
            TradingFee: poolFee,
            Fee: amountOf(XRP, 0.2),
            ...(launchpad !== undefined && { SourceTag: launchpad }),
          },
          noted(id, 'launch'),
        );
      },
    },
  ];
}
