/** The embedded network in this process and an engine that follows it, for tests of who moved what. */
import { Engine } from '../engine/engine.ts';
import { prepare, prepared } from '../engine/ledger/prepare.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { quiet } from './live-rig.ts';
import { World } from './sandbox/population/world.ts';

export interface Followed {
  readonly world: World;
  readonly store: MemoryStore;
  engine: Engine;
}

/** @param seed of the population */
export function follow(seed: string): Followed {
  const store = new MemoryStore();
  return { world: new World({ seed }), store, engine: new Engine({ store, log: quiet }) };
}

/** Goes on for so long. @param step seconds between ledgers. @param onLedger after each */
export async function pass(
  followed: Followed,
  seconds: number,
  step: number,
  onLedger: (engine: Engine) => void = () => {},
): Promise<void> {
  const { world, engine } = followed;
  const end = world.network.closed.closeTime + seconds;
  while (world.network.closed.closeTime < end) {
    const packed = world.step(step).packed();
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
    onLedger(engine);
  }
  await engine.drain();
}

/** Goes on with what is durable. */
export function restart(followed: Followed): void {
  followed.engine = new Engine({ store: followed.store, log: quiet });
  followed.engine.restore();
}

/** What every account holds of a token: exact text by r-address; nothing is absent. */
export function balancesOf({ state }: Engine, token: number): Map<string, string> {
  const { lines, accounts, tokens } = state;
  const held = Array.from(lines.holders(token), (line): [string, string] => [
    accounts.text(lines.holderAccount(line, token)),
    tokens.text(token, ...lines.balanceRaw(line, token)),
  ]);
  return new Map(held.filter(([, balance]) => balance !== '0' && !balance.startsWith('-')));
}
