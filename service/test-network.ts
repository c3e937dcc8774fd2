/**
 * The network that `/testnet` shows (section 4.10 of the contract): one beside the main network, or the main one where that
 * is the embedded network, of which no second copy is made.
 *
 *     --source sandbox                     /testnet/...  -> the main network
 *     --source wss://a --testnet wss://b   /testnet/...  -> a network of its own, which has every other address and stream,
 *                                                           too, at /test-network/...
 *     --source wss://a                     /testnet/...  -> 503
 */
import { Mount } from '../views/mount.ts';
import type { NetworkPlan } from './mounted-networks.ts';
import { userPath } from './option-values.ts';
import type { Options } from './options.ts';

const PREFIX = '/test-network';

/** The second network that the options ask for; undefined: none. */
export function testNetworkPlan(options: Options): NetworkPlan | undefined {
  const { testnet, testnetNetwork, source, data } = options;
  if (testnet === undefined || (testnet.kind === 'sandbox' && source.kind === 'sandbox')) return undefined;
  return {
    prefix: PREFIX,
    options: { ...options, source: testnet, network: testnetNetwork, data: userPath(data, 'testnet') },
  };
}

/**
 * The mount whose network `/testnet` shows; one that stays closed where there is none.
 * @param mounts those of the plans, the first one's first
 */
export function testMountOf(plans: readonly NetworkPlan[], mounts: readonly Mount[]): Mount {
  const own = mounts.find(({ prefix }) => prefix === PREFIX);
  if (own) return own;
  if (plans[0]?.options.source.kind === 'sandbox') return mounts[0]!;
  const none = new Mount('');
  none.close('This service shows no test network: start it with --testnet sandbox, or the address of a node');
  return none;
}
