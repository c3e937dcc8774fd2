/** Runs the service as a container or a unit does: its own command, environment and folder, and a signal to stop. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Started {
  readonly url: string;
  /** Of the service itself, as this process sees it. */
  readonly pid: number;
  /** The number that it has in its own namespace. */
  readonly ownPid: number;
  readonly uid: number;
  /** Sends the signal. @returns the exit code, and what was logged until the end */
  stop(signal: NodeJS.Signals): Promise<{ code: number; log: string }>;
}

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Before the command: what makes it the first process of a namespace, or another user. */
  readonly within?: readonly string[];
}

/** @throws Error with what it printed, when it ends before it listens */
export async function startCommand({ argv, cwd, env, within = [] }: Command): Promise<Started> {
  const child = Bun.spawn([...within, ...argv], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let log = '';
  const listens = Promise.withResolvers<string>();
  const ended = Promise.all(
    [child.stdout, child.stderr].map(async (stream) => {
      const decoder = new TextDecoder();
      for await (const part of stream) {
        log += decoder.decode(part, { stream: true });
        const [, url] = /"url":"([^"]+)"/.exec(log) ?? [];
        if (url !== undefined) listens.resolve(url);
      }
    }),
  ).then(() => listens.reject(new Error(`it ended before it listened: ${log}`)));
  const url = await listens.promise;
  const pid = within.length > 0 ? innermost(child.pid) : child.pid;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1]?.split(/\s+/) ?? [];
  return {
    url,
    pid,
    ownPid: Number(field('NSpid').at(-1)),
    uid: Number(field('Uid')[0]),
    stop: async (signal) => {
      process.kill(pid, signal);
      const code = await child.exited;
      await ended;
      return { code, log };
    },
  };
}

/** The last in the chain of only children. */
function innermost(pid: number): number {
  const tasks = join('/proc', String(pid), 'task');
  const children = readdirSync(tasks).flatMap((task) =>
    readFileSync(join(tasks, task, 'children'), 'utf8')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );
  const isOurs = (child: number) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('service/main.ts');
  const next = children.find(isOurs);
  return next === undefined || !readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('unshare')
    ? pid
    : innermost(next);
}
