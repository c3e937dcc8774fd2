/** Trust lines: never of XRP, deep freeze only with freeze, clawed back one at a time, no transfers of frozen funds. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  CURRENCY_XRP,
  currencyOf,
  type Hex,
  issued,
  issuerOf,
} from '../../../engine/codec/arithmetic/asset.ts';
import { accountHolds } from '../../assets/funds.ts';
import type { Change } from '../../ledger/tables.ts';
import type { ReadView } from '../../ledger/view.ts';
import type { Entry } from '../../protocol/fields.ts';
import { hasAny, Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Changes, Checker } from './checker.ts';
import { may } from './privileges.ts';

const noXrpLines: Checker = {
  name: 'NoXRPTrustLines',
  holds: ({ changes }) =>
    changes
      .of('RippleState')
      .every(({ after: { LowLimit, HighLimit } }) =>
        [LowLimit, HighLimit].every((limit) => limit?.isIssued && currencyOf(limit.asset) !== CURRENCY_XRP),
      ),
};

const deepFreeze: Checker = {
  name: 'NoDeepFreezeTrustLinesWithoutFreeze',
  holds: ({ changes }) =>
    changes.of('RippleState').every(({ after: { Flags: flags } }) => {
      const low = hasAny(flags, Lsf.lsfLowDeepFreeze) && !hasAny(flags, Lsf.lsfLowFreeze);
      return !low && !(hasAny(flags, Lsf.lsfHighDeepFreeze) && !hasAny(flags, Lsf.lsfHighFreeze));
    }),
};

const validClawback: Checker = {
  name: 'ValidClawback',
  holds({ changes, tx, result, table }) {
    if (tx.TransactionType !== 'Clawback') return true;
    const lines = changes.of('RippleState').filter(({ before }) => before).length;
    const tokens = changes.of('MPToken').filter(({ before }) => before).length;
    if (result !== 'tesSUCCESS') return lines === 0 && tokens === 0;
    if (lines > 1 || tokens > 1) return false;
    const amount = tx.Amount as Amount;
    if (lines === 0 || !amount.isIssued) return true;
    const asset = issued(currencyOf(amount.asset) as Hex, tx.Account);
    return (
      accountHolds(table, issuerOf(amount.asset), asset, { freeze: 'ignore', auth: 'ignore' }).signum >= 0
    );
  },
};

/** The change of one holder's side of a line, as seen by the issuer on the other side. */
interface Moved {
  readonly line: Readonly<Entry>;
  readonly sent: boolean;
}

/** Senders and receivers, by issuer and currency. Either side of a line may be the issuer. */
function movements(changes: readonly Change[]): Map<string, Moved[]> {
  const moved = new Map<string, Moved[]>();
  const record = (currency: Hex, issuer: AccountId, line: Readonly<Entry>, sent: boolean): void => {
    const key = issued(currency, issuer);
    moved.set(key, [...(moved.get(key) ?? []), { line, sent }]);
  };
  for (const { action, before, after } of changes) {
    const zero = Amount.zero(after.Balance!.asset);
    const was = before?.Balance ?? zero;
    // A line that is deleted or created counts as empty on that side: freezes apply all the same.
    const sign = (action === 'erase' ? zero : after.Balance!).compare(was);
    if (sign === 0) continue;
    const currency = currencyOf(after.LowLimit!.asset) as Hex;
    record(currency, issuerOf(after.HighLimit!.asset), after, sign < 0);
    record(currency, issuerOf(after.LowLimit!.asset), after, sign > 0);
  }
  return moved;
}

/** Whether the issuer's freezes forbid the holder's change. */
function isFrozenMove({ line, sent }: Moved, issuer: Readonly<Entry>): boolean {
  const low = issuerOf(line.LowLimit!.asset) === issuer.Account;
  const frozen = sent && hasAny(line.Flags, low ? Lsf.lsfLowFreeze : Lsf.lsfHighFreeze);
  return frozen || hasAny(line.Flags, low ? Lsf.lsfLowDeepFreeze : Lsf.lsfHighDeepFreeze);
}

function issuerEntry(view: ReadView, changes: Changes, id: AccountId): Readonly<Entry> | undefined {
  // An issuer that was deleted by the transaction is still checked for its flags.
  return (
    changes.of('AccountRoot').find(({ after }) => after.Account === id)?.after ??
    view.read(keylets.account(id))
  );
}

const notFrozen: Checker = {
  name: 'TransfersNotFrozen',
  holds({ changes, tx, table }) {
    if (!table.rules.enabled('DeepFreeze')) return true;
    for (const [asset, moves] of movements(changes.of('RippleState'))) {
      // Between holder and issuer alone, frozen funds may move.
      if (moves.every(({ sent }) => sent) || !moves.some(({ sent }) => sent)) continue;
      const issuer = issuerEntry(table, changes, issuerOf(asset));
      if (issuer === undefined) return false;
      const global = hasAny(issuer.Flags, Lsf.lsfGlobalFreeze);
      for (const move of moves) {
        if (!global && !isFrozenMove(move, issuer)) continue;
        const overridden = !hasAny(move.line.Flags, Lsf.lsfAMMNode) || global;
        if (!(overridden && may(tx.TransactionType, 'overrideFreeze'))) return false;
      }
    }
    return true;
  },
};

export const TRUST_LINE_CHECKERS: readonly Checker[] = [noXrpLines, deepFreeze, validClawback, notFrozen];
