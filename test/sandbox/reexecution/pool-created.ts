/**
 * AMMCreate: the new pool's address follows from the parent ledger's hash, which is not recorded. Hashes are tried until
 * the address sorts among the others as the recorded one (lines name the lower account first); then the nodes are
 * compared with both addresses made the same, and without the keys that follow from them.
 */

import { accountOf, addressOf } from '../../../engine/codec/arithmetic/amount.ts';
import type { AccountId, Hex } from '../../../engine/codec/arithmetic/asset.ts';
import type { Rules } from '../../../sandbox/protocol/amendments.ts';
import { fromJson, toJson } from '../../../sandbox/protocol/encode.ts';
import type { Before } from './before.ts';
import { sorted } from './differences.ts';
import { type Changed, execute } from './execute.ts';
import { type Json, nodesOf } from './recorded.ts';

const TRIES = 200;

function poolIn(meta: Json): AccountId | undefined {
  const created = nodesOf(meta).find(({ kind, type }) => kind === 'CreatedNode' && type === 'AMM');
  return created?.after?.Account;
}

/** As `differences`. */
export function differencesOfCreated(state: Before, rules: Rules, changed: Changed): string[] {
  const { meta, tx, result } = state.recorded;
  const was = poolIn(meta)!;
  const others = [tx.Account, ...[tx.Amount, tx.Amount2].map((amount) => (amount as Json).issuer)].flatMap(
    (address) => (typeof address === 'string' ? accountOf(address)! : []),
  );
  const places = (id: AccountId): string => others.map((other) => id > other).join();
  for (let n = 1; n < TRIES; n += 1) {
    const parentHash: Hex = n.toString(16).toUpperCase().padStart(64, '0');
    const outcome = execute(state, rules, { ...changed, parentHash });
    if (outcome.result !== result) return [`result ${outcome.result}, recorded ${result}`];
    const made = toJson(outcome.metadata!) as Json;
    const pool = poolIn(made);
    if (pool === undefined || places(pool) !== places(was)) continue;
    const [wanted, found] = [nodeList(meta, was), nodeList(made, pool)];
    return wanted.flatMap((node, at) =>
      node === found[at] ? [] : [`recorded ${node}\n      made     ${found[at]}`],
    );
  }
  return ['no address in the same place'];
}

function nodeList(meta: Json, pool: AccountId): string[] {
  const renamed = JSON.parse(
    JSON.stringify(meta).replaceAll(addressOf(pool), addressOf('EF'.repeat(20))),
  ) as Json;
  const plain = (fields: unknown): unknown => {
    if (typeof fields !== 'object' || fields === null) return fields;
    const { RootIndex, ...rest } = toJson(fromJson(fields as never)) as Json;
    return sorted(rest);
  };
  return (renamed.AffectedNodes as Json[])
    .map((wrapped) => {
      const [kind, node] = Object.entries(wrapped)[0] as [string, Json];
      const parts = ['NewFields', 'FinalFields', 'PreviousFields'].map((name) => plain(node[name]));
      return JSON.stringify([kind, node.LedgerEntryType, node.PreviousTxnID, ...parts]);
    })
    .sort();
}
