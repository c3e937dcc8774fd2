/**
 * A meme token: launched, bought at once by snipers, later by a bundle of wallets with one funder and by a crowd, then
 * dumped by its creator. And a second token, whose creator empties the pool (rug pull).
 */

import { type Asset, XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import { FIRST_LEDGER_SOURCE_TAG } from '../platforms.ts';
import {
  annotate,
  fund,
  numberedRoles,
  type Scenario,
  ScenarioBuilder,
  type ScenarioContext,
  type ScheduledAction,
} from '../scenario.ts';
import type { SimulationStep } from '../simulation-step.ts';
import { buy, LAUNCH_TAKES, launch, poolPrice, sell, tokenOf } from './market-actions.ts';

const SUPPLY = 1_000_000_000;
const POOL_SHARE = 0.7;
const POOL_XRP = 6_000;
const POOL_FEE = 1_000;
const BEGIN = DAY + 9 * HOUR;
/** The ledger with the pool closes one step after this moment. */
const LAUNCH = BEGIN + LAUNCH_TAKES;
const SNIPERS = 3;
const SNIPE_XRP = 250;
const BUNDLE = 12;
const BUNDLE_XRP = 60;
const FANS = 25;
const DUMP = 3 * DAY + 14 * HOUR;
const CLIPS = 8;
const CLIP_EVERY = 5;
const DUMPED_SHARE = 0.8;

interface Meme {
  readonly issuer: Agent;
  readonly creator: Agent;
  readonly asset: Asset;
  readonly snipers: readonly Agent[];
  /** XRP that each sniper spends. */
  readonly sniped: number;
}

function meme(context: ScenarioContext): Meme {
  const issuer = context.actors.get('issuer:MEME');
  return {
    issuer,
    creator: context.actors.get('creator:MEME'),
    asset: tokenOf(issuer, context.ticker('MEME')),
    snipers: context.actors.group('sniper', SNIPERS),
    sniped: context.varied('snipers', SNIPE_XRP),
  };
}

/** Two snipers buy in the ledger after the one with the pool, the third in the ledger after their purchase. */
function sniping(context: ScenarioContext): Scenario {
  const { asset, snipers, sniped } = meme(context);
  const builder = new ScenarioBuilder(context, 'snipers', LAUNCH - 2 * MINUTE).trust(
    0,
    snipers,
    asset,
    SUPPLY,
  );
  return builder
    .scheduleAll([fund(BEGIN, snipers, sniped + 20)])
    .watch(0, 10, (step) => {
      if (poolPrice(step, asset) === 0) return;
      const [first] = snipers;
      snipers.forEach((agent, n) => {
        const sees = n < SNIPERS - 1 || step.holds(first!.account, asset) > 0;
        if (sees && step.line(agent.account, asset) && step.holds(agent.account, asset) === 0)
          buy(step, agent, asset, sniped, builder.annotate('buys'));
      });
    })
    .build({
      kind: 'sniper',
      about: 'Three accounts buy within the first two ledgers after the launch',
      accounts: numberedRoles('sniper', snipers),
      token: asset,
      minutes: 4,
      expected: { snipers: SNIPERS, xrpEach: sniped, ledgersAfterLaunch: 2 },
    });
}

/** A day later the snipers sell all they bought. */
function sniperExit(context: ScenarioContext): Scenario {
  const { asset, snipers, sniped } = meme(context);
  const builder = new ScenarioBuilder(context, 'sniper-exit', BEGIN + DAY);
  snipers.forEach((agent, n) => {
    builder
      .fact(n * 5, `xrpBefore ${n + 1}`, (step) => step.xrp(agent))
      .schedule(n * 5, (step) =>
        sell(step, agent, asset, step.holds(agent.account, asset), builder.annotate('sells')),
      )
      .fact(n * 5 + 3, `xrpAfter ${n + 1}`, (step) => step.xrp(agent));
  });
  return builder.build({
    kind: 'trader-profit',
    about: 'The snipers sell all they bought at the launch; each has had one purchase and one sale',
    accounts: numberedRoles('sniper', snipers),
    token: asset,
    minutes: SNIPERS * 5,
    expected: { traders: SNIPERS, spentEach: sniped },
  });
}

const INSIDERS = 3;
const INSIDER_SHARE = 0.003;

/** The creator gives tokens to three accounts, which sell half of them a day later. */
function insiders(context: ScenarioContext): Scenario {
  const { asset, creator } = meme(context);
  const agents = context.actors.group('insider', INSIDERS);
  const each = SUPPLY * INSIDER_SHARE;
  const builder = new ScenarioBuilder(context, 'insiders', LAUNCH + 20 * MINUTE)
    .fund(0, agents, 20)
    .trust(3, agents, asset);
  agents.forEach((agent, n) => {
    builder
      .schedule(
        6,
        (step) => void step.pay(creator, agent.account, asset, each, {}, builder.annotate('given')),
      )
      .schedule(1_440 + n * 4, (step) => sell(step, agent, asset, each / 2, builder.annotate('sells')));
  });
  return builder.build({
    kind: 'token-flow',
    about: 'The creator gives tokens to three accounts, which sell half of them a day later',
    accounts: { creator, ...numberedRoles('insider', agents) },
    token: asset,
    minutes: 1_440 + INSIDERS * 4,
    expected: { insiders: INSIDERS, tokensEach: each, soldEach: each / 2 },
  });
}

const SANDWICH_XRP = 300;
const VICTIM_XRP = 500;

/** In three consecutive ledgers the attacker buys, the victim buys at a higher price, the attacker sells. */
function sandwich(context: ScenarioContext): Scenario {
  const { asset } = meme(context);
  const attacker = context.actors.get('sandwich:attacker');
  const victim = context.actors.get('sandwich:victim');
  const acted = (step: SimulationStep, agent: Agent) =>
    step.accountRoot(agent)?.PreviousTxnLgrSeq === step.parent.index;
  const has = (step: SimulationStep, agent: Agent) => step.holds(agent.account, asset) > 0;
  const builder = new ScenarioBuilder(context, 'sandwich', BEGIN + 11 * HOUR)
    .fund(0, [attacker], SANDWICH_XRP + 20)
    .fund(0, [victim], VICTIM_XRP + 20)
    .trust(3, [attacker, victim], asset)
    .fact(10, 'xrpBefore', (step) => step.xrp(attacker));
  return builder
    .schedule(10, (step) => buy(step, attacker, asset, SANDWICH_XRP, builder.annotate('front')))
    .watch(10, 20, (step) => {
      if (!acted(step, attacker) || !has(step, attacker) || has(step, victim)) return;
      buy(step, victim, asset, VICTIM_XRP, builder.annotate('victim'));
    })
    .watch(10, 20, (step) => {
      if (!acted(step, victim) || !has(step, victim) || !has(step, attacker)) return;
      sell(step, attacker, asset, step.holds(attacker.account, asset), builder.annotate('back'));
    })
    .fact(20, 'xrpAfter', (step) => step.xrp(attacker))
    .build({
      kind: 'sandwich',
      about: 'In three ledgers in a row an account buys, its victim buys, and it sells what it bought',
      accounts: { attacker, victim },
      token: asset,
      minutes: 20,
      expected: { attackerXrp: SANDWICH_XRP, victimXrp: VICTIM_XRP, ledgers: 3 },
    });
}

/** The token is issued and its pool created; a crowd buys: one account every seven minutes, each a little more. */
function crowdLaunch(context: ScenarioContext): Scenario {
  const { issuer, creator, asset } = meme(context);
  const fans = context.actors.group('fan:MEME', FANS);
  const poolXrp = context.varied('meme-launch', POOL_XRP);
  const blackhole = context.week === 0;
  const builder = new ScenarioBuilder(context, 'meme-launch', BEGIN);
  const open = LAUNCH_TAKES / MINUTE;
  builder.scheduleAll(
    launch({
      id: builder.id,
      at: BEGIN,
      asset,
      issuer,
      creator,
      supply: SUPPLY,
      share: POOL_SHARE,
      poolXrp,
      poolFee: POOL_FEE,
      blackhole,
      launchpad: FIRST_LEDGER_SOURCE_TAG,
    }),
  );
  fans.forEach((fan, n) => {
    const minute = open + 10 + n * 7;
    builder
      .fund(minute, [fan], 30 + n * 6)
      .trust(minute + 1, [fan], asset, SUPPLY)
      .schedule(minute + 2, (step) => buy(step, fan, asset, 20 + n * 5, builder.annotate('fan buys')));
  });
  return builder
    .fact(open, 'priceAtLaunch', (step) => poolPrice(step, asset))
    .fact(open + 12 + FANS * 7, 'priceAfterFans', (step) => poolPrice(step, asset))
    .build({
      kind: 'launch',
      about: 'A token is issued to its creator and a pool opened; a crowd buys',
      accounts: { issuer, creator },
      token: asset,
      minutes: open + 12 + FANS * 7,
      expected: {
        supply: SUPPLY,
        poolXrp,
        poolTokens: SUPPLY * POOL_SHARE,
        fans: FANS,
        blackholed: blackhole ? 'yes' : 'no',
      },
    });
}

/** Wallets that one account funds an hour before the launch. */
function sharedFunding(context: ScenarioContext): Scenario {
  const { asset } = meme(context);
  const funder = context.actors.get('bundler');
  const wallets = context.actors.group('bundle', BUNDLE);
  const builder = new ScenarioBuilder(context, 'bundle', BEGIN - HOUR);
  const open = (HOUR + LAUNCH_TAKES) / MINUTE;
  builder.fund(0, [funder], BUNDLE * (BUNDLE_XRP + 6) + 20).trust(open - 1, wallets, asset, SUPPLY);
  wallets.forEach((agent, n) => {
    const { account } = agent;
    builder
      .schedule(
        5,
        (step) => void step.pay(funder, account, XRP, BUNDLE_XRP + 5, {}, builder.annotate('funds')),
      )
      .schedule(open + 3 + (n % 6), (step) => buy(step, agent, asset, BUNDLE_XRP, builder.annotate('buys')));
  });
  return builder.build({
    kind: 'shared-funding',
    about: 'One account funds twelve wallets, which all buy the new token within ten minutes',
    accounts: { funder, ...numberedRoles('wallet', wallets) },
    token: asset,
    minutes: open + 10,
    expected: { wallets: BUNDLE, xrpEach: BUNDLE_XRP, xrp: BUNDLE * BUNDLE_XRP },
  });
}

function creatorDump(context: ScenarioContext): Scenario {
  const { creator, asset } = meme(context);
  const kept = Math.round(SUPPLY * (1 - POOL_SHARE));
  const clip = (kept * context.varied('creator-dump', DUMPED_SHARE, 1.2)) / CLIPS;
  const builder = new ScenarioBuilder(context, 'creator-dump', DUMP).fact(0, 'priceBefore', (step) =>
    poolPrice(step, asset),
  );
  for (let n = 0; n < CLIPS; n++)
    builder.schedule(n * CLIP_EVERY, (step) =>
      sell(step, creator, asset, clip, builder.annotate(`clip ${n + 1}`)),
    );
  return builder
    .fact(CLIPS * CLIP_EVERY, 'priceAfter', (step) => poolPrice(step, asset))
    .build({
      kind: 'creator-dump',
      about: 'The creator of the token sells most of what they kept, in eight clips',
      accounts: { creator },
      token: asset,
      minutes: CLIPS * CLIP_EVERY,
      expected: { kept, sold: clip * CLIPS, clips: CLIPS },
    });
}

export const memeToken = (context: ScenarioContext): Scenario[] =>
  [crowdLaunch, sniping, sharedFunding, creatorDump, sniperExit, insiders, sandwich].map((build) =>
    build(context),
  );

const RUG = 2 * DAY + 18 * HOUR;
const RUG_AT = RUG + 5 * HOUR;
const RUG_BUYERS = 9;
const RUG_POOL_XRP = 2_500;

export function rugPull(context: ScenarioContext): Scenario[] {
  const { actors } = context;
  const id = context.id('rug-pull');
  const issuer = actors.get('issuer:RUG');
  const creator = actors.get('creator:RUG');
  const asset = tokenOf(issuer, context.ticker('RUG'));
  const victims = actors.group('victim:RUG', RUG_BUYERS);
  const poolXrp = context.varied(id, RUG_POOL_XRP);
  const supply = 50_000_000;
  return [
    {
      id,
      kind: 'rug-pull',
      about: 'A pool is opened, nine accounts buy, then the creator takes all out of the pool',
      accounts: { issuer, creator },
      token: asset,
      from: RUG,
      to: RUG_AT + MINUTE,
      expected: { victims: RUG_BUYERS, poolXrp },
      actions: [
        ...launch({
          id,
          at: RUG,
          asset,
          issuer,
          creator,
          supply,
          share: 0.95,
          poolXrp,
          poolFee: 300,
          blackhole: context.week === 0,
        }),
        ...victims.flatMap((agent, n): ScheduledAction[] => {
          const at = RUG + LAUNCH_TAKES + (10 + n * 20) * MINUTE;
          return [
            fund(at, [agent], 200),
            {
              at: at + MINUTE,
              run: (step) => void step.trust(agent, asset, supply, {}, annotate(id, 'victim trusts')),
            },
            { at: at + 2 * MINUTE, run: (step) => buy(step, agent, asset, 150, annotate(id, 'victim buys')) },
          ];
        }),
        {
          at: RUG_AT,
          run: (step) => {
            step.groundTruth.fact(id, 'priceBefore', poolPrice(step, asset));
            step.groundTruth.fact(id, 'creatorXrpBefore', step.xrp(creator));
            step.send(
              creator,
              { TransactionType: 'AMMWithdraw', Asset: asset, Asset2: XRP, Flags: Tf.tfWithdrawAll },
              annotate(id, 'pool emptied'),
            );
          },
        },
        {
          at: RUG_AT + MINUTE,
          run: (step) => step.groundTruth.fact(id, 'creatorXrpAfter', step.xrp(creator)),
        },
      ],
    },
  ];
}
