/**
 * A meme token: launched, sniped, bought by a bundle of wallets of one funder and by a crowd, then dumped by its
 * creator. And a second one whose pool its creator empties.
 */
import { DAY, HOUR } from '../../../ripple-time.ts';
import { XRP } from '../../protocol/asset.ts';
import { Tf } from '../../protocol/flags.ts';
import { fund, MINUTE, noted, type Scenario, type Stage, type Step } from '../script.ts';
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
const CLIP_EVERY = 5 * MINUTE;
const DUMPED_SHARE = 0.8;

export function memeToken(stage: Stage): Scenario[] {
  const { cast } = stage;
  const ids = {
    launch: stage.id('meme-launch'),
    snipers: stage.id('snipers'),
    bundle: stage.id('bundle'),
    dump: stage.id('creator-dump'),
  };
  const issuer = cast.get('issuer:MEME');
  const creator = cast.get('creator:MEME');
  const asset = tokenOf(issuer, stage.ticker('MEME'));
  const snipers = cast.group('sniper', SNIPERS);
  const funder = cast.get('bundler');
  const bundle = cast.group('bundle', BUNDLE);
  const fans = cast.group('fan:MEME', FANS);
  const kept = Math.round(SUPPLY * (1 - POOL_SHARE));
  const clip = (kept * stage.varied(ids.dump, DUMPED_SHARE, 1.2)) / CLIPS;
  const poolXrp = stage.varied(ids.launch, POOL_XRP);
  const sniped = stage.varied(ids.snipers, SNIPE_XRP);
  const blackhole = stage.week === 0;
  const crowd = fans.flatMap((fan, n): Step[] => {
    const at = LAUNCH + 10 * MINUTE + n * 7 * MINUTE;
    return [
      fund(at, [fan], 30 + n * 6),
      {
        at: at + MINUTE,
        act: (turn) => void turn.trust(fan, asset, SUPPLY, {}, noted(ids.launch, 'fan trusts')),
      },
      {
        at: at + 2 * MINUTE,
        act: (turn) => buy(turn, fan, asset, 20 + n * 5, noted(ids.launch, 'fan buys')),
      },
    ];
  });
  const dump: Step[] = Array.from({ length: CLIPS }, (_, n) => ({
    at: DUMP + n * CLIP_EVERY,
    act: (turn) => {
      if (n === 0) turn.truth.fact(ids.dump, 'priceBefore', poolPrice(turn, asset));
      sell(turn, creator, asset, clip, noted(ids.dump, `clip ${n + 1}`));
    },
  }));
  dump.push({
    at: DUMP + CLIPS * CLIP_EVERY,
    act: (turn) => turn.truth.fact(ids.dump, 'priceAfter', poolPrice(turn, asset)),
  });
  return [
    {
      id: ids.launch,
      kind: 'launch',
      about: 'A token is issued to its creator and a pool opened; a crowd buys',
      accounts: { issuer, creator },
      token: asset,
      from: BEGIN,
      to: LAUNCH + 10 * MINUTE + FANS * 7 * MINUTE,
      expected: {
        supply: SUPPLY,
        poolXrp,
        poolTokens: SUPPLY * POOL_SHARE,
        fans: FANS,
        blackholed: blackhole ? 'yes' : 'no',
      },
      steps: [
        ...launch({
          id: ids.launch,
          at: BEGIN,
          asset,
          issuer,
          creator,
          supply: SUPPLY,
          share: POOL_SHARE,
          poolXrp,
          poolFee: POOL_FEE,
          blackhole,
        }),
        ...crowd,
      ],
    },
    {
      id: ids.snipers,
      kind: 'sniper',
      about: 'Three accounts buy within the first two ledgers after the launch',
      accounts: Object.fromEntries(snipers.map((person, n) => [`sniper ${n + 1}`, person])),
      token: asset,
      from: LAUNCH - 2 * MINUTE,
      to: LAUNCH + 2 * MINUTE,
      expected: { snipers: SNIPERS, xrpEach: sniped, ledgersAfterLaunch: 2 },
      steps: [
        fund(BEGIN, snipers, sniped + 20),
        {
          at: LAUNCH - 2 * MINUTE,
          act: (turn) => {
            for (const person of snipers) turn.trust(person, asset, SUPPLY, {}, noted(ids.snipers, 'trusts'));
          },
        },
        ...snipers.map(
          (person, n): Step => ({
            at: LAUNCH + (n === SNIPERS - 1 ? MINUTE : 0),
            act: (turn) => buy(turn, person, asset, sniped, noted(ids.snipers, 'buys')),
          }),
        ),
      ],
    },
    {
      id: ids.bundle,
      kind: 'shared-funding',
      about: 'One account funds twelve wallets, which all buy the new token within ten minutes',
      accounts: { funder, ...Object.fromEntries(bundle.map((person, n) => [`wallet ${n + 1}`, person])) },
      token: asset,
      from: BEGIN - HOUR,
      to: LAUNCH + 10 * MINUTE,
      expected: { wallets: BUNDLE, xrpEach: BUNDLE_XRP, xrp: BUNDLE * BUNDLE_XRP },
      steps: [
        fund(BEGIN - HOUR, [funder], BUNDLE * (BUNDLE_XRP + 6) + 20),
        {
          at: BEGIN - HOUR + 5 * MINUTE,
          act: (turn) => {
            for (const { account } of bundle)
              turn.pay(funder, account, XRP, BUNDLE_XRP + 5, {}, noted(ids.bundle, 'funds'));
          },
        },
        {
          at: LAUNCH - MINUTE,
          act: (turn) => {
            for (const person of bundle) turn.trust(person, asset, SUPPLY, {}, noted(ids.bundle, 'trusts'));
          },
        },
        ...bundle.map(
          (person, n): Step => ({
            at: LAUNCH + (3 + (n % 6)) * MINUTE,
            act: (turn) => buy(turn, person, asset, BUNDLE_XRP, noted(ids.bundle, 'buys')),
          }),
        ),
      ],
    },
    {
      id: ids.dump,
      kind: 'creator-dump',
      about: 'The creator of the token sells most of what he kept, in eight clips',
      accounts: { creator },
      token: asset,
      from: DUMP,
      to: DUMP + CLIPS * CLIP_EVERY,
      expected: { kept, sold: clip * CLIPS, clips: CLIPS },
      steps: dump,
    },
  ];
}

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
