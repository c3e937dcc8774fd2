/** `noripple_check`: recommendations to an issuer or a user about rippling (rippled `NoRippleCheck.cpp`). */

import { addressOf, currencyJson } from '../../../engine/codec/arithmetic/amount.ts';
import { type AccountId, issued } from '../../../engine/codec/arithmetic/asset.ts';
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import { type LineSide, lineSide, noRipple } from '../../assets/line-side.ts';
import { hasAny, Lsf, Tf } from '../../protocol/flags.ts';
import { type ChosenAccount, chooseAccount, looseBoolean } from './account-choice.ts';
import type { Command } from './command.ts';
import { invalidField, missingField } from './errors.ts';
import { ownedEntries } from './owned.ts';
import { LIMITS, limitParam } from './params.ts';

const ASF_DEFAULT_RIPPLE = 8;

/** The problems of one account, and the transactions that would solve them. */
class Recommendations {
  readonly problems: Json[] = [];
  readonly transactions: JsonObject[] = [];
  readonly #account: ChosenAccount;
  readonly #gateway: boolean;
  #sequence: number;

  constructor(account: ChosenAccount, gateway: boolean) {
    this.#account = account;
    this.#gateway = gateway;
    this.#sequence = account.root.Sequence!;
  }

  aboutRoot(): void {
    const ripples = hasAny(this.#account.root.Flags, Lsf.lsfDefaultRipple);
    if (ripples && !this.#gateway)
      this.problems.push(
        'You appear to have set your default ripple flag even though you are not a gateway. This is not ' +
          'recommended unless you are experimenting',
      );
    else if (this.#gateway && !ripples) {
      this.problems.push('You should immediately set your default ripple flag');
      this.#propose({ TransactionType: 'AccountSet', SetFlag: ASF_DEFAULT_RIPPLE });
    }
  }

  /** @returns whether there is a problem */
  aboutLine(line: LineSide): boolean {
    const isSet = noRipple(line);
    if (isSet !== this.#gateway) return false;
    const what = isSet
      ? 'You should clear the no ripple flag on your '
      : 'You should probably set the no ripple flag on your ';
    this.problems.push(`${what}${currencyJson(line.currency)} line to ${addressOf(line.peer)}`);
    this.#propose({
      TransactionType: 'TrustSet',
      LimitAmount: line.limit.withAsset(issued(line.currency, line.peer)).json() as Json,
      Flags: isSet ? Tf.tfClearNoRipple : Tf.tfSetNoRipple,
    });
    return true;
  }

  #propose(transaction: JsonObject): void {
    this.transactions.push({
      ...transaction,
      Account: this.#account.address,
      Fee: Number(this.#account.view.fees.base),
      Sequence: this.#sequence++,
    });
  }
}

/** Checks the lines of an account, up to a number of problems. */
function recommendOnLines(
  recommendations: Recommendations,
  { view, id }: ChosenAccount,
  limit: number,
): void {
  let reported = 0;
  for (const entry of ownedEntries(view, id as AccountId)) {
    const line = lineSide(entry, id);
    if (line !== undefined && recommendations.aboutLine(line) && ++reported >= limit) return;
  }
}

export const noRippleCheck: Command = {
  name: 'noripple_check',
  run(params, { network, apiVersion, admin }) {
    const { role, transactions } = params;
    if (params.account === undefined) throw missingField('account');
    if (role === undefined) throw missingField('role');
    if (typeof params.account !== 'string') throw invalidField('account');
    if (role !== 'gateway' && role !== 'user') throw invalidField('role');
    const limit = limitParam(params, LIMITS.noRippleCheck, admin);
    if (apiVersion > 1 && transactions !== undefined && typeof transactions !== 'boolean')
      throw invalidField('transactions');
    const chosen = chooseAccount(params, network);
    const advice = new Recommendations(chosen, role === 'gateway');
    advice.aboutRoot();
    recommendOnLines(advice, chosen, limit);
    return {
      ...chosen.members,
      problems: advice.problems,
      ...(looseBoolean(params, 'transactions') ? { transactions: advice.transactions } : {}),
    };
  },
};
