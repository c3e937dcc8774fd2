/** `account_info`: an account's root, its flags by name, and optionally its signers and queued transactions (rippled `AccountInfo.cpp`). */
import type { Json, JsonObject } from '../../../engine/codec/json.ts';
import type { Queued } from '../../apply/queue.ts';
import type { Entry } from '../../protocol/fields.ts';
import { Lsf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { chooseAccount, entryJson, looseBoolean } from './account-choice.ts';
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';

const FLAGS: readonly (readonly [string, number])[] = [
  ['allowTrustLineClawback', Lsf.lsfAllowTrustLineClawback],
  ['defaultRipple', Lsf.lsfDefaultRipple],
  ['depositAuth', Lsf.lsfDepositAuth],
  ['disableMasterKey', Lsf.lsfDisableMaster],
  ['disallowIncomingCheck', Lsf.lsfDisallowIncomingCheck],
  ['disallowIncomingNFTokenOffer', Lsf.lsfDisallowIncomingNFTokenOffer],
  ['disallowIncomingPayChan', Lsf.lsfDisallowIncomingPayChan],
  ['disallowIncomingTrustline', Lsf.lsfDisallowIncomingTrustline],
  ['disallowIncomingXRP', Lsf.lsfDisallowXRP],
  ['globalFreeze', Lsf.lsfGlobalFreeze],
  ['noFreeze', Lsf.lsfNoFreeze],
  ['passwordSpent', Lsf.lsfPasswordSpent],
  ['requireAuthorization', Lsf.lsfRequireAuth],
  ['requireDestinationTag', Lsf.lsfRequireDestTag],
];
/** Flags that are shown once their amendment is enabled. */
const AMENDED_FLAGS: readonly (readonly [string, number, string])[] = [
  ['allowTrustLineLocking', Lsf.lsfAllowTrustLineLocking, 'TokenEscrow'],
];
const PSEUDO_FIELDS = ['AMMID', 'VaultID', 'LoanBrokerID'] as const;

function rootJson(root: Readonly<Entry>): JsonObject {
  const json = entryJson(root);
  // An old service that shows a picture for the hash of an e-mail address.
  if (root.EmailHash !== undefined)
    json.urlgravatar = `http://www.gravatar.com/avatar/${root.EmailHash.toLowerCase()}`;
  return json;
}

function queuedJson({ transaction: { fields }, level, blocker, spends }: Queued): JsonObject {
  const { Fee, Sequence, TicketSequence, LastLedgerSequence } = fields;
  const json: JsonObject = {
    auth_change: blocker,
    fee: String(Fee.drops),
    fee_level: String(level),
    max_spend_drops: String(spends + Fee.drops),
  };
  if (TicketSequence === undefined) json.seq = Sequence;
  else json.ticket = TicketSequence;
  if (LastLedgerSequence !== undefined) json.LastLedgerSequence = LastLedgerSequence;
  return json;
}

function queueData(queued: readonly Queued[]): JsonObject {
  if (queued.length === 0) return { txn_count: 0 };
  const total = queued.reduce(
    (sum, { spends, transaction }) => sum + spends + transaction.fields.Fee.drops,
    0n,
  );
  const json: JsonObject = {
    auth_change_queued: queued.some(({ blocker }) => blocker),
    max_spend_drops_total: String(total),
    transactions: queued.map(queuedJson),
    txn_count: queued.length,
  };
  const addRange = (kind: 'sequence' | 'ticket', numbers: readonly number[]): void => {
    if (numbers.length === 0) return;
    json[`${kind}_count`] = numbers.length;
    json[`lowest_${kind}`] = Math.min(...numbers);
    json[`highest_${kind}`] = Math.max(...numbers);
  };
  const tickets = queued.flatMap(({ transaction }) => transaction.fields.TicketSequence ?? []);
  const sequences = queued.flatMap(({ transaction: { fields } }) =>
    fields.TicketSequence === undefined ? [fields.Sequence] : [],
  );
  addRange('sequence', sequences);
  addRange('ticket', tickets);
  return json;
}

export const accountInfo: Command = {
  name: 'account_info',
  run(params, { network, apiVersion }) {
    const chosen = chooseAccount(params, network, { ident: true, describesRequest: true });
    const { view, root, id, members } = chosen;
    if (looseBoolean(params, 'queue') && chosen.closed !== undefined)
      throw new RpcError('invalidParams', undefined, members);
    if (apiVersion > 1 && params.signer_lists !== undefined && typeof params.signer_lists !== 'boolean')
      throw new RpcError('invalidParams', undefined, members);
    const flags = root.Flags ?? 0;
    const named: JsonObject = {};
    for (const [name, flag] of FLAGS) named[name] = (flags & flag) !== 0;
    for (const [name, flag, amendment] of AMENDED_FLAGS)
      if (view.rules.enabled(amendment)) named[name] = (flags & flag) !== 0;
    const data = rootJson(root);
    const answer: JsonObject = { account_data: data, account_flags: named, ...members };
    const pseudo = PSEUDO_FIELDS.find((field) => root[field] !== undefined);
    if (pseudo !== undefined) answer.pseudo_account = { type: pseudo.slice(0, -2) };
    if (looseBoolean(params, 'queue')) answer.queue_data = queueData(network.queue.of(id));
    if (looseBoolean(params, 'signer_lists')) {
      const list = view.read(keylets.signerList(id));
      const lists: Json[] = list === undefined ? [] : [entryJson(list)];
      if (apiVersion === 1) data.signer_lists = lists;
      else answer.signer_lists = lists;
    }
    return answer;
  },
};
