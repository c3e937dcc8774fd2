/**
 * A meme token: launched, sniped, bought by a bundle of wallets of one funder and by a crowd, then dumped by its
 * creator. And a second one whose pool its creator empties.
 */
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { type Asset, XRP } from '../../protocol/asset.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Person } from '../people.ts';
import { fund, named, noted, Plot, type Scenario, type Stage, type Step } from '../script.ts';
import { FIRST_LEDGER } from '../tokens.ts';
import type { Turn } from '../turn.ts';
import { buy, LAUNCH_TAKES, launch, poolPrice, sell, tokenOf } from './deals.ts';

const SUPPLY = 1_000_000_000;
const POOL_SHARE = 0.7;
const POOL_XRP = 6_000;
const POOL_FEE = 1_000;
const BEGIN = DAY + 9 * HOUR;
/** The ledger with the pool closes a step after this. */
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
  readonly issuer: Person;
  readonly creator: Person;
  readonly asset: Asset;
  readonly snipers: readonly Person[];
  /** XRP of each sniper. */
  readonly sniped: number;
}

function meme(stage: Stage): Meme {
  const issuer = stage.cast.get('issuer:MEME');
  return {
    issuer,
    creator: stage.cast.get('creator:MEME'),
    asset: tokenOf(issuer, stage.ticker('MEME')),
    snipers: stage.cast.group('sniper', SNIPERS),
    sniped: stage.varied('snipers', SNIPE_XRP),
  };
}

/** Two buy as soon as they see the pool, the third when he sees what they have bought. */
function sniping(stage: Stage): Scenario {
  const { asset, snipers, sniped } = meme(stage);
  const plot = new Plot(stage, 'snipers', LAUNCH - 2 * MINUTE).trust(0, snipers, asset, SUPPLY);
  return plot
    .steps([fund(BEGIN, snipers, sniped + 20)])
    .watch(0, 10, (turn) => {
      if (poolPrice(turn, asset) === 0) return;
      const [first] = snipers;
      snipers.forEach((person, n) => {
        const sees = n < SNIPERS - 1 || turn.holds(first!.account, asset) > 0;
        if (sees && turn.line(person.account, asset) && turn.holds(person.account, asset) === 0)
          buy(turn, person, asset, sniped, plot.noted('buys'));
      });
    })
    .told({
      kind: 'sniper',
      about: 'Three accounts buy within the first two ledgers after the launch',
      accounts: named('sniper', snipers),
      token: asset,
      minutes: 4,
      expected: { snipers: SNIPERS, xrpEach: sniped, ledgersAfterLaunch: 2 },
    });
}

/** A day later the snipers sell what they bought before everybody else. */
function sniperExit(stage: Stage): Scenario {
  const { asset, snipers, sniped } = meme(stage);
  const plot = new Plot(stage, 'sniper-exit', BEGIN + DAY);
  snipers.forEach((person, n) => {
    plot
      .fact(n * 5, `xrpBefore ${n + 1}`, (turn) => turn.xrp(person))
      .act(n * 5, (turn) => sell(turn, person, asset, turn.holds(person.account, asset), plot.noted('sells')))
      .fact(n * 5 + 3, `xrpAfter ${n + 1}`, (turn) => turn.xrp(person));
  });
  return plot.told({
    kind: 'trader-profit',
    about: 'The snipers sell all they bought at the launch; each has had one purchase and one sale',
    accounts: named('sniper', snipers),
    token: asset,
    minutes: SNIPERS * 5,
    expected: { traders: SNIPERS, spentEach: sniped },
  });
}

const INSIDERS = 3;
const INSIDER_SHARE = 0.003;

/** Where a creator's tokens go: to three people, who sell half of it a day later. */
function insiders(stage: Stage): Scenario {
  const { asset, creator } = meme(stage);
  const people = stage.cast.group('insider', INSIDERS);
  const each = SUPPLY * INSIDER_SHARE;
  const plot = new Plot(stage, 'insiders', LAUNCH + 20 * MINUTE).fund(0, people, 20).trust(3, people, asset);
  people.forEach((person, n) => {
    plot
      .act(6, (turn) => void turn.pay(creator, person.account, asset, each, {}, plot.noted('given')))
      .act(1_440 + n * 4, (turn) => sell(turn, person, asset, each / 2, plot.noted('sells')));
  });
  return plot.told({
    kind: 'token-flow',
    about: 'The creator gives tokens to three accounts, which sell half of them a day later',
    accounts: { creator, ...named('insider', people) },
    token: asset,
    minutes: 1_440 + INSIDERS * 4,
    expected: { insiders: INSIDERS, tokensEach: each, soldEach: each / 2 },
  });
}

