/** Scams: dust with a phishing memo, an impersonated stablecoin, worthless NFTs sent as gifts, a drained wallet. */

import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import { nftIssuer } from '../../protocol/nft-id.ts';
import { hex } from '../hex.ts';
import { memo } from '../payments.ts';
import { annotate, fund, type Scenario, type ScenarioContext, type ScheduledAction } from '../scenario.ts';
import { TRADERS } from '../setup.ts';
import { amountOf } from '../simulation-step.ts';
import { buy, tokenOf } from './market-actions.ts';

const DUST = DAY + 15 * HOUR;
const PHISHING = 'Claim your 5,000 XRP reward now: https://xrp-rewards.example/claim';

function dust(context: ScenarioContext): Scenario {
  const { agents, actors } = context;
  const id = context.id('dust-spam');
  const spammer = actors.get('spammer');
  const targets = agents.group('trader', TRADERS);
  return {
    id,
    kind: 'dust_spam',
    about: 'One drop to every trader, with a memo that lures to a phishing site',
    accounts: { spammer },
    from: DUST,
    to: DUST + 20 * MINUTE,
    expected: { payments: TRADERS, dropsEach: 1, memo: PHISHING },
    actions: [
      fund(DUST, [spammer], 15),
      ...targets.map(
        (target, n): ScheduledAction => ({
          at: DUST + (1 + Math.floor(n / 4)) * MINUTE,
          run: (step) =>
            void step.pay(
              spammer,
              target.account,
              XRP,
              0,
              { Amount: Amount.drops(1), Memos: memo(PHISHING) },
              annotate(id, 'dust'),
            ),
        }),
      ),
    ],
  };
}

const FAKE = 2 * DAY + 3 * HOUR;
const FAKE_VICTIMS = 6;

function impersonation(context: ScenarioContext): Scenario {
  const { actors, economy } = context;
  const id = context.id('impersonation');
  const issuer = actors.get('issuer:fake-USDM');
  const asset = tokenOf(issuer, 'USDM');
  const victims = actors.group('victim:fake-USDM', FAKE_VICTIMS);
  return {
    id,
    kind: 'impersonation',
    about: "A token with the stablecoin's currency code from another issuer is sold to six people",
    accounts: { issuer, genuine: economy.token('USDM').issuer },
    token: asset,
    from: FAKE,
    to: FAKE + 3 * HOUR,
    expected: { victims: FAKE_VICTIMS, xrpEach: 40 },
    actions: [
      fund(FAKE, [issuer], 30),
      {
        at: FAKE + MINUTE,
        run: (step) => {
          step.send(
            issuer,
            {
              TransactionType: 'AccountSet',
              SetFlag: Asf.asfDefaultRipple,
              Domain: hex('usdm-official.example'),
            },
            annotate(id, 'settings'),
          );
        },
      },
      {
        at: FAKE + 2 * MINUTE,
        run: (step) => {
          step.send(
            issuer,
            {
              TransactionType: 'OfferCreate',
              TakerGets: amountOf(asset, 100_000),
              TakerPays: amountOf(XRP, 40_000),
            },
            annotate(id, 'offers'),
          );
        },
      },
      ...victims.flatMap((agent, n): ScheduledAction[] => {
        const at = FAKE + (10 + n * 25) * MINUTE;
        return [
          fund(at, [agent], 60),
          {
            at: at + MINUTE,
            run: (step) => void step.trust(agent, asset, 1e6, {}, annotate(id, 'victim trusts')),
          },
          { at: at + 2 * MINUTE, run: (step) => buy(step, agent, asset, 40, annotate(id, 'victim buys')) },
        ];
      }),
      {
        at: FAKE + 175 * MINUTE,
        run: (step) => {
          for (const { Sequence } of step.owned(issuer.account, 'Offer'))
            step.send(
              issuer,
              { TransactionType: 'OfferCancel', OfferSequence: Sequence },
              annotate(id, 'offer withdrawn'),
            );
        },
      },
    ],
  };
}

const GIFTS = 4 * DAY + 5 * HOUR;
const GIFT_COUNT = 20;

