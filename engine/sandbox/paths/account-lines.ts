/** The trust lines of accounts as a path finder looks at them: from one side, read once a request. */
import { dirEntries } from '../ledger/directory.ts';
import type { ReadView } from '../ledger/view.ts';
import type { Amount } from '../protocol/amount.ts';
import type { AccountId, Hex } from '../protocol/asset.ts';
import type { Entry } from '../protocol/fields.ts';
import { Lsf } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { Effort, Work } from './work.ts';

/** Lines of one account that are looked at; an issuer may have any number. */
const LINES_MAX = 5_000;

/** A trust line from the side of one of its accounts. */
export interface LineSide {
  readonly peer: AccountId;
  readonly currency: Hex;
  /** Above zero: the peer owes it to the account. */
  readonly balance: Amount;
  /** What the account trusts the peer for, and the peer the account. */
  readonly limit: Amount;
  readonly limitPeer: Amount;
  readonly noRipple: boolean;
  readonly noRipplePeer: boolean;
  readonly freezePeer: boolean;
  /** The account has authorised the line. */
  readonly authorized: boolean;
}

/** A line from the side of `account`, which is one of its two. */
export function sideOf(line: Readonly<Entry>, account: AccountId): LineSide {
  const low = line.LowLimit!;
  const high = line.HighLimit!;
  const isLow = low.issuer === account;
  const flags = line.Flags ?? 0;
  const has = (flag: number): boolean => (flags & flag) !== 0;
  const balance = line.Balance!;
  return {
    peer: isLow ? high.issuer : low.issuer,
    currency: balance.asset.slice(0, 40),
    balance: isLow ? balance : balance.negate(),
    limit: isLow ? low : high,
    limitPeer: isLow ? high : low,
    noRipple: has(isLow ? Lsf.lsfLowNoRipple : Lsf.lsfHighNoRipple),
    noRipplePeer: has(isLow ? Lsf.lsfHighNoRipple : Lsf.lsfLowNoRipple),
    freezePeer: has(isLow ? Lsf.lsfHighFreeze : Lsf.lsfLowFreeze),
    authorized: has(isLow ? Lsf.lsfLowAuth : Lsf.lsfHighAuth),
  };
}

/**
 * Whether the account can send over the line: it holds what the peer owes, or the peer trusts it for more.
 * @param mustAuthorize the account asks authorisation of those who hold its issues
 */
export function canSendOver({ balance, limitPeer, authorized }: LineSide, mustAuthorize: boolean): boolean {
  if (balance.signum > 0) return true;
  if (limitPeer.isZero || (mustAuthorize && !authorized)) return false;
  return balance.negate().compare(limitPeer) < 0;
}

export class AccountLines {
  readonly #view: ReadView;
  readonly #effort: Effort;
  readonly #lines = new Map<AccountId, readonly LineSide[]>();

  constructor(view: ReadView, effort: Effort) {
    this.#view = view;
    this.#effort = effort;
  }

  /** All lines of an account; of one with very many the first. */
  *of(account: AccountId): Work<readonly LineSide[]> {
    const known = this.#lines.get(account);
    if (known !== undefined) return known;
    const lines: LineSide[] = [];
    for (const key of dirEntries(this.#view, keylets.ownerDirectory(account))) {
      this.#effort.visit();
      const entry = this.#view.read(key);
      if (entry?.LedgerEntryType === 'RippleState') lines.push(sideOf(entry, account));
      if (lines.length >= LINES_MAX) break;
      yield* this.#effort.pause();
    }
    this.#lines.set(account, lines);
    return lines;
  }

  /** The line of two accounts from the side of the first. */
  between(account: AccountId, peer: AccountId, currency: Hex): LineSide | undefined {
    this.#effort.visit();
    const line = this.#view.read(keylets.line(account, peer, currency));
    return line && sideOf(line, account);
  }
}

/** Currencies an account could send (rippled `accountSourceCurrencies`), without XRP. */
export function sendableCurrencies(lines: readonly LineSide[]): Set<Hex> {
  return new Set(lines.filter((line) => canSendOver(line, false)).map(({ currency }) => currency));
}

/** Currencies an account could take more of (rippled `accountDestCurrencies`), without XRP. */
export function receivableCurrencies(lines: readonly LineSide[]): Set<Hex> {
  return new Set(
    lines.filter(({ balance, limit }) => balance.compare(limit) < 0).map(({ currency }) => currency),
  );
}
