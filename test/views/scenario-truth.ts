/**
 * What the scenarios of the embedded network did (its ground truth) against what routes find, of all accounts and tokens of
 * the network.
 *
 *     a week of the population --its ledgers--> engine --> routes --> found --,
 *             `-- scenarios with their accounts and figures ------> truth ----+--> precision, recall, plain traders found
 *
 * Bounds of what counts as found are those of the routes, or stand at WASH_SCORE and SNIPE_MS with their source; none was
 * chosen by its result.
 */
import { assetJson } from '../../engine/codec/arithmetic/amount.ts';
import type { Asset } from '../../engine/codec/arithmetic/asset.ts';
import type { JsonObject } from '../../engine/codec/json.ts';
import type { PackedLedger } from '../../engine/codec/packed.ts';
import { Engine } from '../../engine/engine.ts';
import { prepare, prepared } from '../../engine/ledger/prepare.ts';
import type { Source } from '../../engine/ledger/source.ts';
import { FIRST_LEDGER_SOURCE_TAG } from '../../sandbox/population/platforms.ts';
import type { Scenario } from '../../sandbox/population/scenario.ts';
import type { PopulationSize } from '../../sandbox/population/size.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { Network } from '../../views/network.ts';
import { type Asker, asker, type Json } from '../api/routes/ask.ts';
import { askerOf } from '../embedded.ts';
import { quiet } from '../live-rig.ts';
import { WeekRun } from '../sandbox/population/week-run.ts';
import { STEP } from '../sandbox/population/world.ts';

/** The score is at most the share of a trader's volume with one partner: above this, that is most of it. */
const WASH_SCORE = 50;
/** Purchases within this time of the launch: the contract's default for finding snipers (`window_secs` 300). */
const SNIPE_MS = 300_000;

/** Scenarios that these routes are made for, by their kind. */
const KINDS: ReadonlySet<string> = new Set([
  'wash-trading',
  'sniper',
  'creator-dump',
  'whale',
  'launch',
  'cash-out',
  'rug-pull',
  'token-flow',
  'shared-funding',
  'sandwich',
  'escrow',
]);

export interface Score {
  readonly name: string;
  readonly found: ReadonlySet<string>;
  readonly truth: ReadonlySet<string>;
  readonly precision: number;
  readonly recall: number;
  /** Plain traders among those found. */
  readonly plain: readonly string[];
}

export interface TruthOptions {
  readonly seed: string;
  readonly week: number;
  readonly size: PopulationSize;
  /** Of the week. */
  readonly days: number;
  /** Ledgers are an hour apart where no scenario acts: market makers then have few customers beside a scenario's whale. */
  readonly isThin: boolean;
}

interface Week {
  readonly run: WeekRun;
  readonly engine: Engine;
  readonly ask: Asker;
  /** r-addresses of the agents that trade for no scenario. */
  readonly plain: ReadonlySet<string>;
}

/** Follows a week and asks the routes what happened in it. */
export async function scenarioScores({ isThin, ...options }: TruthOptions): Promise<Score[]> {
  const ledgers: PackedLedger[] = [];
  const run = new WeekRun({
    ...options,
    ...(isThin && { only: ({ kind }: Scenario) => KINDS.has(kind) }),
    onLedger: (ledger) => ledgers.push(ledger.packed()),
  });
  const engine = new Engine({ store: new MemoryStore(), log: quiet });
  for (const packed of ledgers)
    await engine.applyLedger(prepared(packed, prepare(packed.bytes, false)), true);
  await engine.drain();
  const agents = [...run.population.agents.known()];
  const plain = agents.filter(([name]) => /^trader:\d+$/.test(name)).map(([, { address }]) => address);
  const week = {
    run,
    engine,
    ask: asker(new Network({ engine, source: sourceOf(run) })),
    plain: new Set(plain),
  };
  const scores: Score[] = [];
  for (const check of [
    washTraders,
    snipers,
    whales,
    launches,
    sellingCreators,
    emptiedPools,
    given,
    cashOuts,
    sandwiched,
    sniped,
    cashedOut,
    washed,
    clustered,
    escrowed,
  ])
    scores.push(await check(week));
  return scores;
}

/** The network's own node, for tools that ask it. */
function sourceOf({ world }: WeekRun): Source {
  const ask = askerOf(world.network);
  const request = async ({ command, ...params }: { command: string } & JsonObject) => ask(command, params);
  return { range: () => undefined, request } as unknown as Source;
}

