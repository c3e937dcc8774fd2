/** Killed at any moment (SIGKILL), the embedded network continues from a complete ledger, and loses none that it has reported. */
import { expect, test } from 'bun:test';
import { openSandboxStore } from '../../data/sandbox-store.ts';
import { hexOf } from '../../engine/codec/bytes.ts';
import { prove } from '../../engine/ledger/proof.ts';
import { NetworkRig, stateRoot } from '../sandbox/node/network-rig.ts';
import { linesUntilKilled, temporaryDir } from './tools.ts';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));

/** Runs the child and kills it some time after its first ledger. @returns its complete lines */
async function killed(dir: string, afterMs: number, commitEvery: number): Promise<string[]> {
  return linesUntilKilled('sandbox-crash.child.ts', [dir, String(commitEvery)], afterMs);
}

test(`kill -9 leaves a complete ledger (seed ${seed})`, async () => {
  const { dir, remove } = temporaryDir();
  let random = seed;
  try {
    for (const commitEvery of [1, 1, 8, 8]) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      const reported = await killed(dir, 20 + ((random >>> 16) % 150), commitEvery);
      const store = openSandboxStore({ dir, network: 7 });
      const { network } = new NetworkRig({ store });
      const head = network.validated;
      expect(hexOf(head.header.accountHash)).toBe(stateRoot(head));
      const [index, hash] = reported.at(-1)!.split(' ') as [string, string];
      expect(head.index).toBeGreaterThanOrEqual(Number(index));
      expect(store.ledgerIndexOf(hash)).toBe(Number(index));
      for (let at = head.index; at > 1; at--) {
        const ledger = network.ledgers.byIndex(at)!;
        expect(prove(ledger.packed())).toBeUndefined();
        expect(network.ledgers.byIndex(at - 1)!.hash).toBe(hexOf(ledger.header.parentHash));
        for (const { hashText, index } of ledger.transactions)
          expect(store.transaction(hashText)).toEqual({ ledger: at, position: index });
      }
      await store.close();
    }
  } finally {
    remove();
  }
});
