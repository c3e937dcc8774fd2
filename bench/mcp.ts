/**
 * The tool protocol against REST, against bytes that are ready and against the official SDK, measured as in http.ts: requests
 * per second of the server's CPU time. `bun bench/mcp.ts`.
 *
 *     mcp.token      tools/call get_token        against   GET /v1/token/{id}, the same tokens, the same service
 *     mcp.overhead   the same: CPU time a call   against   the official SDK's server with the same tools and answers, which it
 *                    over that of a plain POST             has ready (peers/mcp-sdk-server.ts)
 *     mcp.list       tools/list, first page      against   a Bun.serve that sends its bytes
 */
import { join } from 'node:path';
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { Child } from './child.ts';
import { againstStatic, type HttpRig, LEDGERS, measure, median, TRANSACTIONS, withService } from './http.ts';

const ROUNDS = 5;
const ROUND_MS = 1000;

/** A message as the load sends it. */
const message = (method: string, params: object): string =>
  `/mcp#${Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).toString('base64')}`;

const tokenCall = (id: string): string => message('tools/call', { name: 'get_token', arguments: { id } });

async function tokenIds({ url }: HttpRig): Promise<string[]> {
  const { tokens } = (await (await fetch(`${url}/v1/tokens?limit=100`)).json()) as {
    tokens: { md5: string }[];
  };
  return tokens.map(({ md5 }) => md5);
}

async function againstRest({ client, ours }: HttpRig, ids: readonly string[]): Promise<Figure> {
  const rest = ids.map((md5) => `/v1/token/${md5}`);
  const calls = ids.map(tokenCall);
  for (const paths of [rest, calls]) await measure(client, ours, paths, ROUND_MS);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++)
    rounds.push({
      rest: (await measure(client, ours, rest, ROUND_MS)).perCpuSecond,
      tool: (await measure(client, ours, calls, ROUND_MS)).perCpuSecond,
    });
  return {
    name: 'mcp.token',
    value: median(rounds.map(({ rest, tool }) => tool / rest)),
    ours: `${Math.round(median(rounds.map(({ tool }) => tool)))}/s of a core`,
    other: `${Math.round(median(rounds.map(({ rest }) => rest)))}/s of a core`,
  };
}

/** CPU time a call beyond what an HTTP POST of the same answers takes. */
async function againstSdk({ client, ours, url }: HttpRig, ids: readonly string[]): Promise<Figure> {
  const sdk = new Child([process.execPath, join(import.meta.dir, 'peers/mcp-sdk-server.ts')], { core: 0 });
  try {
    const calls = ids.map(tokenCall);
    sdk.send(`copy ${url}/mcp ${calls.map((call) => call.split('#')[1]).join(' ')}`);
    const [tools, session] = (await sdk.receive('copied')).split(' ');
    client.send(`session ${session}`);
    const ports = (await sdk.receive('ports')).split(' ').map(Number);
    const sides = [ours, ...ports.map((port) => ({ process: sdk, port }))];
    const microseconds: number[][] = sides.map(() => []);
    for (let round = -1; round < ROUNDS; round++)
      for (const [at, side] of sides.entries()) {
        const { perCpuSecond } = await measure(client, side, calls, ROUND_MS);
        // The first round is for the compiler.
        if (round >= 0) microseconds[at]!.push(1e6 / perCpuSecond);
      }
    client.send('session -');
    const [own, kept, each, plain] = microseconds.map(median) as [number, number, number, number];
    console.log(
      `mcp.overhead: ${tools} tools; us a call: ${own.toFixed(1)}, SDK with a session ${kept.toFixed(1)}, ` +
        `SDK without ${each.toFixed(1)}, plain POST ${plain.toFixed(1)}`,
    );
    const ratios = microseconds[0]!.map(
      (us, round) => (us - microseconds[3]![round]!) / (microseconds[1]![round]! - microseconds[3]![round]!),
    );
    return {
      name: 'mcp.overhead',
      value: median(ratios),
      ours: `${(own - plain).toFixed(1)} us a call`,
      other: `${(kept - plain).toFixed(1)} us a call`,
    };
  } finally {
    await sdk.end();
  }
}

const run = (): Promise<Figure[]> =>
  withService(
    [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS })],
    LEDGERS,
    async (rig) => {
      const ids = await tokenIds(rig);
      return [
        await againstRest(rig, ids),
        await againstSdk(rig, ids),
        await againstStatic(rig, 'mcp.list', [message('tools/list', {})], ROUNDS),
      ];
    },
  );

if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
else console.log('recorded ledgers not found next to the checkout: nothing to measure');