function score({ plain }: Week, name: string, found: Iterable<string>, truth: Iterable<string>): Score {
  const [all, right] = [new Set(found), new Set(truth)];
  const hits = all.intersection(right).size;
  return {
    name,
    found: all,
    truth: right,
    precision: all.size === 0 ? 1 : hits / all.size,
    recall: right.size === 0 ? 1 : hits / right.size,
    plain: [...all.intersection(plain)],
  };
}

/** Scenarios of a kind that have ended. */
const ended = ({ run }: Week, kind: string): Scenario[] =>
  run.scenarios.filter((one) => one.kind === kind && one.to <= run.now);

const addressesOf = (scenarios: readonly Scenario[], role: RegExp): string[] =>
  scenarios.flatMap(({ accounts }) =>
    Object.entries(accounts).flatMap(([name, { address }]) => (role.test(name) ? [address] : [])),
  );

/** A token as routes name it; undefined: it does not exist, or is an MPT. */
function md5Of({ engine }: Week, asset: Asset): string | undefined {
  const { currency, issuer } = assetJson(asset) as { currency: string; issuer: string };
  const { tokens } = engine.state;
  const token = issuer && tokens.find(issuer, currency);
  return token ? tokens.md5(token) : undefined;
}

/** All rows of a list, page by page. */
async function pages({ ask }: Week, path: string, rowsOf: (body: Json) => Json[]): Promise<Json[]> {
  const rows: Json[] = [];
  for (;;) {
    const page = rowsOf((await ask.get(`${path}&limit=100&offset=${rows.length}`)).body);
    rows.push(...page);
    if (page.length < 100) return rows;
  }
}

const listed = (week: Week): Promise<Json[]> => pages(week, '/tokens?sort=dateon', ({ tokens }) => tokens);

/** Creators of tokens launched in scenarios whose activity has such a signal. What other creators do is not recorded. */
async function creatorsWith(week: Week, signal: string): Promise<string[]> {
  const found: string[] = [];
  for (const { token } of [...ended(week, 'launch'), ...ended(week, 'rug-pull')]) {
    const { creator } = (await week.ask.get(`/token/${md5Of(week, token!)}`)).body.token;
    const { signals } = (await week.ask.get(`/creator-activity/${creator}`)).body;
    if (signals.some(({ msg }: Json) => msg === signal)) found.push(creator);
  }
  return found;
}

async function washTraders(week: Week): Promise<Score> {
  const rows = await pages(week, '/token/analytics/traders?sort=washTradingScore', ({ data }) => data);
  const found = rows.filter((row) => row.washTradingScore > WASH_SCORE).map(({ address }) => address);
  return score(week, 'wash traders', found, addressesOf(ended(week, 'wash-trading'), /first|second/));
}

/** Buyers of launched tokens within the window; those of a bundle that buy in it are snipers as well. */
async function snipers(week: Week): Promise<Score> {
  const found: string[] = [];
  const [launch] = ended(week, 'sniper');
  if (launch !== undefined) {
    const md5 = md5Of(week, launch.token!);
    const { creator } = (await week.ask.get(`/token/${md5}`)).body.token;
    const opened = (await week.ask.get(`/creator-activity/${creator}?side=amm_create`)).body.events[0].time;
    const rows = await pages(week, `/traders/token-traders/${md5}?sort=lastActive`, ({ traders }) => traders);
    const early = rows.filter(
      (row) => !row.isAMM && row.firstTradeDate - opened <= SNIPE_MS && row.xrpBought > 0,
    );
    found.push(...early.map(({ address }) => address));
  }
  const { rows } = week.run.groundTruth;
  const names = ['snipers', 'bundle'].map((name) => week.run.scenarios.find(({ id }) => id.endsWith(name))!);
  const bought = rows.filter(
    ({ id, step, result }) =>
      names.some((one) => one.id === id) && step === 'buys' && result === 'tesSUCCESS',
  );
  const first = Math.min(...bought.map(({ closeTime = Infinity }) => closeTime));
  // The ledger of the pool is one before the first purchase.
  const truth = bought.filter(({ closeTime = 0 }) => (closeTime - first + STEP) * 1000 <= SNIPE_MS);
  return score(
    week,
    'snipers',
    found,
    truth.map(({ account }) => account),
  );
}

