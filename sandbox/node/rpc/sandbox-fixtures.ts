/** `sandbox_fixtures`: who and what is to be found on this network, with the truth of its scenarios. Of our own. */
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
