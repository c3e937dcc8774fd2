/**
 * The ledger that a command reads: `ledger_hash`, `ledger_index` (number, its text, "validated", "closed", "current"
 * or absent, which is "current") or the old `ledger`, which is either (rippled `lookupLedger`). Without any of them: the
 * open ledger, as in rippled.
 */
import type { JsonObject } from '../../../engine/codec/json.ts';
import type { ClosedLedger } from '../../ledger/ledger.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import { expectedField, RpcError } from './errors.ts';
import { HASH, u32Of } from './params.ts';

/** What the request names: a keyword, an index or a hash. */
type Wanted = 'validated' | 'closed' | 'current' | { readonly index: number } | { readonly hash: string };

/** A ledger with its state. `closed` is absent for the open ledger. */
export interface ChosenState {
  readonly view: ReadView;
  readonly closed?: ClosedLedger;
  /** `ledger_hash`, `ledger_index` and `validated`; for the open ledger `ledger_current_index`. */
  readonly members: JsonObject;
}

function wantedIndex(value: unknown, name: string): Wanted {
  if (value === 'validated' || value === 'closed' || value === 'current') return value;
  if (value === '') return 'current';
  const index = u32Of(value);
  if (index === undefined) throw expectedField(name, 'string or number');
  return { index };
}

function wantedHash(value: unknown): Wanted {
  if (typeof value !== 'string') throw expectedField('ledger_hash', 'hex string');
  if (!HASH.test(value)) throw new RpcError('invalidParams', 'ledgerHashMalformed');
  return { hash: value.toUpperCase() };
}

/** @throws RpcError invalidParams when it does not name a ledger */
export function wantedLedger(params: JsonObject, fallback: Wanted = 'current'): Wanted {
  const given = ['ledger_hash', 'ledger_index', 'ledger'].filter((name) => params[name] !== undefined);
  if (given.length > 1)
    throw new RpcError(
      'invalidParams',
      given.includes('ledger')
        ? "Exactly one of 'ledger', 'ledger_hash', or 'ledger_index' can be specified."
        : "Exactly one of 'ledger_hash' or 'ledger_index' can be specified.",
    );
  const { ledger_hash: hash, ledger_index: index, ledger } = params;
  if (hash !== undefined) return wantedHash(hash);
  if (index !== undefined) return wantedIndex(index, 'ledger_index');
  if (typeof ledger === 'string' && HASH.test(ledger)) return wantedHash(ledger);
  return ledger === undefined ? fallback : wantedIndex(ledger, 'ledger');
}

/** A closed ledger, with or without its state. @throws RpcError lgrNotFound */
export function closedLedger(network: Network, wanted: Exclude<Wanted, 'current'>): LedgerRecord {
  if (wanted === 'validated' || wanted === 'closed') return network.validated;
  const found =
    'index' in wanted ? network.ledgers.byIndex(wanted.index) : network.ledgers.byHash(wanted.hash);
  if (found === undefined) throw new RpcError('lgrNotFound', 'ledgerNotFound');
  return found;
}

/** The members of an answer that identify the closed ledger. */
export const closedMembers = (ledger: LedgerRecord): JsonObject => ({
  ledger_hash: ledger.hash,
  ledger_index: ledger.index,
  validated: true,
});

/**
 * The state a command reads.
 * @throws RpcError lgrNotFound when there is no such ledger or its state is no longer kept (the newest 256 are)
 */
export function chooseState(network: Network, params: JsonObject, fallback: Wanted = 'current'): ChosenState {
  const wanted = wantedLedger(params, fallback);
  const { open } = network;
  if (
    wanted === 'current' ||
    (typeof wanted === 'object' && 'index' in wanted && wanted.index === open.index)
  )
    return { view: open.view, members: { ledger_current_index: open.index, validated: false } };
  const closed = network.ledgers.recent(closedLedger(network, wanted).index);
  if (closed === undefined) throw new RpcError('lgrNotFound', 'ledgerNotFound');
  return { view: closed.view(), closed, members: closedMembers(closed) };
}
