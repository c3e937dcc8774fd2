/**
 * 500-byte frames to 5,000 sockets: our hub against `ws` on Node, in the same run, the server pinned to one core and
 * the clients to another. CPU is the server process's own (user + system) per delivered frame, so that other load
 * on the machine matters little; reach is frames delivered / frames due. Frames are sent when the previous ones have
 * arrived at all clients.
 *
 * Three loads measure different things. `gathered`: 16 frames per iteration of the event loop, as when a client follows
 * several topics or ledgers arrive fast; the hub passes a socket's frames to the kernel in one call, `ws` makes one call
 * per frame. This is the figure of the budget. `single`: one frame per iteration; then both sides make one call per
 * socket, which on loopback costs both 5 to 7 us of kernel time (including the receiver's TCP work), and only the user
 * part differs. `paced`: 50,000 frames a second, as many as a ledger a second with ten frames for each socket, whether the
 * previous ones have arrived or not; its reach counts what has arrived a second after the last. Budgets are for `gathered`
 * and `paced`; all are printed. Run alone: `bun bench/fanout.ts`.
 */
import { join } from 'node:path';
import type { BudgetName, Figure } from './budgets.ts';
import { Child } from './child.ts';

const SOCKETS = Number(process.env.FANOUT_SOCKETS ?? 5000);
const FRAME_BYTES = 500;
interface Load {
  /** Per iteration of the event loop. */
  readonly frames: number;
  /** Measured ones. */
  readonly iterations: number;
  /** Between two iterations; absent: the next when all frames have arrived. */
  readonly everyMs?: number;
}
const LOADS = {
  single: { frames: 1, iterations: 20 },
  gathered: { frames: 16, iterations: 5 },
  paced: { frames: 10, iterations: 5, everyMs: 1_000 },
} as const satisfies Record<string, Load>;
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
    await publish(server, client, { frames: 4, iterations: 2 }); // warm
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
  const delivered = await publish(server, client, LOADS[name]);
  const after = await cpuOf(server);
  const due = frames * iterations * SOCKETS;
  const bytes = (after.bytes - before.bytes) / due;
  if (bytes !== FRAME_BYTES) throw new Error(`frames are of ${bytes} bytes, not ${FRAME_BYTES}`);
  const user = (after.user - before.user) / delivered;
  return { user, system: (after.system - before.system) / delivered, reach: delivered / due };
}

/** @returns frames delivered. */
async function publish(server: Child, client: Child, load: Load): Promise<number> {
  const { frames, iterations, everyMs } = load;
  client.send('reset');
  await client.receive('reset');
  let delivered = 0;
  const started = performance.now();
  for (let iteration = 1; iteration <= iterations; iteration++) {
    server.send(`publish ${frames}`);
    if (everyMs === undefined) delivered = await awaited(client, iteration * frames * SOCKETS);
    else await Bun.sleep(started + iteration * everyMs - performance.now());
  }
  // The last pause was the time that the last frames have.
  return everyMs === undefined ? delivered : awaited(client, iterations * frames * SOCKETS, 0);
}

async function awaited(client: Child, frames: number, ms = DELIVERY_MS): Promise<number> {
  client.send(`await ${frames} ${ms}`);
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
      `ws ${us(ws.user)} + ${us(ws.system)}; ratio ${ratio(total)} in total, ${ratio((cost) => cost.user)} user; reach ${hub.reach} and ${ws.reach}`,
  );
}
function cpuFigure(name: BudgetName, load: LoadName): Figure {
  const [hub, ws] = [total(best(ours, load)), total(best(theirs, load))];
  return { name, value: hub / ws, ours: us(hub), other: us(ws) };
}

const reach = Math.min(...ours.flatMap((side) => LOAD_NAMES.map((name) => side[name].reach)));
const figures: Figure[] = [
  cpuFigure('fanout.cpu', 'gathered'),
  cpuFigure('fanout.paced', 'paced'),
  { name: 'fanout.reach', value: reach },
];
console.log(`figures ${JSON.stringify(figures)}`);
