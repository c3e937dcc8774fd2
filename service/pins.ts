/** The IPFS node at which media of NFTs is kept, as the options say. */
import { IpfsNode } from '../outside/ipfs-node.ts';
import { Pins } from '../platform/pins.ts';
import type { Options } from './options.ts';

/** undefined: none is configured. @param opened gets the way to close them */
export function pinsOf({ ipfsNode }: Options, opened: AsyncDisposableStack): Pins | undefined {
  if (ipfsNode === '') return undefined;
  const pins = new Pins({ node: new IpfsNode(ipfsNode), now: Date.now });
  opened.defer(() => pins.close());
  return pins;
}
