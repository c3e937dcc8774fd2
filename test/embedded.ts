/** The embedded network in this process, an engine that follows it, and its node to compare with. */
import type { JsonObject } from '../engine/codec/json.ts';
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import type { ClosedLedger } from '../sandbox/ledger/ledger.ts';
import type { Network } from '../sandbox/node/network.ts';
import { COMMANDS } from '../sandbox/node/rpc/registry.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { quiet } from './live-rig.ts';
import { World } from './sandbox/population/world.ts';

export interface Embedded {
  readonly engine: Engine;
  readonly ledgers: readonly ClosedLedger[];
  readonly ask: Ask;
}

/** What the node answers, API version 2. @throws RpcError */
export type Ask = (command: string, params: JsonObject) => JsonObject;

/** A network with a population and so many ledgers, and an engine that has applied all of them. */
export async function embedded(ledgers: number, seed = 'reads'): Promise<Embedded> {
  const world = new World({ seed });
  const { network } = world;
  const closed = [network.closed];
  while (closed.length < ledgers) closed.push(world.step());
  const engine = await engineOf(closed);
  world.flush();
  return { engine, ledgers: closed, ask: askerOf(network) };
}

/** An engine that has applied these ledgers. */
export async function engineOf(ledgers: readonly ClosedLedger[]): Promise<Engine> {
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const ledger of ledgers) {
    const packed = ledger.packed();
    const answer = prepare(packed.bytes, false);
    if ('fault' in answer) throw new Error(`ledger ${ledger.index} does not prove: ${answer.fault}`);
    await engine.applyLedger(prepared(packed, answer), true);
  }
  await engine.drain();
  return engine;
}

/** Runs commands of a network's node. @param admin false: as a public node answers, which has bounds for pages */
export function askerOf(network: Network, admin = true): Ask {
  const context = {
    network,
    node: { startedAt: 0, manual: true, entropy: () => new Uint8Array(16), publicKey: '00', port: () => 0 },
    apiVersion: 2,
    admin,
    onFault: (fault: unknown) => {
      throw fault;
    },
  } as const;
  return (command, params) => COMMANDS.get(command)!.run(params, context) as JsonObject;
}
