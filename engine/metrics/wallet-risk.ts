/** What is known of an account. Undefined: not known, which is no risk and no excuse. */
export interface WalletFacts {
  /** Days since it was created. */
  readonly ageDays: number | undefined;
  /** Accounts above it, up to the first exchange or the oldest known. */
  readonly isFundedByExchange: boolean | undefined;
  /** Accounts that it created. */
  readonly created: number;
  /** 0 to 100: share of its trades that may be with itself. */
  readonly washTradingScore: number | undefined;
  /** XRP that it received and sent in the payments that were read. */
  readonly received: number;
  readonly sent: number;
  /** XRP of that which exchanges got. */
  readonly toExchanges: number;
  readonly transactions: number;
  readonly failedPct: number;
}

export interface WalletRisk {
  /** 0 to 100. */
  readonly score: number;
  readonly level: 'low' | 'medium' | 'high';
  readonly factors: readonly { readonly factor: string; readonly points: number; readonly why: string }[];
}

/** Below these: low, medium. */
const LEVELS = [25, 55] as const;
/** XRP below which a turnover says nothing. */
const TURNOVER_MIN = 100;

/**
 * How risky it is to deal with an account: points of each factor, added, at most 100. Points are judgement and are stated
 * with each factor; they are no probability.
 *
 *     new           30 below 7 days, 15 below 30
 *     origin        10 where the funder is known and is no exchange
 *     spawns        15 from 10 accounts created on, 5 from 3 on
 *     wash trading  30 x score / 100
 *     passes on     20 where at least 90 % of 100 XRP or more received was sent on
 *     cash-out      10 where exchanges got at least half of what it sent
 *     failures      10 where more than half of 20 or more transactions failed
 */
export function walletRisk(facts: WalletFacts): WalletRisk {
  const factors = [
    newness(facts.ageDays),
    facts.isFundedByExchange === false && {
      factor: 'origin',
      points: 10,
      why: 'funded by an account that is no exchange',
    },
    spawning(facts.created),
    washing(facts.washTradingScore),
    passing(facts),
    facts.sent >= TURNOVER_MIN &&
      facts.toExchanges >= facts.sent / 2 && {
        factor: 'cash-out',
        points: 10,
        why: `${percent(facts.toExchanges / facts.sent)} of what it sent went to exchanges`,
      },
    facts.transactions >= 20 &&
      facts.failedPct > 50 && {
        factor: 'failures',
        points: 10,
        why: `${percent(facts.failedPct / 100)} of ${facts.transactions} transactions failed`,
      },
  ].filter((one) => one !== false && one !== undefined);
  const score = Math.min(
    100,
    factors.reduce((sum, { points }) => sum + points, 0),
  );
  const level = score < LEVELS[0] ? 'low' : score < LEVELS[1] ? 'medium' : 'high';
  return { score, level, factors };
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function newness(days: number | undefined) {
  if (days === undefined || days >= 30) return undefined;
  return { factor: 'new', points: days < 7 ? 30 : 15, why: `created ${Math.floor(days)} days ago` };
}

function spawning(created: number) {
  if (created < 3) return undefined;
  return { factor: 'spawns', points: created >= 10 ? 15 : 5, why: `created ${created} accounts` };
}

function washing(score: number | undefined) {
  const points = Math.round((30 * (score ?? 0)) / 100);
  if (points === 0) return undefined;
  return { factor: 'wash trading', points, why: `wash trading score ${Math.round(score!)} of 100` };
}

function passing({ received, sent }: WalletFacts) {
  if (received < TURNOVER_MIN || sent < 0.9 * received) return undefined;
  return {
    factor: 'passes on',
    points: 20,
    why: `received ${Math.round(received)} XRP and sent ${Math.round(sent)} on`,
  };
}
