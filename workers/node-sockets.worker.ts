/** Worker thread: holds the sockets to nodes, and packs the ledgers that come over them. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Limits } from '../engine/ledger/limits.ts';
import { NodeConnections } from './node-connections.ts';
import type { ToSockets } from './node-sockets.ts';

const port = parentPort!;
const connections = new NodeConnections(workerData as Limits, (items) => port.postMessage(items));
port.on('message', (items: readonly ToSockets[]) => connections.run(items));
