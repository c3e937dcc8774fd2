/** The program as a child process, for suites that measure it from outside. */
import { join } from 'node:path';

const PORT_LINE = /"url":"(http:\/\/[^"]+)"/;
const PROGRAM = join(import.meta.dir, '..', 'service', 'main.ts');

export interface ServiceChild {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves when it listens, on a free port. @throws Error when it ends before. */
export async function startService(options: readonly string[]): Promise<ServiceChild> {
  const child = Bun.spawn([process.execPath, PROGRAM, '--port=0', ...options], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  try {
    return { url: await addressOf(child.stdout), pid: child.pid, stop };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** The service prints its address when it listens. Later output is read and ignored. */
async function addressOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the service ended before it listened: ${text}`);
    text += decoder.decode(value, { stream: true });
    const url = PORT_LINE.exec(text)?.[1];
    if (!url) continue;
    void (async () => {
      while (!(await reader.read()).done);
    })();
    return url;
  }
}
