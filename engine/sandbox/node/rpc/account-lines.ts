/** `account_lines` and `account_currencies`: the trust lines of an account (rippled `AccountLines.cpp`, `AccountCurrencies.cpp`). */
import type { JsonObject } from '../../../codec/json.ts';
import { sideFlags } from '../../assets/trust-lines.ts';
import { type Amount, addressOf, currencyJson } from '../../protocol/amount.ts';
import { type AccountId, CURRENCY_BAD, currencyOf, type Hex } from '../../protocol/asset.ts';
import type { Entry } from '../../protocol/fields.ts';
import { chooseAccount, looseBoolean, otherAccountParam } from './account-choice.ts';
import type { Command } from './command.ts';
import { ownedEntries, pageOfOwned } from './owned.ts';
import { LIMITS, limitParam } from './params.ts';

/** A trust line from one side. */
export interface LineSide {
  readonly peer: AccountId;
  readonly currency: Hex;
  /** Positive: the peer owes. */
  readonly balance: Amount;
  readonly limit: Amount;
  readonly limitPeer: Amount;
  readonly qualityIn: number;
  readonly qualityOut: number;
  readonly own: ReturnType<typeof sideFlags>;
  readonly others: ReturnType<typeof sideFlags>;
  readonly flags: number;
}

/** The line seen by `account`; undefined when the entry is none of its lines. */
export function lineSide(entry: Readonly<Entry>, account: AccountId): LineSide | undefined {
  if (entry.LedgerEntryType !== 'RippleState') return undefined;
  const low = entry.LowLimit!;
  const high = entry.HighLimit!;
  const isLow = low.issuer === account;
  if (!isLow && high.issuer !== account) return undefined;
  const peer = isLow ? high.issuer : low.issuer;
  return {
    peer,
    currency: currencyOf(low.asset)!,
    balance: isLow ? entry.Balance! : entry.Balance!.negate(),
    limit: isLow ? low : high,
    limitPeer: isLow ? high : low,
    qualityIn: (isLow ? entry.LowQualityIn : entry.HighQualityIn) ?? 0,
    qualityOut: (isLow ? entry.LowQualityOut : entry.HighQualityOut) ?? 0,
    own: sideFlags(account, peer),
    others: sideFlags(peer, account),
    flags: entry.Flags ?? 0,
  };
}

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
  for (const [name, flag] of marks) if ((flags & flag) !== 0) json[name] = true;
  return json;
}

export const accountLines: Command = {
  name: 'account_lines',
  run(params, { network }) {
    const { view, id, address, members } = chooseAccount(params, network);
    const peer = otherAccountParam(params, 'peer');
    const limit = limitParam(params, LIMITS.accountLines);
    const changedOnly = looseBoolean(params, 'ignore_default');
    const lines: JsonObject[] = [];
    const page = pageOfOwned(view, id, params, limit, (entry) => {
      const line = lineSide(entry, id);
      if (line === undefined || (peer !== undefined && line.peer !== peer)) return;
      if (changedOnly && (line.flags & line.own.reserve) === 0) return;
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
