/**
 * Recorded mainnet offers and payments, applied again to their rebuilt before-state: result and every touched entry
 * must be equal to the last digit.
 *
 * Not all can be: metadata does not show tick sizes and transfer rates of issuers that were not touched, pools and
 * offers of strands that gave nothing, or trading fees of pools whose balances hardly moved; and before
 * fixUniversalNumber (August 2023) sums of issued amounts were truncated. So each group says how many of it must be.
 */
import { expect, test } from 'bun:test';
import { corpusDir } from '../../../corpus.ts';
import { differences, executeAgain, type Recorded, recordedOf } from '../transactions/recorded-state.ts';
import { completeMarkets, Issuers, timed } from './recorded-markets.ts';

type Json = Record<string, unknown>;

/** Ledger of which the index was not recorded. */
const UNKNOWN_LEDGER = 90_000_000;
/** First ledgers of 2019, after FlowCross (August 2020), after fixAMMv1_1 (September 2024). */
const [IN_2019, AFTER_FLOW_CROSS, AFTER_AMM_FIX] = [44_000_000, 57_500_000, 91_000_000] as const;

const all = corpusDir ? timed(recordedOf(['OfferCreate', 'OfferCancel', 'Payment'])) : [];
const mainnet = all.filter(
  ({ network, ledgerIndex }) => network === 'mainnet' && ledgerIndex !== UNKNOWN_LEDGER,
);
const complete = completeMarkets(new Issuers(all));

function nodes({ meta }: Recorded): Json[] {
  return (meta.AffectedNodes as Json[]).map((wrapped) => Object.values(wrapped)[0] as Json);
}

const crossed = (one: Recorded): boolean =>
  nodes(one).some(
    (node) => node.LedgerEntryType === 'Offer' && (node.PreviousFields as Json)?.TakerPays !== undefined,
  );
const usedPool = (one: Recorded): boolean =>
  nodes(one).some(({ FinalFields }) => {
    const fields = FinalFields as Json | undefined;
    return fields?.AMMID !== undefined || (Number(fields?.Flags ?? 0) & 0x0100_0000) !== 0;
  });
const isXrp = ({ tx }: Recorded): boolean => typeof tx.Amount === 'string' && tx.SendMax === undefined;

interface Group {
  readonly name: string;
  readonly has: (one: Recorded) => boolean;
  readonly from: number;
  readonly before?: number;
  /** How many of a hundred must be equal. */
  readonly percent: number;
}

const type = (name: string) => (one: Recorded) => one.tx.TransactionType === name;
const groups: readonly Group[] = [
  { name: 'OfferCancel', has: type('OfferCancel'), from: IN_2019, percent: 100 },
  {
    name: 'OfferCreate that crosses nothing, 2019 to 2024',
    has: (one) => type('OfferCreate')(one) && !crossed(one) && !usedPool(one),
    from: IN_2019,
    before: 87_000_000,
    percent: 97,
  },
  {
    name: 'OfferCreate that crosses nothing, since fixAMMv1_1',
    has: (one) => type('OfferCreate')(one) && !crossed(one) && !usedPool(one),
    from: AFTER_AMM_FIX,
    percent: 91,
  },
  {
    name: 'OfferCreate that crosses offers, since FlowCross',
    has: (one) => type('OfferCreate')(one) && crossed(one) && !usedPool(one),
    from: AFTER_FLOW_CROSS,
    before: AFTER_AMM_FIX,
    percent: 45,
  },
  {
    name: 'OfferCreate that crosses offers or pools, since fixAMMv1_1',
    has: (one) => type('OfferCreate')(one) && (crossed(one) || usedPool(one)),
    from: AFTER_AMM_FIX,
    percent: 97,
  },
  { name: 'Payment of XRP', has: (one) => type('Payment')(one) && isXrp(one), from: IN_2019, percent: 99 },
  {
    name: 'Payment through offers or pools, since fixAMMv1_1',
    has: (one) => type('Payment')(one) && !isXrp(one) && (crossed(one) || usedPool(one)),
    from: AFTER_AMM_FIX,
    percent: 88,
  },
  {
    name: 'Payment of issued currencies over lines, or dry, since 2019',
    has: (one) => type('Payment')(one) && !isXrp(one) && !crossed(one) && !usedPool(one),
    from: IN_2019,
    percent: 95,
  },
];

for (const { name, has, from, before = Number.POSITIVE_INFINITY, percent } of groups) {
  const cases = mainnet.filter((one) => one.ledgerIndex >= from && one.ledgerIndex < before && has(one));
  test.skipIf(cases.length === 0)(`${name} as recorded`, () => {
    const equal = cases.filter((one) => differences(one, executeAgain(one, [], complete)).length === 0);
    console.log(`${name}: tried ${cases.length}, equal ${equal.length}`);
    expect((100 * equal.length) / cases.length).toBeGreaterThanOrEqual(percent);
  });
}
