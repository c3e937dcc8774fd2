/** `account_lines` and `account_currencies`: the trust lines of an account (rippled `AccountLines.cpp`, `AccountCurrencies.cpp`). */

import { addressOf, currencyJson } from '../../../engine/codec/arithmetic/amount.ts';
import { CURRENCY_BAD, type Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { type LineSide, lineSide } from '../../assets/line-side.ts';
import { hasAny } from '../../protocol/flags.ts';
import { chooseAccount, looseBoolean, otherAccountParam } from './account-choice.ts';
import type { Command } from './command.ts';
import { ownedEntries, pageOfOwned } from './owned.ts';
import { LIMITS, limitParam } from './params.ts';

function lineJson(line: LineSide): JsonObject {
  const { own, others, flags } = line;
  const json: JsonObject = {
    account: addressOf(line.peer),
    balance: line.balance.text(),
    currency: currencyJson(line.currency),
    limit: line.limit.text(),
    limit_peer: line.limitPeer.text(),
    quality_in: line.qualityIn,
    quality_out: line.qualityOut,
  };
  const marks: readonly (readonly [string, number])[] = [
    ['authorized', own.auth],
    ['peer_authorized', others.auth],
    ['no_ripple', own.noRipple],
    ['no_ripple_peer', others.noRipple],
    ['freeze', own.freeze],
    ['freeze_peer', others.freeze],
    ['deep_freeze', own.deepFreeze],
    ['deep_freeze_peer', others.deepFreeze],
  ];
  for (const [name, flag] of marks) if (hasAny(flags, flag)) json[name] = true;
  return json;
}

export const accountLines: Command = {
  name: 'account_lines',
  run(params, { network, admin }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const peer = otherAccountParam(params, 'peer');
    const limit = limitParam(params, LIMITS.accountLines, admin);
    const changedOnly = looseBoolean(params, 'ignore_default');
    const lines: JsonObject[] = [];
    const page = pageOfOwned(view, id, params, limit, (entry) => {
      const line = lineSide(entry, id);
      if (line === undefined || (peer !== undefined && line.peer !== peer)) return;
      if (changedOnly && !hasAny(line.flags, line.own.reserve)) return;
      lines.push(lineJson(line));
    });
    return { account: address, ...members, lines, ...page };
  },
};

export const accountCurrencies: Command = {
  name: 'account_currencies',
  run(params, { network }) {
    const { view, id, members } = chooseAccount(params, network, { ident: true });
    const send = new Set<Hex>();
    const receive = new Set<Hex>();
    for (const entry of ownedEntries(view, id)) {
      const line = lineSide(entry, id);
      if (line === undefined || line.currency === CURRENCY_BAD) continue;
      if (line.balance.lessThan(line.limit)) receive.add(line.currency);
      if (line.balance.negate().lessThan(line.limitPeer)) send.add(line.currency);
    }
    const texts = (currencies: ReadonlySet<Hex>): string[] => [...currencies].sort().map(currencyJson);
    return { ...members, receive_currencies: texts(receive), send_currencies: texts(send) };
  },
};
