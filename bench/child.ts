/** Child processes of benchmarks. The protocol is lines on stdin and stdout: one word and its arguments per line. */
import { availableParallelism } from 'node:os';

export interface ChildOptions {
  /** Core to pin the process to, if the machine has it and `taskset` is installed. */
  readonly core?: number;
}

export class Child {
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
  readonly #lines: AsyncIterator<string>;

  /** Raises the open-file limit as far as allowed. */
  constructor(command: readonly string[], { core }: ChildOptions = {}) {
    const pin = core !== undefined && core < availableParallelism() && Bun.which('taskset');
    const words = [...(pin ? [pin, '-c', String(core)] : []), ...command];
    const script = 'ulimit -n "$(ulimit -Hn)" 2>/dev/null; exec "$@"';
    this.#process = Bun.spawn(['sh', '-c', script, 'sh', ...words], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    this.#lines = linesOf(this.#process.stdout);
  }

  get pid(): number {
    return this.#process.pid;
  }

  send(line: string): void {
    this.#process.stdin.write(`${line}\n`);
    this.#process.stdin.flush();
  }

  /** The rest of the next line that begins with `word`. @throws Error when it does not arrive in time. */
  async receive(word: string, ms = 60_000): Promise<string> {
    const late = new Error(`no "${word}" from a child process in ${ms} ms`);
    for (;;) {
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(late), ms);
      const { value, done } = await Promise.race([this.#lines.next(), timeout]).finally(() =>
        clearTimeout(timer),
      );
      if (done) throw new Error(`a child process ended before it sent "${word}"`);
      if (value === word || value.startsWith(`${word} `)) return value.slice(word.length + 1);
    }
  }

  async end(): Promise<void> {
    this.#process.kill();
    await this.#process.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop()!;
    yield* parts;
  }
  return undefined;
}