/** What a tool answers. */
async function toolAnswer({ ask }: Week, name: string, sent: object): Promise<Json> {
  const { body } = await ask.post('/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: sent },
  });
  return body.result.structuredContent;
}

/** Attacker, victim and what both paid. */
async function sandwiched(week: Week): Promise<Score> {
  const scenarios = ended(week, 'sandwich');
  const found: string[] = [];
  for (const { token } of scenarios) {
    const { attacks } = await toolAnswer(week, 'find_sandwich_attacks', { id: md5Of(week, token!) });
    for (const { attacker, victims, spent } of attacks)
      found.push(`${attacker} ${victims} ${Math.round(spent)}`);
  }
  const truth = scenarios.map(
    ({ accounts, expected }) =>
      `${accounts.attacker!.address} ${accounts.victim!.address} ${Math.round(Number(expected!.attackerXrp))}`,
  );
  return score(week, 'sandwiches', found, truth);
}

/** Creators whose money went to an exchange, and to which. */
async function cashedOut(week: Week): Promise<Score> {
  const scenarios = ended(week, 'cash-out');
  const found: string[] = [];
  for (const { accounts } of scenarios) {
    const { address } = accounts.creator!;
    const { exchanges } = await toolAnswer(week, 'get_cex_cashouts', { account: address });
    for (const { account } of exchanges) found.push(`${address} ${account}`);
  }
  const truth = scenarios.map(({ accounts }) => `${accounts.creator!.address} ${accounts.exchange!.address}`);
  return score(week, 'cash-outs by the tool', found, truth);
}

/** The snipers of the launch, as the tool finds them: from the first trade on. */
async function sniped(week: Week): Promise<Score> {
  const [launch] = ended(week, 'sniper');
  const sent = { id: launch && md5Of(week, launch.token!), limit: 100 };
  const found: Json[] = launch ? (await toolAnswer(week, 'find_snipers', sent)).snipers : [];
  const names = ['snipers', 'bundle'].map((name) => week.run.scenarios.find(({ id }) => id.endsWith(name))!);
  const bought = week.run.groundTruth.rows.filter(
    ({ id, step, result }) =>
      names.some((one) => one.id === id) && step === 'buys' && result === 'tesSUCCESS',
  );
  const first = Math.min(...bought.map(({ closeTime = Infinity }) => closeTime));
  const truth = bought.filter(({ closeTime = 0 }) => (closeTime - first) * 1000 <= SNIPE_MS);
  return score(
    week,
    'snipers by the tool',
    found.map(({ account }) => account),
    truth.map(({ account }) => account),
  );
}

/** Who trades a token back and forth, as the tool finds them, token by token. */
async function washed(week: Week): Promise<Score> {
  const scenarios = ended(week, 'wash-trading');
  const found: string[] = [];
  for (const { token } of scenarios) {
    const { accounts } = await toolAnswer(week, 'get_wash_trading', { id: md5Of(week, token!), limit: 50 });
    const over = accounts.filter(({ washTradingScore }: Json) => washTradingScore > WASH_SCORE);
    found.push(...over.map(({ account }: Json) => account));
  }
  return score(week, 'wash traders by the tool', found, addressesOf(scenarios, /first|second/));
}

/** Holders of a token that one account funded, as groups with their funder and size. */
async function clustered(week: Week): Promise<Score> {
  const scenarios = ended(week, 'shared-funding');
  const found: string[] = [];
  for (const { token } of scenarios) {
    const { clusters } = await toolAnswer(week, 'get_holder_clusters', {
      id: md5Of(week, token!),
      top: 1000,
    });
    for (const { funder, members } of clusters) found.push(`${funder} ${members}`);
  }
  const truth = scenarios.map(({ accounts, expected }) => `${accounts.funder!.address} ${expected!.wallets}`);
  return score(week, 'clusters by the tool', found, truth);
}

