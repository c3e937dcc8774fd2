/**
 * 500-byte frames to 5,000 sockets: our hub against `ws` on Node, in the same run, the server pinned to one core and
 * the clients to another. CPU is the server process's own (user + system) a frame delivered, so that what else runs
 * on the machine matters little; reach is frames delivered / frames due. Frames go out when those before have
 * arrived everywhere.
 *
 * Two loads, since they say different things. `gathered`: 16 frames a turn of the loop, as when a reader follows
 * several topics or ledgers come fast; the hub hands a socket's frames to the kernel in one call, `ws` makes a call
 * for each. This is the budget's figure. `single`: one frame a turn; then both sides make one call a socket, which
 * on loopback costs 5 to 7 us of kernel time (it does the receiver's TCP work as well) whoever makes it, and only
 * the user part tells the two apart. Both are printed. Run alone: `bun bench/fanout.ts`.
 */
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';

const SOCKETS = Number(process.env.FANOUT_SOCKETS ?? 5000);
const FRAME_BYTES = 500;
/** Frames a turn, and turns measured. */
const LOADS = { single: { frames: 1, turns: 20 }, gathered: { frames: 16, turns: 5 } } as const;
type LoadName = keyof typeof LOADS;
const LOAD_NAMES = Object.keys(LOADS) as LoadName[];
/** Rounds of each side; the best counts: noise only ever costs. */
const ROUNDS = 2;
/** The longest a turn's frames may take to reach everyone. */
const TURN_MS = 20_000;

/** us of CPU a delivered frame. */
interface Cost {
  readonly user: number;
  readonly system: number;
  readonly reach: number;
}

type Side = Record<LoadName, Cost>;

async function measure(command: readonly string[]): Promise<Side> {
  const server = new Child([...command, String(FRAME_BYTES)], { core: 0 });
  const client = new Child([process.execPath, peer('load-client.ts')], { core: 1 });
  try {
    const [port, path] = (await server.hear('port')).split(' ');
    client.tell(`open ${SOCKETS} ws://127.0.0.1:${port}${path}`);
    await client.hear('opened', 120_000);
    await awaited(client, SOCKETS);
    await publish(server, client, 4, 2); // warm
    const side: Partial<Side> = {};
    for (const name of LOAD_NAMES) side[name] = await cost(server, client, name);
    return side as Side;
  } finally {
    await Promise.all([server.end(), client.end()]);
  }
}

async function cost(server: Child, client: Child, name: LoadName): Promise<Cost> {
  const { frames, turns } = LOADS[name];
  const before = await cpuOf(server);
  const delivered = await publish(server, client, frames, turns);
  const after = await cpuOf(server);
  const due = frames * turns * SOCKETS;
  const bytes = (after.bytes - before.bytes) / due;
  if (bytes !== FRAME_BYTES) throw new Error(`frames are of ${bytes} bytes, not ${FRAME_BYTES}`);
  const user = (after.user - before.user) / delivered;
  return { user, system: (after.system - before.system) / delivered, reach: delivered / due };
}

/** @returns frames delivered. */
async function publish(server: Child, client: Child, frames: number, turns: number): Promise<number> {
  client.tell('reset');
  await client.hear('reset');
  let delivered = 0;
  for (let turn = 1; turn <= turns; turn++) {
    server.tell(`publish ${frames}`);
    delivered = await awaited(client, turn * frames * SOCKETS);
  }
  return delivered;
}

async function awaited(client: Child, frames: number): Promise<number> {
  client.tell(`await ${frames} ${TURN_MS}`);
  return Number(await client.hear('got', TURN_MS * 2));
}

async function cpuOf(server: Child) {
  server.tell('cpu');
  const [user, system, bytes] = (await server.hear('cpu')).split(' ').map(Number) as [number, number, number];
  return { user, system, bytes };
}

function peer(name: string): string {
  return join(import.meta.dir, 'peers', name);
}

/** The cheapest round of a load. */
function best(sides: readonly Side[], name: LoadName): Cost {
  return sides.map((side) => side[name]).reduce((a, b) => (total(b) < total(a) ? b : a));
}

const total = ({ user, system }: Cost) => user + system;
const us = (value: number) => `${value.toFixed(2)} us`;

const ours: Side[] = [];
const theirs: Side[] = [];
for (let round = 0; round < ROUNDS; round++) {
  ours.push(await measure([process.execPath, peer('fanout-hub.ts')]));
  theirs.push(await measure(['node', peer('fanout-ws.mjs')]));
}
for (const name of LOAD_NAMES) {
  const [hub, ws] = [best(ours, name), best(theirs, name)];
  const ratio = (of: (cost: Cost) => number) => (of(hub) / of(ws)).toFixed(3);
  console.log(
    `${name}, ${LOADS[name].frames} a turn: hub ${us(hub.user)} user + ${us(hub.system)} system, ` +
      `ws ${us(ws.user)} + ${us(ws.system)}; ratio ${ratio(total)} in all, ${ratio((cost) => cost.user)} user`,
  );
}
const [hub, ws] = [best(ours, 'gathered'), best(theirs, 'gathered')];
const reach = Math.min(...ours.flatMap((side) => LOAD_NAMES.map((name) => side[name].reach)));
const figures: Figure[] = [
  { name: 'fanout.cpu', value: total(hub) / total(ws), ours: us(total(hub)), other: us(total(ws)) },
  { name: 'fanout.reach', value: reach },
];
console.log(`figures ${JSON.stringify(figures)}`);
