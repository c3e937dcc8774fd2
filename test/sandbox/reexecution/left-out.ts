/**
 * Recordings that cannot be applied again, each for a reason that is visible in the recording itself. All others are
 * tried. Those listed one by one were examined because their results differed.
 */
import { issuerOf } from '../../../engine/codec/arithmetic/asset.ts';
import { fromJson } from '../../../sandbox/protocol/encode.ts';
import { hasAny, Lsf } from '../../../sandbox/protocol/flags.ts';
import { RULES } from '../../../sandbox/transactions/index.ts';
import { type Json, nodesOf, type Recorded } from './recorded.ts';

const PSEUDO: ReadonlySet<string> = new Set(['EnableAmendment', 'SetFee', 'UNLModify']);
export type Reason =
  | 'type not built'
  | 'pseudo-transaction'
  | 'fields the protocol never had'
  | 'cut or edited'
  | 'draft of another year'
  | 'XRP below zero (2013)'
  | 'one balance of a pool is not shown'
  | 'insufficient liquidity is not shown';

/** Recordings with a known defect, by the beginning of the hash. */
const SINGLE: ReadonlyMap<string, readonly [Reason, string]> = new Map([
  ['4FB3ADF2', ['cut or edited', 'flags of the fixture were edited']],
  ['F81C34E7', ['cut or edited', 'a key of an account that does not exist signed']],
  ['26E6E7AE', ['cut or edited', 'an empty holding, which did not change']],
  ['8375C1ED', ['cut or edited', 'a new line with a balance without a payment']],
  ['BE25B1EF', ['cut or edited', 'the line of the payer is not shown']],
  ['F4AD54E6', ['cut or edited', 'an account of 2018 with a sequence number as since 2020']],
  [
    'B5D94C02',
    ['cut or edited', 'authorisation of early 2018: its network is not the one it is listed under'],
  ],
  ['1EABD556', ['draft of another year', 'message keys were not checked (2014)']],
  ['0E9CA3AB', ['draft of another year', 'a test network of early 2017 with other channel keys']],
  ['F346E542', ['draft of another year', 'an escrow of 2015 whose index is computed in another way']],
  ['75B8B031', ['draft of another year', 'a list replaced by the same list, shown as changed']],
  ['7E91ADBE', ['draft of another year', 'a list replaced by the same list, shown as changed']],
  ['B0EED823', ['draft of another year', 'a list replaced by the same list, shown as changed']],
  [
    '0E48E0E9',
    ['draft of another year', 'a delegate was not listed in the directory of the authorised account'],
  ],
  ['FFC3ABE1', ['draft of another year', 'kept the emptied token of shares']],
  ['6B29D683', ['draft of another year', 'an account field in a memo']],
  ['2FC69A72', ['draft of another year', 'witnesses signed another message']],
  ['F3F20B4F', ['draft of another year', 'witnesses signed another message']],
]);

/** Why a recording is not tried; undefined when it is. */
export function leftOut(recorded: Recorded): Reason | undefined {
  const { type, network, result } = recorded;
  if (PSEUDO.has(type)) return 'pseudo-transaction';
  if (!RULES.has(type)) return 'type not built';
  const single = SINGLE.get(recorded.hash.slice(0, 8));
  if (single) return single[0];
  // Before AMMs were final only networks without a name had them.
  if (type.startsWith('AMM') && network === 'unknown') return 'draft of another year';
  if (!isExpressible(recorded)) return 'fields the protocol never had';
  if (!isWhole(recorded)) return 'cut or edited';
  // Recorded in a ledger it cannot have been in.
  const last = recorded.tx.LastLedgerSequence as number | undefined;
  if (last !== undefined && recorded.ledgerIndex > last) return 'cut or edited';
  if (takesNothing(recorded)) return 'XRP below zero (2013)';
  if (result === 'tecPATH_PARTIAL' && type === 'Payment') return 'insufficient liquidity is not shown';
  if ((type === 'Payment' || type === 'OfferCreate') && hidesPool(recorded))
    return 'one balance of a pool is not shown';
  return undefined;
}

function isExpressible({ tx, meta }: Recorded): boolean {
  try {
    fromJson(tx as never);
    nodesOf(meta);
    return true;
  } catch {
    return false;
  }
}

/** Some recordings have another transaction's metadata, or truncated lists. */
function isWhole({ tx, meta }: Recorded): boolean {
  const nodes = (meta.AffectedNodes as Json[]).map((wrapped) => Object.values(wrapped)[0] as Json);
  const fieldsIn = (node: Json, part: string): Json => (node[part] ?? {}) as Json;
  const hasSender = nodes.some((node) => fieldsIn(node, 'FinalFields').Account === tx.Account);
  const unchanged = nodes.some((node) => {
    const before = fieldsIn(node, 'PreviousFields').NFTokens;
    return (
      before !== undefined &&
      JSON.stringify(before) === JSON.stringify(fieldsIn(node, 'FinalFields').NFTokens)
    );
  });
  return hasSender && !unchanged;
}

/** A pool gave or took so little of one of its assets that its balance did not change: then it is not shown. */
function hidesPool({ meta }: Recorded): boolean {
  const nodes = nodesOf(meta);
  const balances = new Map<string, number>();
  const count = (id: string): unknown => balances.set(id, (balances.get(id) ?? 0) + 1);
  for (const { type, before, after } of nodes) {
    if (!before?.Balance || !after?.Balance || before.Balance.equals(after.Balance)) continue;
    if (type === 'AccountRoot' && after.AMMID !== undefined) count(after.Account!);
    if (type !== 'RippleState' || !hasAny(after.Flags, Lsf.lsfAMMNode)) continue;
    count(issuerOf((after.Balance.mantissa > 0n ? after.LowLimit! : after.HighLimit!).asset));
  }
  return [...balances.values()].some((shown) => shown < 2);
}

/** In 2013 offers could give XRP that their owners did not have: balances and offers below zero show it. */
function takesNothing({ meta }: Recorded): boolean {
  const nodes = nodesOf(meta);
  const below = nodes.some(({ type, before, after }) =>
    [before, after].some(
      (fields) =>
        (type === 'AccountRoot' && fields?.Balance?.signum === -1) ||
        (type === 'Offer' && (fields?.TakerPays?.signum === -1 || fields?.TakerGets?.signum === -1)),
    ),
  );
  return below && nodes.some(({ type, json }) => type === 'Offer' && json.PreviousFields !== undefined);
}
