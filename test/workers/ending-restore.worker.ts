/** A thread that ends as soon as it is asked for anything. */
import { parentPort } from 'node:worker_threads';

parentPort!.on('message', () => process.exit(1));