const SANDWICH_XRP = 300;
const VICTIM_XRP = 500;

/** Three ledgers in a row: somebody buys, his victim buys dearer, he sells. */
function sandwich(stage: Stage): Scenario {
  const { asset } = meme(stage);
  const attacker = stage.cast.get('sandwich:attacker');
  const victim = stage.cast.get('sandwich:victim');
  const acted = (turn: Turn, person: Person) => turn.root(person)?.PreviousTxnLgrSeq === turn.parent.index;
  const has = (turn: Turn, person: Person) => turn.holds(person.account, asset) > 0;
  const plot = new Plot(stage, 'sandwich', BEGIN + 11 * HOUR)
    .fund(0, [attacker], SANDWICH_XRP + 20)
    .fund(0, [victim], VICTIM_XRP + 20)
    .trust(3, [attacker, victim], asset)
    .fact(10, 'xrpBefore', (turn) => turn.xrp(attacker));
  return plot
    .act(10, (turn) => buy(turn, attacker, asset, SANDWICH_XRP, plot.noted('front')))
    .watch(10, 20, (turn) => {
      if (!acted(turn, attacker) || !has(turn, attacker) || has(turn, victim)) return;
      buy(turn, victim, asset, VICTIM_XRP, plot.noted('victim'));
    })
    .watch(10, 20, (turn) => {
      if (!acted(turn, victim) || !has(turn, victim) || !has(turn, attacker)) return;
      sell(turn, attacker, asset, turn.holds(attacker.account, asset), plot.noted('back'));
    })
    .fact(20, 'xrpAfter', (turn) => turn.xrp(attacker))
    .told({
      kind: 'sandwich',
      about: 'In three ledgers in a row an account buys, its victim buys, and it sells what it bought',
      accounts: { attacker, victim },
      token: asset,
      minutes: 20,
      expected: { attackerXrp: SANDWICH_XRP, victimXrp: VICTIM_XRP, ledgers: 3 },
    });
}

