/** `feature`: the amendments the node knows, and which of them are enabled (rippled `Feature1.cpp`). */
import type { JsonObject } from '../../../engine/codec/json.ts';
import { AMENDMENTS, type Amendment, amendmentOf, type Rules } from '../../protocol/amendments.ts';
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';

function row({ name, retired, built }: Amendment, rules: Rules, admin: boolean): JsonObject {
  const enabled = rules.enabled(name);
  return {
    enabled,
    name,
    supported: built,
    // There is no voting here: what is not enabled is vetoed.
    ...(enabled || !admin ? {} : { vetoed: retired ? 'Obsolete' : true }),
  };
}

export const feature: Command = {
  name: 'feature',
  run({ feature: named, vetoed }, { network, admin }) {
    const { rules } = network.validated;
    if (named === undefined)
      return {
        features: Object.fromEntries(AMENDMENTS.map((each) => [each.id, row(each, rules, admin)])),
      };
    if (typeof named !== 'string') throw new RpcError('invalidParams');
    const found = amendmentOf(named);
    if (found === undefined) throw new RpcError('badFeature');
    if (vetoed !== undefined) throw new RpcError('notSupported', 'A network of one node takes no votes.');
    return { [found.id]: row(found, rules, admin) };
  },
};
