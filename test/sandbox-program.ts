/** The whole program on the embedded network, as a child process, and what tests ask of it from outside. */
import { join, resolve } from 'node:path';
import { decode, encode } from 'ripple-binary-codec';
import { hashes } from 'xrpl';
import { bytesOf, hexOf } from '../engine/codec/bytes.ts';
import { sha512Half } from '../engine/codec/hash.ts';
import { TreeHasher } from '../engine/ledger/tree.ts';
import { withUsual } from './usual-flags.ts';

const PROGRAM = resolve(import.meta.dir, '..', 'service', 'main.ts');
const USUAL = ['--port=0', '--sandbox-port=0', '--sandbox-size=small', '--source=sandbox'];
const STATE_LEAF = Buffer.from('MLN\0');

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export type Answer = Record<string, any>;

export interface Program {
  /** Of the service: `http://127.0.0.1:3000` */
  readonly url: string;
  /** Of the network, for JSON-RPC: `http://127.0.0.1:6006` */
  readonly node: string;
  readonly pid: number;
  /** Log lines so far. */
  readonly log: readonly Answer[];
  readonly stderr: () => string;
  /** Asks it to stop. @returns the exit code */
  stop(): Promise<number>;
  /** kill -9 */
  kill(): Promise<void>;
}

const spawn = (dir: string, options: readonly string[]) =>
  Bun.spawn([process.execPath, PROGRAM, `--data=${dir}`, ...withUsual(USUAL, options)], {
    stdout: 'pipe',
    stderr: 'pipe',
  });

async function read(stream: ReadableStream<Uint8Array>, on: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const part of stream) on(decoder.decode(part, { stream: true }));
}

/** Resolves when the service serves every address and the network listens. @throws Error with what it printed when it ends before */
export async function startProgram(dir: string, ...options: readonly string[]): Promise<Program> {
  const child = spawn(dir, options);
  const log: Answer[] = [];
  const listens = Promise.withResolvers<{ url: string; node: string }>();
  let [rest, stderr] = ['', ''];
  const ended = Promise.all([
    read(child.stdout, (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      log.push(...lines.map((line) => JSON.parse(line) as Answer));
      const [url, node] = [
        log.find((line) => line.reference)?.url,
        log.find((line) => line.jsonRpc)?.jsonRpc,
      ];
      const isOpen = log.some((line) => line.sources);
      if (url && node && isOpen) listens.resolve({ url, node });
    }),
    read(child.stderr, (text) => {
      stderr += text;
    }),
  ]).then(() => listens.reject(new Error(`the program ended before it listened: ${stderr}`)));
  const { url, node } = await listens.promise;
  const end = async (signal: NodeJS.Signals): Promise<number> => {
    child.kill(signal);
    const code = await child.exited;
    await ended;
    return code;
  };
  return {
    url,
    node,
    pid: child.pid,
    log,
    stderr: () => stderr,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
  };
}

/** What a start that fails says on stderr, line by line, and its exit code. */
export async function failedStart(dir: string, ...options: readonly string[]) {
  const child = spawn(dir, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  const [, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  return { lines: stderr.trim().split('\n'), code };
}

/** kill -9 so many ms after its start, wherever it is then. */
export async function killedStart(ms: number, dir: string, ...options: readonly string[]): Promise<void> {
  const child = spawn(dir, options);
  const unread = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await Bun.sleep(ms);
  child.kill('SIGKILL');
  await child.exited;
  await unread;
}

/** JSON-RPC; the answer may be an error. */
export async function call(node: string, method: string, params: Answer = {}): Promise<Answer> {
  const response = await fetch(node, { method: 'POST', body: JSON.stringify({ method, params: [params] }) });
  return ((await response.json()) as Answer).result as Answer;
}

/** @throws Error when the answer is one */
export async function ask(node: string, method: string, params: Answer = {}): Promise<Answer> {
  const result = await call(node, method, params);
  if (result.status !== 'success') throw new Error(`${method}: ${JSON.stringify(result)}`);
  return result;
}

/** A page of the service; undefined where it has none. */
export async function page(program: Program, path: string): Promise<Answer | undefined> {
  const response = await fetch(program.url + path);
  const body = (await response.json()) as Answer;
  return response.ok ? body : undefined;
}

/** First and last ledger that the network reports. */
export async function held({ node }: Program): Promise<[number, number]> {
  const { info } = await ask(node, 'server_info');
  const [first, last] = (info.complete_ledgers as string).split('-').map(Number);
  return [first!, last ?? first!];
}

/** Asks again until there is an answer. @throws Error naming what did not come */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { ms = 120_000, every = 50 } = {},
): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > until) throw new Error(`in ${ms} ms there was not: ${what}`);
    await Bun.sleep(every);
  }
}

export const hashAt = async (node: string, index: number): Promise<string> =>
  (await ask(node, 'ledger', { ledger_index: index })).ledger_hash as string;

/** Root and number of the entries that `ledger_data` returns, every one of them through the reference codec. */
export async function stateOf(node: string, index: number): Promise<{ root: string; entries: number }> {
  const tree = new TreeHasher();
  let marker: string | undefined;
  do {
    const params = { ledger_index: index, binary: true, ...(marker ? { marker } : {}) };
    const page = await ask(node, 'ledger_data', params);
    for (const { data, index: key } of page.state as { data: string; index: string }[]) {
      const again = encode(decode(data));
      if (again !== data) throw new Error(`entry ${key} is not in canonical form: ${data}`);
      const leaf = sha512Half(STATE_LEAF, bytesOf(data), bytesOf(key));
      if (!tree.add(bytesOf(key), 0, leaf, 0)) throw new Error(`entry ${key} is out of order`);
    }
    marker = page.marker;
  } while (marker);
  const root = new Uint8Array(32);
  const entries = tree.count;
  tree.root(root);
  return { root: hexOf(root), entries };
}

/** Proves a ledger by the public library: header, and the tree of its transactions. @returns header and transactions */
export async function proved(node: string, index: number): Promise<Answer> {
  const { ledger } = await ask(node, 'ledger', { ledger_index: index });
  const expanded = { ledger_index: index, transactions: true, expand: true, binary: true };
  const { ledger: binary } = await ask(node, 'ledger', expanded);
  const transactions = (binary.transactions as { tx_blob: string; meta: string }[]).map(
    ({ tx_blob, meta }) => ({
      ...decode(tx_blob),
      hash: hashes.hashSignedTx(tx_blob),
      metaData: decode(meta),
    }),
  );
  const [header, tree] = [hashes.hashLedgerHeader(ledger), hashes.hashTxTree(transactions as never)];
  if (header !== ledger.ledger_hash || tree !== ledger.transaction_hash)
    throw new Error(`ledger ${index} hashes to ${header}, its transactions to ${tree}`);
  return { ...ledger, transactions };
}

export const networkFile = (dir: string): string => join(dir, 'sandbox', 'network', 'data.mdb');
