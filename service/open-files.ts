/** How many files the process may have open, and how many it needs. */
import { readFileSync } from 'node:fs';

/** Stores, threads, connections to nodes, beside a file for each socket: with room for pictures that are fetched and drawn. */
export const FILES_BESIDE = 500;
/** One network with its threads takes some 45, two some 60; a thread that cannot open its files ends the process by a signal. */
const FILES_LEAST = 100;

/** Files that this process may have open; undefined where the system does not say. */
export function fileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

/** @throws Error with one line, where they are too few to start */
export function checkFileLimit(limit = fileLimit()): void {
  if (limit !== undefined && limit < FILES_LEAST)
    throw new Error(
      `this process may have ${limit} files open, and needs ${FILES_LEAST} beside one for each connection: raise the ` +
        'limit (ulimit -n, or LimitNOFILE= of a systemd unit)',
    );
}
