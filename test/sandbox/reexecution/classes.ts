/** Classes and eras of recorded transactions, as the table lists them. */
import { rulesAt } from '../../../sandbox/protocol/amendments.ts';
import { Lsf } from '../../../sandbox/protocol/flags.ts';
import type { Json, Recorded } from './recorded.ts';

/** Amendments that changed how payments and offers are worked out, and the eras between them. */
const ERAS: readonly (readonly [amendment: string, before: string])[] = [
  ['Flow', '2013 to 2016, before Flow'],
  ['FlowCross', '2016 to 2020, before FlowCross'],
  ['fixUniversalNumber', '2020 to 2023, before fixUniversalNumber'],
  ['fixAMMv1_1', '2023 to 2024, before fixAMMv1_1'],
];

export function eraOf({ network, closeTime }: Recorded): string {
  if (network !== 'mainnet') return 'other networks';
  const rules = rulesAt(closeTime);
  return ERAS.find(([amendment]) => !rules.enabled(amendment))?.[1] ?? 'since fixAMMv1_1';
}

const fieldsIn = (node: Json, part: string): Json => (node[part] ?? {}) as Json;

/** An offer of a book was taken, in part or whole. */
const takesOffers = (nodes: readonly Json[]): boolean =>
  nodes.some(
    (node) => node.LedgerEntryType === 'Offer' && fieldsIn(node, 'PreviousFields').TakerPays !== undefined,
  );

/** A pool's account or line was written. */
const takesPools = (nodes: readonly Json[]): boolean =>
  nodes.some((node) => {
    const { AMMID, Flags } = fieldsIn(node, 'FinalFields');
    return (
      AMMID !== undefined ||
      (node.LedgerEntryType === 'RippleState' && (Number(Flags ?? 0) & Lsf.lsfAMMNode) !== 0)
    );
  });

/** The engines of before: payments until Flow, crossing until FlowCross. Their arithmetic is not rebuilt. */
const OLD_PAYMENTS = ', old engine (before Flow, 2016)';
const OLD_CROSSING = ', old engine (before FlowCross, 2020)';
/** Off mainnet and without a time the rules are those of before 2016 when the ledger's index is that low. */
const isBefore = ({ closeTime }: Recorded, amendment: string): boolean =>
  closeTime > 0 && !rulesAt(closeTime).enabled(amendment);

function paymentClass(recorded: Recorded, nodes: readonly Json[]): string {
  const { tx } = recorded;
  const amount = tx.Amount as Json | string;
  if (typeof amount !== 'string' && amount.mpt_issuance_id !== undefined) return 'Payment of MPTs';
  if (typeof amount === 'string' && tx.SendMax === undefined) return 'Payment of XRP';
  const era = isBefore(recorded, 'Flow') ? OLD_PAYMENTS : '';
  if (takesPools(nodes)) return 'Payment through pools';
  if (takesOffers(nodes)) return `Payment through books${era}`;
  return `Payment over trust lines${era}`;
}

function offerClass(recorded: Recorded, nodes: readonly Json[]): string {
  const era = isBefore(recorded, 'FlowCross') ? OLD_CROSSING : '';
  if (takesPools(nodes)) return 'OfferCreate crossing pools';
  if (takesOffers(nodes)) return `OfferCreate crossing books${era}`;
  return 'OfferCreate crossing nothing';
}

/** The transaction's type, payments and offers by what they did; those that failed and only paid the fee are a class of their own. */
export function classOf(recorded: Recorded): string {
  const { type, meta, result } = recorded;
  if (type !== 'Payment' && type !== 'OfferCreate') return type;
  if (result !== 'tesSUCCESS') return `${type} that failed (tec)`;
  const nodes = (meta.AffectedNodes as Json[]).map((wrapped) => Object.values(wrapped)[0] as Json);
  return type === 'Payment' ? paymentClass(recorded, nodes) : offerClass(recorded, nodes);
}
