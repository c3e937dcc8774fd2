/**
 * The tool protocol against REST and against bytes that are ready, measured as in http.ts: requests per second of the
 * server's CPU time. `bun bench/mcp.ts`.
 *
 *     mcp.token   tools/call get_token        against   GET /v1/token/{id}, the same tokens, the same service
 *     mcp.list    tools/list, first page      against   a Bun.serve that sends its bytes
 */
import { relaidChain } from '../support/chain.ts';
import { corpusDir } from '../support/corpus.ts';
import type { Figure } from './budgets.ts';
import { againstStatic, type HttpRig, LEDGERS, measure, median, TRANSACTIONS, withService } from './http.ts';

const ROUNDS = 5;
const ROUND_MS = 1000;

/** A message as the load sends it. */
const message = (method: string, params: object): string =>
  `/mcp#${Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).toString('base64')}`;

async function againstRest({ client, ours, url }: HttpRig): Promise<Figure> {
  const { tokens } = (await (await fetch(`${url}/v1/tokens?limit=100`)).json()) as {
    tokens: { md5: string }[];
  };
  const ids = tokens.map(({ md5 }) => md5);
  const rest = ids.map((md5) => `/v1/token/${md5}`);
  const calls = ids.map((id) => message('tools/call', { name: 'get_token', arguments: { id } }));
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

const run = (): Promise<Figure[]> =>
  withService(
    [...relaidChain({ ledgers: LEDGERS, transactionsPerLedger: TRANSACTIONS })],
    LEDGERS,
    async (rig) => [
      await againstRest(rig),
      await againstStatic(rig, 'mcp.list', [message('tools/list', {})], ROUNDS),
    ],
  );

if (corpusDir) console.log(`figures ${JSON.stringify(await run())}`);
else console.log('recorded ledgers not found next to the checkout: nothing to measure');
