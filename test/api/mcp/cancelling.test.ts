/** Calls that nobody waits for any more end at the next route that they ask, and no others do. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { routes } from '../../../api/routes/index.ts';
import { RowRequests } from '../row-requests.ts';
import { post } from './served.ts';

const ACCOUNT_PAGE = '/account/tx/{account}';
/** Pages that a tool reads at most, ms for each. */
const PAGES = 20;
const PAGE_MS = 20;
const ACCOUNTS = ['rrrrrrrrrrrrrrrrrrrrrhoLvTp', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh'];

/** Pages that were asked for, by account. */
const asked = new Map<string, number>();
let server: ReturnType<typeof Bun.serve>;
let requests: RowRequests;

beforeAll(async () => {
  const slow = routes.map((row) =>
    row.path !== ACCOUNT_PAGE
      ? row
      : {
          ...row,
          cache: undefined,
          handler: async ({ account }: { account: string }) => {
            asked.set(account, (asked.get(account) ?? 0) + 1);
            await Bun.sleep(PAGE_MS);
            return { txs: [], marker: `${asked.get(account)}`, hasMore: true };
          },
        },
  );
  requests = new RowRequests({ routes: slow as never });
  await requests.open();
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => requests.api.fetch(request) });
});
afterAll(() => server.stop(true));
beforeEach(() => asked.clear());

const url = () => `http://127.0.0.1:${server.port}/mcp`;

const message = (id: number | string, account: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'describe_bot_activity', arguments: { account } },
});
const cancellation = (requestId: unknown) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, reason: 'no longer needed' },
});

const begun = async (account: string) => {
  for (let waited = 0; (asked.get(account) ?? 0) < 2; waited++) {
    if (waited > 1000) throw new Error(`${account} is not read`);
    await Bun.sleep(2);
  }
};

/** Pages of an account after so long that all would have been asked for. */
async function pagesInTheEnd(account: string): Promise<number> {
  await Bun.sleep(PAGES * PAGE_MS * 2);
  return asked.get(account)!;
}

/** Sends a call, and closes the connection once it runs. */
async function leave(sent: object, account: string, headers: Record<string, string> = {}): Promise<void> {
  const leaving = new AbortController();
  const init = { method: 'POST', body: JSON.stringify(sent), headers, signal: leaving.signal };
  const lost = fetch(url(), init).catch(() => undefined);
  await begun(account);
  leaving.abort();
  await lost;
}

test('a call whose client has gone ends, and that of another one goes on', async () => {
  const [left, other] = ACCOUNTS as [string, string];
  const kept = post(url(), message(2, other));
  await leave(message(1, left), left);
  expect(await pagesInTheEnd(left)).toBeLessThan(PAGES / 2);
  expect((await kept).body.result.isError).toBeUndefined();
  expect(asked.get(other)).toBe(PAGES);
});

test('so it does in the stateless era', async () => {
  const [account] = ACCOUNTS as [string];
  const { params, ...rest } = message(1, account);
  const version = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  await leave({ ...rest, params: { ...params, _meta } }, account, {
    'MCP-Protocol-Version': version,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': params.name,
  });
  expect(await pagesInTheEnd(account)).toBeLessThan(PAGES / 2);
});

test('a notification ends the request that it names, and no other', async () => {
  const [named, other] = ACCOUNTS as [string, string];
  const [one, two] = [post(url(), message('a', named)), post(url(), message('b', other))];
  await begun(named);
  expect((await post(url(), cancellation('a'))).status).toBe(202);
  expect((await one).body).toEqual({
    jsonrpc: '2.0',
    id: 'a',
    error: { code: -32000, message: 'The request was cancelled' },
  });
  expect(asked.get(named)).toBeLessThan(PAGES / 2);
  expect((await two).body.result.isError).toBeUndefined();
  expect(asked.get(other)).toBe(PAGES);
});

test.each([
  ['an id that is none', [message(5, ACCOUNTS[0]!)], ['5', null, { a: 1 }, 6], {}],
  ['another program', [message(5, ACCOUNTS[0]!)], [5], { 'User-Agent': 'another/1' }],
  ['an id of which two run', ACCOUNTS.map((account) => message(5, account)), [5], {}],
] as const)('a notification of %s ends nothing', async (_, sent, ids, headers) => {
  const running = sent.map((one) => post(url(), one));
  await Promise.all(sent.map(({ params }) => begun(params.arguments.account)));
  for (const id of ids) expect((await post(url(), cancellation(id), headers)).status).toBe(202);
  for (const { body } of await Promise.all(running)) expect(body.result.isError).toBeUndefined();
});

test('what was read for nobody leaves nothing behind', async () => {
  const [account] = ACCOUNTS as [string];
  const one = post(url(), message(7, account));
  await begun(account);
  await post(url(), cancellation(7));
  await one;
  await post(url(), cancellation(7));
  expect((await post(url(), message(7, account))).body.result.isError).toBeUndefined();
});