/** Transactions that ended escrows of the scenario's payer, as the tool lists them, and how many are left. */
async function escrowed(week: Week): Promise<Score> {
  const scenarios = week.run.scenarios.filter(({ kind }) => kind === 'escrow');
  const found: string[] = [];
  const truth: string[] = [];
  for (const { id, accounts } of scenarios) {
    const { address } = accounts.payer!;
    const sent = { account: address, role: 'owner', history_days: 30 };
    const { ended: done, total } = await toolAnswer(week, 'get_escrows', sent);
    const steps = week.run.groundTruth.rows.filter((row) => row.id === id && row.result === 'tesSUCCESS');
    const ends = steps.filter(({ type }) => type === 'EscrowFinish' || type === 'EscrowCancel');
    const locked = steps.filter(({ type }) => type === 'EscrowCreate').length;
    found.push(`${id} ${total} open`, ...done.map(({ hash }: Json) => hash));
    truth.push(`${id} ${locked - ends.length} open`, ...ends.map(({ hash }) => hash));
  }
  return score(week, 'escrows by the tool', found, truth);
}

async function whales(week: Week): Promise<Score> {
  const { whales: view } = new Network({ engine: week.engine }).views;
  await view.ready();
  const found = view.events({ limit: 100_000 }).events.map(({ account }) => account);
  return score(week, 'whales', found, addressesOf(ended(week, 'whale'), /buyer|seller/));
}

/** Names of the launch platforms by their source tag, as SERVICE.md's clients show them. */
const LAUNCHPADS: Readonly<Record<number, string>> = {
  111: 'Horizon',
  10011010: 'Magnetic X',
  20221212: 'XPMarket',
  74920348: 'FirstLedger',
};

/** Tokens with the platform that launched them. */
async function launches(week: Week): Promise<Score> {
  const rows = (await listed(week)).filter(({ origin }) => origin !== undefined);
  const found = rows.map(({ md5, origin }) => `${md5} ${origin}`);
  return score(week, 'launches', found, launchedBy(week));
}

function launchedBy(week: Week): string[] {
  const { population } = week.run;
  const tagged: [Asset, number | string | undefined][] = [
    ...ended(week, 'launch').map(({ token, expected }): [Asset, number | string | undefined] => [
      token!,
      expected.sourceTag ?? FIRST_LEDGER_SOURCE_TAG,
    ]),
    ...population.economy.tokens.map(({ asset, launchpad }): [Asset, number | undefined] => [
      asset,
      launchpad,
    ]),
    ...population.projects.all.map(({ asset, platform }): [Asset, number | undefined] => [asset, platform]),
  ];
  return tagged.flatMap(([asset, tag]) => {
    const name = LAUNCHPADS[Number(tag)];
    const md5 = md5Of(week, asset);
    return name === undefined || md5 === undefined ? [] : [`${md5} ${name}`];
  });
}

async function sellingCreators(week: Week): Promise<Score> {
  const found = await creatorsWith(week, 'The creator has sold for more XRP than it has bought for');
  const sellers = [...ended(week, 'creator-dump'), ...ended(week, 'cash-out')];
  return score(week, 'creators who sold', found, addressesOf(sellers, /creator/));
}

async function emptiedPools(week: Week): Promise<Score> {
  const found = await creatorsWith(
    week,
    'The creator has taken nearly all the liquidity out that it had put in',
  );
  return score(
    week,
    'creators who emptied their pool',
    found,
    addressesOf(ended(week, 'rug-pull'), /creator/),
  );
}

/** Whom the creator of the token gave some. */
async function given(week: Week): Promise<Score> {
  const found: string[] = [];
  const scenarios = ended(week, 'token-flow');
  for (const scenario of scenarios) {
    const { body } = await week.ask.get(`/token/flow/${md5Of(week, scenario.token!)}`);
    const direct = body.graph.nodes.filter(
      ({ type, from }: Json) => type === 'level1' && from === body.creator,
    );
    found.push(...direct.map(({ id }: Json) => id));
  }
  return score(week, 'insiders', found, addressesOf(scenarios, /insider/));
}

/** Creators who took XRP to an exchange, with its keys. */
async function cashOuts(week: Week): Promise<Score> {
  const found: string[] = [];
  for (const { md5 } of await listed(week)) {
    const { nodes } = (await week.ask.get(`/token/flow/${md5}`)).body.graph as { nodes: Json[] };
    for (const { id, type, exchangeKeys } of nodes)
      if (type === 'creator') for (const key of exchangeKeys) found.push(`${id} ${key}`);
  }
  const truth = ended(week, 'cash-out').map(
    ({ accounts, expected }) =>
      `${accounts.creator!.address} ${accounts.exchange!.address}:${expected.destinationTag}`,
  );
  return score(week, 'cash-outs', found, truth);
}
