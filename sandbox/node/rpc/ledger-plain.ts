/** `ledger_closed`, `ledger_current`, `ledger_header`, and Clio's `ledger_index`: small commands about ledger indices. */
import { hexOf } from '../../../engine/codec/bytes.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { Network } from '../network.ts';
import type { LedgerRecord } from '../network-ledgers.ts';
import type { Command } from './command.ts';
import { expectedField, RpcError } from './errors.ts';
import { headerJson, isoTime } from './header-json.ts';
import { closedLedger, closedMembers, wantedLedger } from './ledger-choice.ts';

export const ledgerClosed: Command = {
  name: 'ledger_closed',
  run: (_params, { network: { validated } }) => ({
    ledger_hash: validated.hash,
    ledger_index: validated.index,
  }),
};

export const ledgerCurrent: Command = {
  name: 'ledger_current',
  run: (_params, { network }) => ({ ledger_current_index: network.open.index }),
};

/**
 * The header alone, as bytes and as JSON; API version 1 only (rippled `LedgerHeader.cpp`). The open ledger has none yet.
 */
export const ledgerHeader: Command = {
  name: 'ledger_header',
  run(params, { network, apiVersion }) {
    if (apiVersion > 1) throw new RpcError('unknownCmd');
    const wanted = wantedLedger(params, 'closed');
    if (wanted === 'current') throw new RpcError('noCurrent');
    const record = closedLedger(network, wanted);
    return {
      ...closedMembers(record),
      ledger_data: hexOf(record.headerBytes),
      ledger: headerJson(record, apiVersion),
    };
  },
};

/** Close times are unsigned numbers of 32 bits. */
const TIME_MAX = 0xffffffff;
const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** The newest ledger that closed at or before a date, if any. */
function closedBy({ ledgers }: Network, date: string): LedgerRecord | undefined {
  const time = Date.parse(date) / 1000 - RIPPLE_EPOCH;
  return time < 0 ? undefined : ledgers.at(Math.min(time, TIME_MAX));
}

/** The newest ledger that closed at or before a `date` ("2026-11-21T05:01:20Z"), or the newest of all. */
export const ledgerIndex: Command = {
  name: 'ledger_index',
  run({ date }, { network }) {
    if (
      date !== undefined &&
      (typeof date !== 'string' || !DATE.test(date) || Number.isNaN(Date.parse(date)))
    )
      throw expectedField('date', 'an ISO 8601 date');
    const record = date === undefined ? network.validated : closedBy(network, date);
    if (record === undefined) throw new RpcError('lgrNotFound', 'ledgerNotInRange');
    return { ...closedMembers(record), closed: isoTime(record.closeTime) };
  },
};
