/** Objects with deadlines: escrows that mature one by one, checks cashed or not, a payment channel that pays out. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import type { Entry, EntryType } from '../../protocol/fields.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import { type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';

/** Entries of one type that an agent created, oldest first. */
const createdBy = (step: SimulationStep, { account }: Agent, type: EntryType): Readonly<Entry>[] =>
  step
    .owned(account, type)
    .filter((entry) => entry.Account === account)
    .sort((a, b) => (a.Sequence ?? 0) - (b.Sequence ?? 0));

const ESCROWS = 12 * HOUR;
const TRANCHES = 5;
const TRANCHE_XRP = 100;
const DAY_MINUTES = 24 * 60;

/** One escrow is due every day; the last is not finished in time and is cancelled. */
function vesting(context: ScenarioContext): Scenario {
  const payer = context.actors.get('vesting:payer');
  const payee = context.actors.get('vesting:payee');
  const Amount = amountOf(XRP, TRANCHE_XRP);
  const escrowId = (step: SimulationStep) => ({
    Owner: payer.account,
    OfferSequence: createdBy(step, payer, 'Escrow')[0]?.Sequence ?? 0,
  });
  const builder = new ScenarioBuilder(context, 'vesting', ESCROWS)
    .fund(0, [payer], TRANCHES * TRANCHE_XRP + 20)
    .fund(0, [payee], 20);
  for (let n = 1; n <= TRANCHES; n++) {
    const due = (step: SimulationStep) => step.closeTime + n * DAY - HOUR;
    const last = n === TRANCHES;
    builder
      .send(1 + n, 'locks', payer, (step) => ({
        TransactionType: 'EscrowCreate',
        Destination: payee.account,
        Amount,
        FinishAfter: due(step),
        ...(last ? { CancelAfter: due(step) + HOUR / 2 } : {}),
      }))
      .send(1 + n + n * DAY_MINUTES, last ? 'goes back' : 'released', payee, (step) => ({
        TransactionType: last ? 'EscrowCancel' : 'EscrowFinish',
        ...escrowId(step),
      }));
  }
  return builder.build({
    kind: 'escrow',
    about: 'Five escrows of one payer: one falls due a day, the last is not called for in time and goes back',
    accounts: { payer, payee },
    minutes: 1 + TRANCHES + TRANCHES * DAY_MINUTES,
    expected: {
      escrows: TRANCHES,
      lockedXrp: TRANCHES * TRANCHE_XRP,
      releasedXrp: (TRANCHES - 1) * TRANCHE_XRP,
      returnedXrp: TRANCHE_XRP,
    },
  });
}

const CHECKS = DAY + 6 * HOUR;
const FULL = [10, 20, 30] as const;
const PART = { written: 40, cashed: 25 } as const;
const TORN_UP = 50;
const EXPIRED = 60;

/** Three checks are cashed, one in part, one is cancelled by its writer, one expires. */
function checks(context: ScenarioContext): Scenario {
  const writer = context.actors.get('check:writer');
  const taker = context.actors.get('check:taker');
  const all = [...FULL, PART.written, TORN_UP, EXPIRED];
  const cashed = FULL.reduce((a, b) => a + b, 0) + PART.cashed;
  const builder = new ScenarioBuilder(context, 'checks', CHECKS)
    .fund(0, [writer], 2 * cashed + 20)
    .fund(0, [taker], 20);
  const check = (step: SimulationStep, xrp: number) =>
    createdBy(step, writer, 'Check').find(({ SendMax }) => SendMax!.equals(amountOf(XRP, xrp)))?.index;
  const end = (minute: number, label: string, agent: Agent, xrp: number, more: object) =>
    builder.send(minute, label, agent, (step) => {
      const CheckID = check(step, xrp);
      return CheckID && { TransactionType: 'CheckCash', CheckID, ...more };
    });
  all.forEach((xrp, n) => {
    builder.send(2 + n, 'writes', writer, (step) => ({
      TransactionType: 'CheckCreate',
      Destination: taker.account,
      SendMax: amountOf(XRP, xrp),
      ...(xrp === EXPIRED ? { Expiration: step.closeTime + HOUR } : {}),
    }));
  });
  FULL.forEach((xrp, n) => {
    end(60 * (n + 1), 'cashes', taker, xrp, { Amount: amountOf(XRP, xrp) });
  });
  end(240, 'cashes', taker, PART.written, { Amount: amountOf(XRP, PART.cashed) });
  end(300, 'tears up', writer, TORN_UP, { TransactionType: 'CheckCancel' });
  end(310, 'clears away', taker, EXPIRED, { TransactionType: 'CheckCancel' });
  return builder.build({
    kind: 'check',
    about: 'Six checks: three are cashed, one in part, one is torn up by its writer, one expires',
    accounts: { writer, taker },
    minutes: 310,
    expected: {
      checks: all.length,
      writtenXrp: all.reduce((a, b) => a + b, 0),
      cashed: FULL.length + 1,
      cashedXrp: cashed,
      notCashed: 2,
    },
  });
}

const CHANNEL = 2 * DAY + 14 * HOUR;
const CHANNEL_XRP = 60;
const CLAIMS = 3;
const CLAIM_XRP = 15;

/** The payer pays out three times, then the payee closes the channel and the rest is returned. */
function channel(context: ScenarioContext): Scenario {
  const payer = context.actors.get('channel:payer');
  const payee = context.actors.get('channel:payee');
  const id = (step: SimulationStep) => createdBy(step, payer, 'PayChannel')[0]?.index;
  const claim = (minute: number, label: string, agent: Agent, more: object) =>
    builder.send(minute, label, agent, (step) => {
      const Channel = id(step);
      return Channel && { TransactionType: 'PaymentChannelClaim', Channel, ...more };
    });
  const builder = new ScenarioBuilder(context, 'channel', CHANNEL)
    .fund(0, [payer], CHANNEL_XRP + 20)
    .fund(0, [payee], 20)
    .send(2, 'opens', payer, {
      TransactionType: 'PaymentChannelCreate',
      Destination: payee.account,
      Amount: amountOf(XRP, CHANNEL_XRP),
      SettleDelay: HOUR,
      PublicKey: payer.publicKey,
    });
  for (let n = 1; n <= CLAIMS; n++) claim(n * 120, 'pays', payer, { Balance: amountOf(XRP, n * CLAIM_XRP) });
  claim(CLAIMS * 120 + 60, 'closes', payee, { Flags: Tf.tfClose });
  return builder.build({
    kind: 'channel',
    about: 'A payment channel pays out three times, then its payee closes it',
    accounts: { payer, payee },
    minutes: CLAIMS * 120 + 60,
    expected: { claims: CLAIMS, openedXrp: CHANNEL_XRP, paidXrp: CLAIMS * CLAIM_XRP },
  });
}

export const escrowsChecksChannels = (context: ScenarioContext): Scenario[] => [
  vesting(context),
  checks(context),
  channel(context),
];
