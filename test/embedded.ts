/** The embedded network with its people in this process, an engine that has followed it, and its node to compare with. */
import type { JsonObject } from '../engine/codec/json.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import type { ClosedLedger } from '../engine/sandbox/ledger/ledger.ts';
import { COMMANDS } from '../engine/sandbox/node/rpc/registry.ts';
import { World } from './engine/sandbox/population/world.ts';
import { quiet } from './live-rig.ts';
import { MemoryStore } from './memory-store.ts';

export interface Embedded {
  readonly world: World;
  readonly engine: Engine;
  readonly ledgers: readonly ClosedLedger[];
  /** What the node answers, API version 2. @throws RpcError */
  ask(command: string, params: JsonObject): JsonObject;
}

/** A network of so many ledgers, and an engine that has applied all of them. */
export async function embedded(ledgers: number, seed = 'reads'): Promise<Embedded> {
  const world = new World({ seed });
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  const closed: ClosedLedger[] = [];
  const take = async (ledger: ClosedLedger): Promise<void> => {
    const packed = ledger.packed();
    const answer = prepare(packed.bytes, false);
    if ('fault' in answer) throw new Error(`ledger ${ledger.index} does not prove: ${answer.fault}`);
    await engine.applyLedger(prepared(packed, answer), true);
    closed.push(ledger);
  };
  await take(world.network.closed);
  while (closed.length < ledgers) await take(world.step());
  await engine.drain();
  world.flush();
  const context = {
    network: world.network,
    node: { startedAt: 0, manual: true, entropy: () => new Uint8Array(16), publicKey: '00', port: () => 0 },
    apiVersion: 2,
    admin: true,
    onFault: (fault: unknown) => {
      throw fault;
    },
  } as const;
  return {
    world,
    engine,
    ledgers: closed,
    ask: (command, params) => COMMANDS.get(command)!.run(params, context) as JsonObject,
  };
}
