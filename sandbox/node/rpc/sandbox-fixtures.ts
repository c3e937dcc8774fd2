/** `sandbox_fixtures`: the accounts and tokens of this network, with the ground truth of its scenarios. Not in rippled. */
import type { Command } from './command.ts';
import { RpcError } from './errors.ts';

export const sandboxFixtures: Command = {
  name: 'sandbox_fixtures',
  admin: true,
  run(_params, { network }) {
    const fixtures = network.fixtures;
    if (fixtures === undefined) throw new RpcError('notSupported');
    return fixtures();
  },
};
