/** Every tool shows the numbers of the routes that it stands for, at one ledger of the embedded network. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ToolRow } from '../api/mcp/tool.ts';
import { toolRows } from '../api/mcp/tools/index.ts';
import { routes } from '../api/routes/index.ts';
import { Agreement } from './agreement-rig.ts';
import { NumberRegister, requestsAbout, type Subjects } from './agreement-routes.ts';
import { allTools, call } from './api/mcp/served.ts';
import type { Frame } from './live-rig.ts';

/** A day and some hours. */
const SECONDS = 27 * 3600;
/** Between two ledgers, s. */
const STEP = 480;
const seed = process.env.SEED ?? 'agreement';
console.log(`seed ${seed}`);

/** Tools whose numbers are of something else than those of routes by the same names, and what. */
const OTHER_FIGURES: Readonly<Record<string, string>> = {
  get_daily_report: 'of a day that is over',
  get_trades: 'trades as they happened; what two accounts traded counts for both in analytics of tokens',
  get_ohlc: 'of the highest and the lowest candle',
  find_snipers: 'of the trades in the first minutes',
  find_arb_pairs: 'of the pairs that were compared',
  get_holder_clusters: 'of the holders that are looked at: pools are none',
  describe_bot_activity: 'of the transactions that the account sent',
  get_payment_flows: 'XRP, where routes count payments; of others, what passed between them and the account',
};
/** Tools that are asked nothing here: what they need is no token, account, collection or NFT, or they have no data of it. */
const UNASKED: ReadonlySet<string> = new Set([
  ...['search_tokens', 'get_swap_quote', 'find_sandwich_attacks', 'get_holder_overlap', 'find_accounts'],
  ...['get_account_names', 'get_account_objects', 'get_issuer_actions', 'get_fear_greed_index', 'get_news'],
  ...['get_transaction', 'get_ledger_entry', 'get_job', 'search_tools', 'api_get', 'write_note'],
]);

let world: Agreement;
let subjects: Subjects;

beforeAll(async () => {
  world = await Agreement.start(seed, SECONDS, STEP);
  await world.closeAll();
  const { tokens } = await world.get('/tokens?limit=3&sort=vol24hxrp');
  const [token] = tokens as Frame[];
  const { richList } = await world.get(`/holders/list/${token!.md5}?limit=2`);
  const { collections } = await world.get('/nft/collections?limit=1');
  const { nfts } = await world.get(`/nft/collections/${collections[0].slug}/nfts?limit=1`);
  subjects = {
    tokens: tokens.map(({ md5 }: Frame) => md5),
    accounts: [...richList.map(({ account }: Frame) => account), token!.issuer],
    collections: [collections[0].slug],
    nfts: [nfts[0].NFTokenID],
    platforms: [],
  };
}, 600_000);
afterAll(() => world?.stop());

/** Parameters of tools by what they are about. */
const KIND_OF: Readonly<Record<string, keyof Subjects>> = {
  id: 'tokens',
  account: 'accounts',
  slug: 'collections',
  collection: 'collections',
};
/** Tools whose parameter of that name is about something else. */
const OTHER_KIND: Readonly<Record<string, keyof Subjects>> = { get_nft: 'nfts' };

interface ToolCall {
  readonly row: ToolRow;
  readonly sent: Readonly<Record<string, string | boolean>>;
}

/** Calls of a tool about each subject that its parameters name, and with each of its flags; none: a needed one says nothing here. */
function callsOf(row: ToolRow, needed: readonly string[]): ToolCall[] {
  const about = combined(row.name, needed);
  if (!about) return [];
  const chosen = Object.keys(row.params).filter((name) => KIND_OF[name] !== undefined);
  const further = needed.length > 0 ? [] : chosen.flatMap((name) => combined(row.name, [name])!);
  const flags = Object.entries(row.params).filter(
    ([name, param]) =>
      typeof param === 'object' && 'kind' in param && param.kind === 'bool' && name !== 'background',
  );
  const flagged = flags.flatMap(([name]) => about.map((sent) => ({ ...sent, [name]: true })));
  return [...about, ...further, ...flagged].map((sent) => ({ row, sent }));
}

/** undefined: a name says nothing here. */
function combined(tool: string, names: readonly string[]): Record<string, string>[] | undefined {
  let found: Record<string, string>[] = [{}];
  for (const name of names) {
    const kind = OTHER_KIND[tool] ?? KIND_OF[name];
    if (kind === undefined) return undefined;
    found = found.flatMap((one) => subjects[kind].map((value) => ({ ...one, [name]: value })));
  }
  return found;
}

async function answerOf({ row: { name }, sent }: ToolCall): Promise<Frame | undefined> {
  const { body } = await call(`${world.service.url}/mcp`, 'tools/call', { name, arguments: sent });
  return body.result.structuredContent;
}

/** What the routes say of the subjects. */
async function numbersOfRoutes(): Promise<NumberRegister> {
  const register = new NumberRegister();
  for (const { row, path, about } of requestsAbout(subjects).asked) {
    const response = await fetch(`${world.service.url}/v1${path}`);
    if (response.ok && response.headers.get('content-type')?.startsWith('application/json'))
      register.add({ row, about }, await response.json());
  }
  return register;
}

/** Where numbers of a tool were seen; those about NFTs are of collectors, as in routes of that path. */
const placeOf = (name: string) => ({
  ...routes[0]!,
  path: /^(get|find)_nft/.test(name) ? `/nft (${name})` : name,
});

test('tools show the numbers of the routes, by subject and member', async () => {
  const register = await numbersOfRoutes();
  const tools = new Map((await allTools(`${world.service.url}/mcp`)).map((one) => [one.name, one]));
  const unasked: string[] = [];
  for (const row of toolRows) {
    const answers = [];
    for (const one of callsOf(row, tools.get(row.name)?.inputSchema.required ?? [])) {
      const answer = await answerOf(one);
      if (answer) answers.push({ row: placeOf(row.name), about: one.sent as Record<string, string>, answer });
    }
    if (answers.length === 0) unasked.push(row.name);
    if (OTHER_FIGURES[row.name] === undefined)
      for (const { answer, ...asked } of answers) register.add(asked, answer);
  }
  expect(register.disagreements()).toEqual([]);
  expect(unasked.filter((name) => !UNASKED.has(name))).toEqual([]);
  expect(tools.size).toBe(88);
}, 300_000);
