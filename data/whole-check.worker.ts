/** The thread that checks a copy of a store. */
import { workerData } from 'node:worker_threads';
import { replyWith } from './check-reply.ts';
import { CHECKS, type ToCheckWhole } from './whole-check.ts';

const { dir, kind } = workerData as ToCheckWhole;

await replyWith(dir, () => CHECKS[kind](dir));
