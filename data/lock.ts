/**
 * One writing process a directory. The lock is a file that names its holder; a holder that died without removing it
 * (kill -9, power loss) is recognised by its process id and the start time of that process, so a process id that is
 * used again, as in containers where the program is always number 1, does not block the store.
 *
 * Its purpose is a clear error message. If two writers are active anyway, the data stays consistent because each writer
 * compares the stored cursor with the one it knows, inside its transaction.
 */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError, storeError } from './errors.ts';

export const LOCK_FILE = 'millrace.lock';

interface Holder {
  readonly pid: number;
  /** Start of the process as the system reports it; empty where it does not. */
  readonly started: string;
}

/** A held lock. */
export interface Lock {
  release(): void;
}

/** @throws StoreError locked, read-only, disk-full */
export function lock(dir: string): Lock {
  const path = join(dir, LOCK_FILE);
  const own: Holder = { pid: process.pid, started: startOf(process.pid) };
  const mine = `${path}.${process.pid}`;
  try {
    writeFileSync(mine, JSON.stringify(own));
    // Creating a link is atomic; the second attempt follows the removal of a dead holder's file.
    for (let attempt = 0; attempt < 2; attempt++) {
      if (tryLink(mine, path)) return { release: () => release(path, own) };
      const holder = readHolder(path);
      if (holder && isAlive(holder)) {
        const who = holder.pid === process.pid ? 'this process' : `process ${holder.pid}`;
        throw new StoreError('locked', `${dir}: in use by ${who}. Stop it first`);
      }
      rmSync(path, { force: true });
    }
    throw new StoreError('locked', `${dir}: another process is opening it at this moment. Try again`);
  } catch (error) {
    throw storeError(error, dir);
  } finally {
    remove(mine);
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function release(path: string, own: Holder): void {
  const holder = readHolder(path);
  if (holder?.pid !== own.pid || holder.started !== own.started) return;
  remove(path);
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A file that cannot be removed is stale as soon as this process has ended.
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Partial<Holder>;
    return typeof holder.pid === 'number' ? { pid: holder.pid, started: holder.started ?? '' } : undefined;
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return started === startOf(pid);
}

/** Boot id, and the start of a process in clock ticks since boot, where /proc has them. */
function startOf(pid: number): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Field 3 is the state: a zombie has no locks any more.
    return fields[0] === 'Z' ? 'ended' : `${boot}/${fields[19]}`;
  } catch {
    return '';
  }
}
