/**
 * Started by sandbox-crash.test.ts: closes ledgers as fast as it can until it is killed, printing the hash of each that
 * a listener hears of.
 */
import { openSandboxStore } from '../../data/sandbox-store.ts';
import { NetworkRig } from '../sandbox/node/network-rig.ts';

const rig = new NetworkRig({ store: openSandboxStore({ dir: process.argv[2]!, network: 7 }) });
rig.time = rig.network.validated.closeTime;
const [ann, ben] = rig.fund(['ann', 'ben']);
rig.network.ledgers.commitEvery = Number(process.argv[3]);
rig.network.on('ledger', ({ index, hash }) => process.stdout.write(`${index} ${hash}\n`));
for (let round = 0; ; round++) {
  rig.submit(round % 2 ? ann! : ben!, {
    TransactionType: 'Payment',
    Destination: (round % 2 ? ben! : ann!).address,
    Amount: '1000',
  });
  rig.close();
}