/** The token comes to be, and a crowd buys: one every seven minutes, each a little more. */
function crowdLaunch(stage: Stage): Scenario {
  const { issuer, creator, asset } = meme(stage);
  const fans = stage.cast.group('fan:MEME', FANS);
  const poolXrp = stage.varied('meme-launch', POOL_XRP);
  const blackhole = stage.week === 0;
  const plot = new Plot(stage, 'meme-launch', BEGIN);
  const open = LAUNCH_TAKES / MINUTE;
  plot.steps(
    launch({
      id: plot.id,
      at: BEGIN,
      asset,
      issuer,
      creator,
      supply: SUPPLY,
      share: POOL_SHARE,
      poolXrp,
      poolFee: POOL_FEE,
      blackhole,
      launchpad: FIRST_LEDGER,
    }),
  );
  fans.forEach((fan, n) => {
    const minute = open + 10 + n * 7;
    plot
      .fund(minute, [fan], 30 + n * 6)
      .trust(minute + 1, [fan], asset, SUPPLY)
      .act(minute + 2, (turn) => buy(turn, fan, asset, 20 + n * 5, plot.noted('fan buys')));
  });
  return plot
    .fact(open, 'priceAtLaunch', (turn) => poolPrice(turn, asset))
    .fact(open + 12 + FANS * 7, 'priceAfterFans', (turn) => poolPrice(turn, asset))
    .told({
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

/** Wallets that one account has funded an hour before the launch. */
function sharedFunding(stage: Stage): Scenario {
  const { asset } = meme(stage);
  const funder = stage.cast.get('bundler');
  const wallets = stage.cast.group('bundle', BUNDLE);
  const plot = new Plot(stage, 'bundle', BEGIN - HOUR);
  const open = (HOUR + LAUNCH_TAKES) / MINUTE;
  plot.fund(0, [funder], BUNDLE * (BUNDLE_XRP + 6) + 20).trust(open - 1, wallets, asset, SUPPLY);
  wallets.forEach((person, n) => {
    const { account } = person;
    plot
      .act(5, (turn) => void turn.pay(funder, account, XRP, BUNDLE_XRP + 5, {}, plot.noted('funds')))
      .act(open + 3 + (n % 6), (turn) => buy(turn, person, asset, BUNDLE_XRP, plot.noted('buys')));
  });
  return plot.told({
    kind: 'shared-funding',
    about: 'One account funds twelve wallets, which all buy the new token within ten minutes',
    accounts: { funder, ...named('wallet', wallets) },
    token: asset,
    minutes: open + 10,
    expected: { wallets: BUNDLE, xrpEach: BUNDLE_XRP, xrp: BUNDLE * BUNDLE_XRP },
  });
}

function creatorDump(stage: Stage): Scenario {
  const { creator, asset } = meme(stage);
  const kept = Math.round(SUPPLY * (1 - POOL_SHARE));
  const clip = (kept * stage.varied('creator-dump', DUMPED_SHARE, 1.2)) / CLIPS;
  const plot = new Plot(stage, 'creator-dump', DUMP).fact(0, 'priceBefore', (turn) => poolPrice(turn, asset));
  for (let n = 0; n < CLIPS; n++)
    plot.act(n * CLIP_EVERY, (turn) => sell(turn, creator, asset, clip, plot.noted(`clip ${n + 1}`)));
  return plot
    .fact(CLIPS * CLIP_EVERY, 'priceAfter', (turn) => poolPrice(turn, asset))
    .told({
      kind: 'creator-dump',
      about: 'The creator of the token sells most of what he kept, in eight clips',
      accounts: { creator },
      token: asset,
      minutes: CLIPS * CLIP_EVERY,
      expected: { kept, sold: clip * CLIPS, clips: CLIPS },
    });
}

export const memeToken = (stage: Stage): Scenario[] =>
  [crowdLaunch, sniping, sharedFunding, creatorDump, sniperExit, insiders, sandwich].map((tell) =>
    tell(stage),
  );

const RUG = 2 * DAY + 18 * HOUR;
const RUG_AT = RUG + 5 * HOUR;
const RUG_BUYERS = 9;
const RUG_POOL_XRP = 2_500;

export function rugPull(stage: Stage): Scenario[] {
  const { cast } = stage;
  const id = stage.id('rug-pull');
  const issuer = cast.get('issuer:RUG');
  const creator = cast.get('creator:RUG');
  const asset = tokenOf(issuer, stage.ticker('RUG'));
  const victims = cast.group('victim:RUG', RUG_BUYERS);
  const poolXrp = stage.varied(id, RUG_POOL_XRP);
  const supply = 50_000_000;
  return [
    {
      id,
      kind: 'rug-pull',
      about: 'A pool is opened, nine people buy, then the creator takes all out of the pool',
      accounts: { issuer, creator },
      token: asset,
      from: RUG,
      to: RUG_AT + MINUTE,
      expected: { victims: RUG_BUYERS, poolXrp },
      steps: [
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
          blackhole: stage.week === 0,
        }),
        ...victims.flatMap((person, n): Step[] => {
          const at = RUG + LAUNCH_TAKES + (10 + n * 20) * MINUTE;
          return [
            fund(at, [person], 200),
            {
              at: at + MINUTE,
              act: (turn) => void turn.trust(person, asset, supply, {}, noted(id, 'victim trusts')),
            },
            { at: at + 2 * MINUTE, act: (turn) => buy(turn, person, asset, 150, noted(id, 'victim buys')) },
          ];
        }),
        {
          at: RUG_AT,
          act: (turn) => {
            turn.truth.fact(id, 'priceBefore', poolPrice(turn, asset));
            turn.truth.fact(id, 'creatorXrpBefore', turn.xrp(creator));
            turn.send(
              creator,
              { TransactionType: 'AMMWithdraw', Asset: asset, Asset2: XRP, Flags: Tf.tfWithdrawAll },
              noted(id, 'pool emptied'),
            );
          },
        },
        { at: RUG_AT + MINUTE, act: (turn) => turn.truth.fact(id, 'creatorXrpAfter', turn.xrp(creator)) },
      ],
    },
  ];
}
