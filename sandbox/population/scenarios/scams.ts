/** Scams: dust with a phishing memo, an impersonated stablecoin, worthless NFTs sent as gifts, a drained wallet. */
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Amount } from '../../protocol/amount.ts';
import { XRP } from '../../protocol/asset.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { nftIssuer } from '../../protocol/nft-id.ts';
import { hex } from '../hex.ts';
import { memo } from '../payments.ts';
import { fund, noted, type Scenario, type Stage, type Step } from '../script.ts';
import { TRADERS } from '../setup.ts';
import { amountOf } from '../turn.ts';
import { buy, tokenOf } from './deals.ts';

const DUST = DAY + 15 * HOUR;
const PHISHING = 'Claim your 5,000 XRP reward now: https://xrp-rewards.example/claim';

function dust(stage: Stage): Scenario {
  const { people, cast } = stage;
  const id = stage.id('dust-spam');
  const spammer = cast.get('spammer');
  const targets = people.group('trader', TRADERS);
  return {
    id,
    kind: 'dust_spam',
    about: 'One drop to every trader, with a memo that lures to a phishing site',
    accounts: { spammer },
    from: DUST,
    to: DUST + 20 * MINUTE,
    expected: { payments: TRADERS, dropsEach: 1, memo: PHISHING },
    steps: [
      fund(DUST, [spammer], 15),
      ...targets.map(
        (target, n): Step => ({
          at: DUST + (1 + Math.floor(n / 4)) * MINUTE,
          act: (turn) =>
            void turn.pay(
              spammer,
              target.account,
              XRP,
              0,
              { Amount: Amount.drops(1), Memos: memo(PHISHING) },
              noted(id, 'dust'),
            ),
        }),
      ),
    ],
  };
}

const FAKE = 2 * DAY + 3 * HOUR;
const FAKE_VICTIMS = 6;

function impersonation(stage: Stage): Scenario {
  const { cast, economy } = stage;
  const id = stage.id('impersonation');
  const issuer = cast.get('issuer:fake-USDM');
  const asset = tokenOf(issuer, 'USDM');
  const victims = cast.group('victim:fake-USDM', FAKE_VICTIMS);
  return {
    id,
    kind: 'impersonation',
    about: "A token with the stablecoin's currency code from another issuer is sold to six people",
    accounts: { issuer, genuine: economy.token('USDM').issuer },
    token: asset,
    from: FAKE,
    to: FAKE + 3 * HOUR,
    expected: { victims: FAKE_VICTIMS, xrpEach: 40 },
    steps: [
      fund(FAKE, [issuer], 30),
      {
        at: FAKE + MINUTE,
        act: (turn) => {
          turn.send(
            issuer,
            {
              TransactionType: 'AccountSet',
              SetFlag: Asf.asfDefaultRipple,
              Domain: hex('usdm-official.example'),
            },
            noted(id, 'settings'),
          );
        },
      },
      {
        at: FAKE + 2 * MINUTE,
        act: (turn) => {
          turn.send(
            issuer,
            {
              TransactionType: 'OfferCreate',
              TakerGets: amountOf(asset, 100_000),
              TakerPays: amountOf(XRP, 40_000),
            },
            noted(id, 'offers'),
          );
        },
      },
      ...victims.flatMap((person, n): Step[] => {
        const at = FAKE + (10 + n * 25) * MINUTE;
        return [
          fund(at, [person], 60),
          {
            at: at + MINUTE,
            act: (turn) => void turn.trust(person, asset, 1e6, {}, noted(id, 'victim trusts')),
          },
          { at: at + 2 * MINUTE, act: (turn) => buy(turn, person, asset, 40, noted(id, 'victim buys')) },
        ];
      }),
      {
        at: FAKE + 175 * MINUTE,
        act: (turn) => {
          for (const { Sequence } of turn.owned(issuer.account, 'Offer'))
            turn.send(
              issuer,
              { TransactionType: 'OfferCancel', OfferSequence: Sequence },
              noted(id, 'offer withdrawn'),
            );
        },
      },
    ],
  };
}

const GIFTS = 4 * DAY + 5 * HOUR;
const GIFT_COUNT = 20;

