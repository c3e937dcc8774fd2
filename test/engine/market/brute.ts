/**
 * Trades read off JSON metadata (reference codec) the slow and obvious way: BigInt decimals, text keys, no state. The
 * oracle of trades.ts; it recognises pools by a given set of accounts, not by flags.
 */

// biome-ignore lint/suspicious/noExplicitAny: JSON of the reference codec
type Json = Record<string, any>;

export interface BruteTrade {
  readonly maker: string;
  readonly taker: string;
  readonly account: string;
  readonly paidKey: string;
  readonly paid: string;
  readonly gotKey: string;
  readonly got: string;
  readonly sequence: number;
  readonly isAMM: boolean;
  /** The offer was in the book of a permissioned domain. */
  readonly isDomain: boolean;
  /** '' for a trade. */
  readonly liquidity: '' | 'create' | 'deposit' | 'withdraw';
}

interface Exact {
  m: bigint;
  e: number;
}

export function exact(text: string): Exact {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(
    text,
  )!;
  const m = BigInt(whole! + fraction);
  return { m: sign ? -m : m, e: Number(power) - fraction.length };
}

export function minus(a: Exact, b: Exact): Exact {
  const e = Math.min(a.e, b.e);
  return { m: a.m * 10n ** BigInt(a.e - e) - b.m * 10n ** BigInt(b.e - e), e };
}

/** Rounded half to even to 16 digits: what an issued amount can hold. */
function round16({ m, e }: Exact): Exact {
  const negative = m < 0n;
  let digits = (negative ? -m : m).toString();
  const cut = digits.length - 16;
  if (cut <= 0) return { m, e };
  const divisor = 10n ** BigInt(cut);
  const size = BigInt(digits);
  let rounded = size / divisor;
  const rest = (size % divisor) * 2n;
  if (rest > divisor || (rest === divisor && rounded % 2n === 1n)) rounded += 1n;
  digits = rounded.toString();
  return { m: negative ? -BigInt(digits) : BigInt(digits), e: e + cut };
}

/** Canonical text of a number: digits without trailing zeros, then the exponent. */
export function canonical({ m, e }: Exact): string {
  if (m === 0n) return '0';
  let digits = m.toString();
  let power = e;
  while (digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    power++;
  }
  return `${digits}e${power}`;
}

const keyOf = (amount: Json | string): string =>
  typeof amount === 'string'
    ? 'XRP'
    : amount.mpt_issuance_id
      ? `mpt/${amount.mpt_issuance_id}`
      : `${amount.issuer}_${amount.currency}`;

/** XRP in XRP, not drops. */
const amountOf = (amount: Json | string): Exact => {
  if (typeof amount !== 'string') return exact(amount.value);
  const drops = exact(amount);
  return { m: drops.m, e: drops.e - 6 };
};

const difference = (key: string, a: Exact, b: Exact): Exact =>
  key === 'XRP' || key.startsWith('mpt/') ? minus(a, b) : round16(minus(a, b));

const absolute = (d: Exact): Exact => ({ m: d.m < 0n ? -d.m : d.m, e: d.e });

interface Entry {
  kind: string;
  type: string;
  fields: Json;
  previous: Json;
}

function entries(meta: Json): Entry[] {
  return meta.AffectedNodes.map((wrapped: Json) => {
    const kind = Object.keys(wrapped)[0]!;
    const node = wrapped[kind];
    return {
      kind,
      type: node.LedgerEntryType,
      fields: node.FinalFields ?? node.NewFields ?? {},
      previous: node.PreviousFields ?? {},
    };
  });
}

/** Balance changes of one account by asset, LP tokens of its own left out. */
function poolChanges(all: Entry[], account: string): Map<string, Exact> {
  const changes = new Map<string, Exact>();
  for (const { kind, type, fields, previous } of all) {
    const before = (text: string | undefined): string | undefined =>
      text ?? (kind === 'CreatedNode' ? '0' : undefined);
    if (type === 'AccountRoot' && fields.Account === account) {
      const prior = before(previous.Balance);
      if (prior !== undefined) changes.set('XRP', minus(amountOf(fields.Balance ?? '0'), amountOf(prior)));
    } else if (type === 'RippleState') {
      const low = fields.LowLimit.issuer === account;
      if (!low && fields.HighLimit.issuer !== account) continue;
      const prior = before(previous.Balance?.value);
      if (prior === undefined) continue;
      const sign = low ? 1n : -1n;
      const was = exact(prior).m * sign;
      const is = exact(fields.Balance.value).m * sign;
      if (was < 0n || is < 0n) continue; // the pool is the issuer: LP tokens
      const other = low ? fields.HighLimit : fields.LowLimit;
      if (was === 0n && is === 0n) continue;
      const key = `${other.issuer}_${other.currency}`;
      const d = difference(key, exact(fields.Balance.value), exact(prior));
      changes.set(key, { m: d.m * sign, e: d.e });
    }
  }
  return changes;
}

