/** `gateway_balances`: what an issuer owes and to whom, with its own (hot) wallets listed apart (rippled `GatewayBalances.cpp`). */

import { Amount, AmountError, addressOf, currencyJson } from '../../../engine/codec/arithmetic/amount.ts';
import {
  type AccountId,
  CURRENCY_XRP,
  currencyOf,
  type Hex,
} from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { lineSide } from '../../assets/line-side.ts';
import { hasAny } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import type { Command, CommandContext } from './command.ts';
import { missingField, RpcError } from './errors.ts';
import { type ChosenState, chooseState } from './ledger-choice.ts';
import { ownedEntries } from './owned.ts';
import { accountIdOf } from './params.ts';

/** A sum that is too large is shown as the greatest amount. */
const GREATEST_MANTISSA = 9_999_999_999_999_999n;
const GREATEST_EXPONENT = 80;

function sumOf(a: Amount | undefined, b: Amount): Amount {
  if (a === undefined) return b;
  try {
    return a.add(b);
  } catch (error) {
    if (!(error instanceof AmountError) || !a.isIssued) throw error;
    return Amount.issued(a.asset, GREATEST_MANTISSA, GREATEST_EXPONENT);
  }
}

/** @throws RpcError */
function hotWallets(params: JsonObject, { apiVersion }: CommandContext, members: JsonObject): Set<AccountId> {
  const { hotwallet } = params;
  if (hotwallet === undefined || hotwallet === null) return new Set();
  const list = Array.isArray(hotwallet) ? hotwallet : [hotwallet];
  const ids = list.map((value) => accountIdOf(value));
  if (ids.some((id) => id === undefined))
    throw new RpcError(apiVersion === 1 ? 'invalidHotWallet' : 'invalidParams', undefined, members);
  return new Set(ids as AccountId[]);
}

/** Balances by account, as an object of lists. */
class ByAccount {
  readonly #lists = new Map<AccountId, JsonObject[]>();

  add(account: AccountId, currency: Hex, value: Amount): void {
    const list = this.#lists.get(account) ?? [];
    this.#lists.set(account, list);
    list.push({ currency: currencyJson(currency), value: value.text() });
  }

  json(): JsonObject | undefined {
    if (this.#lists.size === 0) return undefined;
    return Object.fromEntries(
      [...this.#lists].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, list]) => [addressOf(id), list]),
    );
  }
}

class Balances {
  readonly #sums = new Map<Hex, Amount>();
  readonly #locked = new Map<Hex, Amount>();
  readonly #hot = new ByAccount();
  readonly #assets = new ByAccount();
  readonly #frozen = new ByAccount();

  gather({ view }: ChosenState, issuer: AccountId, hot: ReadonlySet<AccountId>): void {
    for (const entry of ownedEntries(view, issuer)) {
      if (entry.LedgerEntryType === 'Escrow') this.#lock(entry.Amount!);
      const line = lineSide(entry, issuer);
      if (line === undefined || line.balance.isZero) continue;
      const owed = line.balance.negate();
      if (hot.has(line.peer)) this.#hot.add(line.peer, line.currency, owed);
      else if (line.balance.signum > 0) this.#assets.add(line.peer, line.currency, line.balance);
      else if (hasAny(line.flags, line.own.freeze)) this.#frozen.add(line.peer, line.currency, owed);
      else this.#sums.set(line.currency, sumOf(this.#sums.get(line.currency), owed));
    }
  }

  #lock(amount: Amount): void {
    if (amount.isMpt) return;
    const currency = currencyOf(amount.asset) ?? CURRENCY_XRP;
    this.#locked.set(currency, sumOf(this.#locked.get(currency), amount));
  }

  json(): JsonObject {
    const parts: readonly (readonly [string, JsonObject | undefined])[] = [
      ['obligations', byCurrency(this.#sums)],
      ['balances', this.#hot.json()],
      ['frozen_balances', this.#frozen.json()],
      ['assets', this.#assets.json()],
      ['locked', byCurrency(this.#locked)],
    ];
    const json: JsonObject = {};
    for (const [name, part] of parts) if (part !== undefined) json[name] = part;
    return json;
  }
}

function byCurrency(sums: ReadonlyMap<Hex, Amount>): JsonObject | undefined {
  if (sums.size === 0) return undefined;
  return Object.fromEntries(
    [...sums]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([currency, sum]) => [currencyJson(currency), sum.text()]),
  );
}

export const gatewayBalances: Command = {
  name: 'gateway_balances',
  run(params, context) {
    const { network, apiVersion } = context;
    const chosen = chooseState(network, params);
    const text = params.account ?? params.ident;
    if (text === undefined) throw missingField('account');
    const id = accountIdOf(text);
    if (id === undefined) throw new RpcError('actMalformed');
    const members: JsonObject = { ...chosen.members, account: addressOf(id) };
    if (apiVersion > 1 && chosen.view.read(keylets.account(id)) === undefined)
      throw new RpcError('actNotFound', undefined, members);
    const balances = new Balances();
    balances.gather(chosen, id, hotWallets(params, context, members));
    return { ...members, ...balances.json() };
  },
};