function fakeAirdrop(stage: Stage): Scenario {
  const { people, cast } = stage;
  const id = stage.id('fake-airdrop');
  const scammer = cast.get('nft-scammer');
  const takers = [0, 7].map((n) => people.get(`trader:${n}`));
  return {
    id,
    kind: 'fake_airdrop',
    about:
      'Twenty NFTs that point to a phishing site are offered for nothing to twenty traders; two take theirs',
    accounts: { scammer },
    from: GIFTS,
    to: GIFTS + 40 * MINUTE,
    expected: { offers: GIFT_COUNT, taken: 2 },
    steps: [
      fund(GIFTS, [scammer], 20),
      ...Array.from(
        { length: GIFT_COUNT },
        (_, n): Step => ({
          at: GIFTS + (1 + Math.floor(n / 2)) * MINUTE,
          act: (turn) => {
            turn.send(
              scammer,
              {
                TransactionType: 'NFTokenMint',
                NFTokenTaxon: 0,
                URI: hex(`https://free-xrp.example/voucher/${n}`),
                Flags: Tf.tfTransferable,
                Amount: Amount.drops(0),
                Destination: people.get(`trader:${n}`).account,
              },
              noted(id, 'mints and offers'),
            );
          },
        }),
      ),
      {
        at: GIFTS + 30 * MINUTE,
        act: (turn) => {
          for (const offer of turn.owned(scammer.account, 'NFTokenOffer')) {
            const taker = takers.find(({ account }) => account === offer.Destination);
            if (taker)
              turn.send(
                taker,
                { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index },
                noted(id, 'victim takes'),
              );
          }
        },
      },
      {
        at: GIFTS + DAY,
        act: (turn) => {
          for (const taker of takers)
            for (const NFTokenID of turn.nfts(taker.account))
              if (nftIssuer(NFTokenID) === scammer.account)
                turn.send(taker, { TransactionType: 'NFTokenBurn', NFTokenID }, noted(id, 'victim burns'));
        },
      },
    ],
  };
}

const DRAIN = 5 * DAY + 8 * HOUR;
const DRAINED_XRP = 900;

function drainer(stage: Stage): Scenario {
  const { cast, economy } = stage;
  const id = stage.id('wallet-drainer');
  const victim = cast.get('drained');
  const thief = cast.get('drainer');
  const exit = cast.get('drainer-exit');
  const drained = stage.varied(id, DRAINED_XRP);
  const { asset, reserve } = economy.token('USDM');
  return {
    id,
    kind: 'wallet_drainer',
    about: 'A victim is talked into giving a thief his regular key; the thief takes all and passes it on',
    accounts: { victim, thief, exit },
    token: asset,
    from: DRAIN,
    to: DRAIN + 10 * MINUTE,
    expected: { xrp: drained, usdm: 400 },
    steps: [
      fund(DRAIN - 2 * HOUR, [victim], drained + 50),
      fund(DRAIN - 2 * HOUR, [thief, exit], 30),
      {
        at: DRAIN - HOUR,
        act: (turn) => {
          for (const person of [victim, thief]) turn.trust(person, asset, 1e6);
        },
      },
      { at: DRAIN - HOUR / 2, act: (turn) => void turn.pay(reserve, victim.account, asset, 400) },
      {
        at: DRAIN,
        act: (turn) =>
          void turn.send(
            victim,
            { TransactionType: 'SetRegularKey', RegularKey: thief.account },
            noted(id, 'key given'),
          ),
      },
      {
        at: DRAIN + 2 * MINUTE,
        act: (turn) => {
          const take = (Amount: ReturnType<typeof amountOf>) =>
            turn.send(
              victim,
              { TransactionType: 'Payment', Destination: thief.account, Amount },
              noted(id, 'drained'),
              thief,
            );
          take(amountOf(XRP, drained));
          take(amountOf(asset, 400));
        },
      },
      {
        at: DRAIN + 6 * MINUTE,
        act: (turn) => void turn.pay(thief, exit.account, XRP, drained, {}, noted(id, 'passed on')),
      },
    ],
  };
}

export const scams = (stage: Stage): Scenario[] => [
  dust(stage),
  impersonation(stage),
  fakeAirdrop(stage),
  drainer(stage),
];
