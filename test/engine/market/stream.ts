/** Made-up ledgers of offers that are taken, with random tokens, sizes and pauses, from a seed. */
import { encode } from 'ripple-binary-codec';
import { accountText } from '../../../engine/codec/base58.ts';
import { type Sample, sampleOf } from '../state/recorded.ts';

export type Random = () => number;

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const address = (n: number): string => {
  const bytes = new Uint8Array(20).fill(7);
  bytes[19] = n;
  return accountText(bytes, 0);
};

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)]!;

/** Seconds between ledgers: mostly a few, now and then long enough to empty one window after another. */
function pause(random: Random): number {
  const kind = random();
  if (kind < 0.8) return 1 + Math.floor(random() * 10);
  if (kind < 0.9) return Math.floor(random() * 400);
  if (kind < 0.96) return Math.floor(random() * 8000);
  if (kind < 0.99) return Math.floor(random() * 100_000);
  return Math.floor(random() * 3_000_000);
}

type Amount = string | { currency: string; issuer: string; value: string };

function amount(random: Random, token: number): Amount {
  if (token === 0)
    return String(random() < 0.1 ? Math.floor(random() * 1200) : Math.floor(random() ** 4 * 1e12) + 1);
  const value = (random() + 0.01) * 10 ** Math.floor(random() * 12 - 5);
  return {
    currency: ['', 'AAA', 'BBB', 'CCC', 'DDD', 'EEE'][token]!,
    issuer: address(100 + token),
    value: value.toPrecision(12),
  };
}

const zeroOf = (a: Amount): Amount => (typeof a === 'string' ? '0' : { ...a, value: '0' });

function offerNode(random: Random, n: number, pays: number, gets: number): object {
  const paid = amount(random, pays);
  const got = amount(random, gets);
  return {
    DeletedNode: {
      LedgerEntryType: 'Offer',
      LedgerIndex: n.toString(16).toUpperCase().padStart(64, '0'),
      FinalFields: {
        Account: address(1 + Math.floor(random() * 12)),
        BookDirectory: '0'.repeat(64),
        BookNode: '0',
        Flags: 0,
        OwnerNode: '0',
        Sequence: n,
        TakerPays: zeroOf(paid),
        TakerGets: zeroOf(got),
        ...(random() < 0.1 ? { DomainID: DOMAIN } : {}),
      },
      PreviousFields: { TakerPays: paid, TakerGets: got },
    },
  };
}

const DOMAIN = 'D0'.repeat(32);

/** Pools of XRP and tokens 1 (shallow), 2 (deep at times); what they hold now. */
interface Pool {
  readonly token: number;
  readonly account: string;
  drops: number;
  units: number;
  lp: number;
}
const newPools = (): Pool[] =>
  [1, 2].map((token) => ({ token, account: address(200 + token), drops: 0, units: 0, lp: 0 }));

const idOf = (kind: string, n: number): string =>
  kind.repeat(2) + n.toString(16).toUpperCase().padStart(60, '0');

