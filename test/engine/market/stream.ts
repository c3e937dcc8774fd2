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
      },
      PreviousFields: { TakerPays: paid, TakerGets: got },
    },
  };
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
  let time = 700_000_000 + Math.floor(random() * 1e6);
  let n = 1;
  for (let i = 0; i < ledgers; i++) {
    time += pause(random);
    const pairs = Array.from({ length: Math.floor(random() * 4) }, (_, index) => {
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