function fakeAirdrop(context: ScenarioContext): Scenario {
  const { agents, actors } = context;
  const id = context.id('fake-airdrop');
  const scammer = actors.get('nft-scammer');
  const takers = [0, 7].map((n) => agents.get(`trader:${n}`));
  return {
    id,
    kind: 'fake_airdrop',
    about:
      'Twenty NFTs that point to a phishing site, with the name and pictures of the drop, are offered for nothing to twenty traders; two take theirs',
    accounts: { scammer },
    from: GIFTS,
    to: GIFTS + 40 * MINUTE,
    expected: { offers: GIFT_COUNT, taken: 2, copies: 'The Drop' },
    actions: [
      fund(GIFTS, [scammer], 20),
      ...Array.from(
        { length: GIFT_COUNT },
        (_, n): ScheduledAction => ({
          at: GIFTS + (1 + Math.floor(n / 2)) * MINUTE,
          run: (step) => {
            step.send(
              scammer,
              {
                TransactionType: 'NFTokenMint',
                NFTokenTaxon: 0,
                URI: hex(`https://free-xrp.example/voucher/${n}`),
                Flags: Tf.tfTransferable,
                Amount: Amount.drops(0),
                Destination: agents.get(`trader:${n}`).account,
              },
              annotate(id, 'mints and offers'),
            );
          },
        }),
      ),
      {
        at: GIFTS + 30 * MINUTE,
        run: (step) => {
          for (const offer of step.owned(scammer.account, 'NFTokenOffer')) {
            const taker = takers.find(({ account }) => account === offer.Destination);
            if (taker)
              step.send(
                taker,
                { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index },
                annotate(id, 'victim takes'),
              );
          }
        },
      },
      {
        at: GIFTS + DAY,
        run: (step) => {
          for (const taker of takers)
            for (const NFTokenID of step.nfts(taker.account))
              if (nftIssuer(NFTokenID) === scammer.account)
                step.send(taker, { TransactionType: 'NFTokenBurn', NFTokenID }, annotate(id, 'victim burns'));
        },
      },
    ],
  };
}

const DRAIN = 5 * DAY + 8 * HOUR;
const DRAINED_XRP = 900;

function drainer(context: ScenarioContext): Scenario {
  const { actors, economy } = context;
  const id = context.id('wallet-drainer');
  const victim = actors.get('drained');
  const thief = actors.get('drainer');
  const exit = actors.get('drainer-exit');
  const drained = context.varied(id, DRAINED_XRP);
  const { asset, reserve } = economy.token('USDM');
  return {
    id,
    kind: 'wallet_drainer',
    about: 'A victim is talked into giving a thief their regular key; the thief takes all and passes it on',
    accounts: { victim, thief, exit },
    token: asset,
    from: DRAIN,
    to: DRAIN + 10 * MINUTE,
    expected: { xrp: drained, usdm: 400 },
    actions: [
      fund(DRAIN - 2 * HOUR, [victim], drained + 50),
      fund(DRAIN - 2 * HOUR, [thief, exit], 30),
      {
        at: DRAIN - HOUR,
        run: (step) => {
          for (const agent of [victim, thief]) step.trust(agent, asset, 1e6);
        },
      },
      { at: DRAIN - HOUR / 2, run: (step) => void step.pay(reserve, victim.account, asset, 400) },
      {
        at: DRAIN,
        run: (step) =>
          void step.send(
            victim,
            { TransactionType: 'SetRegularKey', RegularKey: thief.account },
            annotate(id, 'key given'),
          ),
      },
      {
        at: DRAIN + 2 * MINUTE,
        run: (step) => {
          const take = (Amount: ReturnType<typeof amountOf>) =>
            step.send(
              victim,
              { TransactionType: 'Payment', Destination: thief.account, Amount },
              annotate(id, 'drained'),
              thief,
            );
          take(amountOf(XRP, drained));
          take(amountOf(asset, 400));
        },
      },
      {
        at: DRAIN + 6 * MINUTE,
        run: (step) => void step.pay(thief, exit.account, XRP, drained, {}, annotate(id, 'passed on')),
      },
    ],
  };
}

export const scams = (context: ScenarioContext): Scenario[] => [
  dust(context),
  impersonation(context),
  fakeAirdrop(context),
  drainer(context),
];