const LIQUIDITY: Record<string, BruteTrade['liquidity']> = {
  AMMCreate: 'create',
  AMMDeposit: 'deposit',
  AMMWithdraw: 'withdraw',
  AMMClawback: 'withdraw',
};

/** Trades of one transaction, in no particular order. */
export function bruteTrades(tx: Json, meta: Json, pools: ReadonlySet<string>): BruteTrade[] {
  if (meta.TransactionResult !== 'tesSUCCESS') return [];
  const all = entries(meta);
  const liquidity = LIQUIDITY[tx.TransactionType];
  if (liquidity) return bruteLiquidity(tx, all, liquidity);
  if (tx.TransactionType.startsWith('AMM')) return [];
  const trades: BruteTrade[] = [];
  for (const { type, kind, fields, previous } of all) {
    if (type !== 'Offer' || kind === 'CreatedNode') continue;
    if (previous.TakerPays === undefined && previous.TakerGets === undefined) continue;
    const paidKey = keyOf(fields.TakerPays);
    const gotKey = keyOf(fields.TakerGets);
    const delta = (key: string, name: string): Exact =>
      previous[name] === undefined
        ? { m: 0n, e: 0 }
        : difference(key, amountOf(previous[name]), amountOf(fields[name]));
    const paid = delta(paidKey, 'TakerPays');
    const got = delta(gotKey, 'TakerGets');
    if (paid.m < 0n || got.m < 0n) continue;
    trades.push({
      maker: fields.Account,
      taker: tx.Account,
      account: tx.Account,
      paidKey,
      paid: canonical(paid),
      gotKey,
      got: canonical(got),
      sequence: fields.Sequence,
      isAMM: false,
      isDomain: fields.DomainID !== undefined,
      liquidity: '',
    });
  }
  for (const pool of pools) {
    const changes = [...poolChanges(all, pool)].filter(([, d]) => d.m !== 0n);
    if (changes.length !== 2 || changes[0]![1].m > 0n === changes[1]![1].m > 0n) continue;
    const gave = changes.find(([, d]) => d.m < 0n)!;
    const took = changes.find(([, d]) => d.m > 0n)!;
    trades.push({
      maker: tx.Account,
      taker: pool,
      account: tx.Account,
      paidKey: gave[0],
      paid: canonical(absolute(gave[1])),
      gotKey: took[0],
      got: canonical(took[1]),
      sequence: 0,
      isAMM: true,
      isDomain: false,
      liquidity: '',
    });
  }
  return trades;
}

// A created AMM entry leaves XRP out: it is the default issue.
const issueKey = (issue: Json | undefined): string =>
  issue?.issuer ? `${issue.issuer}_${issue.currency}` : 'XRP';

function bruteLiquidity(tx: Json, all: Entry[], liquidity: BruteTrade['liquidity']): BruteTrade[] {
  const amm = all.find((n) => n.type === 'AMM');
  if (!amm) return [];
  const { fields } = amm;
  const changes = poolChanges(all, fields.Account);
  const first = issueKey(fields.Asset);
  const second = issueKey(fields.Asset2);
  const moved = (key: string): string => canonical(absolute(changes.get(key) ?? { m: 0n, e: 0 }));
  const account = tx.TransactionType === 'AMMClawback' ? tx.Holder : tx.Account;
  return [
    {
      maker: account,
      taker: fields.Account,
      account,
      paidKey: first,
      paid: moved(first),
      gotKey: second,
      got: moved(second),
      sequence: 0,
      isAMM: false,
      isDomain: false,
      liquidity,
    },
  ];
}

/** Accounts of pools that show themselves in metadata. */
export function poolsOf(metas: Iterable<Json>): Set<string> {
  const pools = new Set<string>();
  for (const meta of metas)
    for (const { type, fields } of entries(meta))
      if ((type === 'AccountRoot' && fields.AMMID) || type === 'AMM') pools.add(fields.Account);
  return pools;
}