/** An AMMCreate or AMMDeposit or AMMWithdraw that sets the pool's reserves again. */
function poolChange(random: Random, pool: Pool, n: number): { tx: object; nodes: object[] } {
  const { token, account } = pool;
  const issue = { currency: ['', 'AAA', 'BBB'][token]!, issuer: address(100 + token) };
  const lpIssue = { currency: `03${'0'.repeat(37)}${token}`, issuer: account };
  const drops = Math.floor(random() ** 3 * (token === 1 ? 5e7 : 4e10)) + 1;
  const units = Math.floor(random() * 1e6) + 1;
  const lp = Math.floor(Math.sqrt(drops * units)) + 1;
  const created = pool.lp === 0;
  const kind = created ? 'CreatedNode' : 'ModifiedNode';
  const fields = (now: object, was: object): object =>
    created ? { NewFields: now } : { FinalFields: now, PreviousFields: was };
  const line = (value: number): object => ({
    currency: issue.currency,
    issuer: address(0),
    value: `${value}`,
  });
  const nodes = [
    {
      [kind]: {
        LedgerEntryType: 'AMM',
        LedgerIndex: idOf('A1', token),
        ...fields(
          {
            Account: account,
            ...(created ? {} : { Asset: { currency: 'XRP' } }),
            Asset2: issue,
            LPTokenBalance: { ...lpIssue, value: `${lp}` },
            TradingFee: 500,
          },
          { LPTokenBalance: { ...lpIssue, value: `${pool.lp}` } },
        ),
      },
    },
    {
      [kind]: {
        LedgerEntryType: 'AccountRoot',
        LedgerIndex: idOf('A2', token),
        ...fields(
          { Account: account, AMMID: idOf('A1', token), Balance: `${drops}`, Flags: 0, Sequence: 1 },
          { Balance: `${pool.drops}` },
        ),
      },
    },
    {
      [kind]: {
        LedgerEntryType: 'RippleState',
        LedgerIndex: idOf('A3', token),
        ...fields(
          {
            // The issuer's bytes are below the pool's: it is low, and owes.
            Balance: line(-units),
            Flags: 0x01000000,
            LowLimit: { ...issue, value: '0' },
            HighLimit: { ...issue, issuer: account, value: '0' },
          },
          { Balance: line(-pool.units) },
        ),
      },
    },
  ];
  const type = created ? 'AMMCreate' : random() < 0.5 ? 'AMMDeposit' : 'AMMWithdraw';
  Object.assign(pool, { drops, units, lp });
  const assets = created
    ? { Amount: '1', Amount2: { ...issue, value: '1' }, TradingFee: 500 }
    : { Asset: { currency: 'XRP' }, Asset2: issue };
  const tx = {
    TransactionType: type,
    Account: address(1 + Math.floor(random() * 12)),
    Fee: '10',
    Sequence: n,
    SigningPubKey: '',
    ...assets,
  };
  return { tx, nodes };
}

/** Tokens 1..3 trade against XRP and each other, 4 and 5 only against tokens. */
function pair(random: Random): [number, number] {
  const a = 1 + Math.floor(random() * 5);
  let b = a > 3 ? 1 + Math.floor(random() * 5) : Math.floor(random() * 4);
  if (b === a) b = a === 1 ? 2 : 1;
  return random() < 0.5 ? [a, b] : [b, a];
}

export function* stream(seed: number, ledgers: number, first = 1000): Generator<Sample> {
  const random = randomFrom(seed);
  const pools = newPools();
  let time = 700_000_000 + Math.floor(random() * 1e6);
  let n = 1;
  for (let i = 0; i < ledgers; i++) {
    time += pause(random);
    const pairs = Array.from({ length: Math.floor(random() * 4) }, (_, index) => {
      if (random() < 0.15) {
        const { tx, nodes } = poolChange(random, pick(random, pools), n++);
        const meta = { TransactionIndex: index, TransactionResult: 'tesSUCCESS', AffectedNodes: nodes };
        return { tx: encode(tx as never), meta: encode(meta as never) };
      }
      const [pays, gets] = pair(random);
      const nodes = Array.from({ length: 1 + Math.floor(random() * 2) }, () =>
        offerNode(random, n++, pays, gets),
      );
      const tx = encode({
        TransactionType: 'OfferCreate',
        Account: address(1 + Math.floor(random() * 12)),
        Fee: '10',
        Sequence: n++,
        SigningPubKey: '',
        TakerPays: amount(random, gets),
        TakerGets: amount(random, pays),
        ...(random() < 0.3 ? { SourceTag: pick(random, [111, 0, 74920348]) } : {}),
      } as never);
      const meta = encode({
        TransactionIndex: index,
        TransactionResult: random() < 0.9 ? 'tesSUCCESS' : 'tecKILLED',
        AffectedNodes: nodes,
      });
      return { tx, meta };
    });
    yield sampleOf(`stream ${seed}/${i}`, first + i, time, pairs);
  }
}
