/** The trust lines of accounts for a path finder: from one side, read once per request. */

import type { AccountId, Hex } from '../../engine/codec/arithmetic/asset.ts';
import type { CooperativeTask } from '../../engine/event-loop.ts';
import { type LineSide, lineSide } from '../assets/line-side.ts';
import { dirEntries } from '../ledger/directory.ts';
import type { ReadView } from '../ledger/view.ts';
import { hasAny } from '../protocol/flags.ts';
import * as keylets from '../protocol/keylets.ts';
import type { SearchBudget } from './search-budget.ts';

/** Maximum number of lines of one account that are read; an issuer may have any number. */
const LINES_MAX = 5_000;

/**
 * Whether the account can send over the line: it holds the peer's debt, or the peer trusts it for more.
 * @param mustAuthorize the account requires authorisation of the holders of its issues
 */
export function canSendOver({ balance, limitPeer, flags, own }: LineSide, mustAuthorize: boolean): boolean {
  if (balance.signum > 0) return true;
  if (limitPeer.isZero || (mustAuthorize && !hasAny(flags, own.auth))) return false;
  return balance.negate().compare(limitPeer) < 0;
}

export class AccountLines {
  readonly #view: ReadView;
  readonly #effort: SearchBudget;
  readonly #lines = new Map<AccountId, readonly LineSide[]>();

  constructor(view: ReadView, effort: SearchBudget) {
    this.#view = view;
    this.#effort = effort;
  }

  /** All lines of an account, up to the maximum. */
  *of(account: AccountId): CooperativeTask<readonly LineSide[]> {
    const known = this.#lines.get(account);
    if (known !== undefined) return known;
    const lines: LineSide[] = [];
    for (const key of dirEntries(this.#view, keylets.ownerDirectory(account))) {
      this.#effort.visit();
      const entry = this.#view.read(key);
      const line = entry && lineSide(entry, account);
      if (line) lines.push(line);
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
    return line && lineSide(line, account);
  }
}

/** Currencies that an account can send (rippled `accountSourceCurrencies`), without XRP. */
export function sendableCurrencies(lines: readonly LineSide[]): Set<Hex> {
  return new Set(lines.filter((line) => canSendOver(line, false)).map(({ currency }) => currency));
}

/** Currencies that an account can receive more of (rippled `accountDestCurrencies`), without XRP. */
export function receivableCurrencies(lines: readonly LineSide[]): Set<Hex> {
  return new Set(
    lines.filter(({ balance, limit }) => balance.compare(limit) < 0).map(({ currency }) => currency),
  );
}
