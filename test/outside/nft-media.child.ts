/** Fetches one NFT into a store, says so, and waits to be killed: `nft-media.child.ts DIR URI`. */
import { MediaRig } from './nft-media-rig.ts';

const [dir = '', uri = ''] = process.argv.slice(2);
const rig = await new MediaRig({ dir }).open();
await rig.ask(rig.mint(uri));
console.log(rig.media.content('1')?.imageHash);
setInterval(() => {}, 1_000);
