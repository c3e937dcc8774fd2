/**
 * 500-byte frames to 5,000 sockets: our hub against `ws` on Node, in the same run, the server pinned to one core and
 * the clients to another. CPU is the server process's own (user + system) per delivered frame, so that other load
 * on the machine matters little; reach is frames delivered / frames due. Frames are sent when the previous ones have
 * arrived at all clients.
 *
 * Two loads measure different things. `gathered`: 16 frames per iteration of the event loop, as when a client follows
 * several topics or ledgers arrive fast; the hub passes a socket's frames to the kernel in one call, `ws` makes one call
 * per frame. This is the figure of the budget. `single`: one frame per iteration; then both sides make one call per
 * socket, which on loopback costs both 5 to 7 us of kernel time (including the receiver's TCP work), and only the user
 * part differs. Both are printed. Run alone: `bun bench/fanout.ts`.
 */
import { join } from 'node:path';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';

const SOCKETS = Number(process.env.FANOUT_SOCKETS ?? 5000);
const FRAME_BYTES = 500;
/** Frames per iteration of the event loop, and measured iterations. */
const LOADS = { single: { frames: 1, iterations: 20 }, gathered: { frames: 16, iterations: 5 } } as const;
type LoadName = keyof typeof LOADS;
const LOAD_NAMES = Object.keys(LOADS) as LoadName[];
/** Rounds of each side; the best counts: other load can only add time. */
const ROUNDS = 2;
/** Maximum time for the frames of one iteration to reach all clients. */
const DELIVERY_MS = 20_000;

/** us of CPU per delivered frame. */
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
    const [port, path] = (await server.receive('port')).split(' ');
    client.send(`open ${SOCKETS} ws://127.0.0.1:${port}${path}`);
    await client.receive('opened', 120_000);
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
  const { frames, iterations } = LOADS[name];
  const before = await cpuOf(server);
  const delivered = await publish(server, client, frames, iterations);
  const after = await cpuOf(server);
  const due = frames * iterations * SOCKETS;
  const bytes = (after.bytes - before.bytes) / due;
  if (bytes !== FRAME_BYTES) throw new Error(`frames are of ${bytes} bytes, not ${FRAME_BYTES}`);
  const user = (after.user - before.user) / delivered;
  return { user, system: (after.system - before.system) / delivered, reach: delivered / due };
}

/** @returns frames delivered. */
async function publish(server: Child, client: Child, frames: number, iterations: number): Promise<number> {
  client.send('reset');
  await client.receive('reset');
  let delivered = 0;
  for (let iteration = 1; iteration <= iterations; iteration++) {
    server.send(`publish ${frames}`);
    delivered = await awaited(client, iteration * frames * SOCKETS);
  }
  return delivered;
}

async function awaited(client: Child, frames: number): Promise<number> {
  client.send(`await ${frames} ${DELIVERY_MS}`);
  return Number(await client.receive('got', DELIVERY_MS * 2));
}

async function cpuOf(server: Child) {
  server.send('cpu');
  const [user, system, bytes] = (await server.receive('cpu')).split(' ').map(Number) as [
    number,
    number,
    number,
  ];
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
    `${name}, ${LOADS[name].frames} per iteration: hub ${us(hub.user)} user + ${us(hub.system)} system, ` +
      `ws ${us(ws.user)} + ${us(ws.system)}; ratio ${ratio(total)} in total, ${ratio((cost) => cost.user)} user`,
  );
}
const [hub, ws] = [best(ours, 'gathered'), best(theirs, 'gathered')];
const reach = Math.min(...ours.flatMap((side) => LOAD_NAMES.map((name) => side[name].reach)));
const figures: Figure[] = [
  { name: 'fanout.cpu', value: total(hub) / total(ws), ours: us(total(hub)), other: us(total(ws)) },
  { name: 'fanout.reach', value: reach },
];
console.log(`figures ${JSON.stringify(figures)}`);
