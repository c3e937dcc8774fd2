/** What falls due: escrows that mature one by one, checks that are cashed or not, a channel that is drawn upon. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { XRP } from '../../protocol/asset.ts';
import type { Entry, EntryType } from '../../protocol/fields.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Person } from '../people.ts';
import { Plot, type Scenario, type Stage } from '../script.ts';
import { amountOf, type Turn } from '../turn.ts';

/** What somebody has written himself, of one kind, oldest first. */
const written = (turn: Turn, { account }: Person, type: EntryType): Readonly<Entry>[] =>
  turn
    .owned(account, type)
    .filter((entry) => entry.Account === account)
    .sort((a, b) => (a.Sequence ?? 0) - (b.Sequence ?? 0));

const ESCROWS = 12 * HOUR;
const TRANCHES = 5;
const TRANCHE_XRP = 100;
const DAY_MINUTES = 24 * 60;

/** One falls due every day; the last is not called for and goes back. */
function vesting(stage: Stage): Scenario {
  const payer = stage.cast.get('vesting:payer');
  const payee = stage.cast.get('vesting:payee');
  const Amount = amountOf(XRP, TRANCHE_XRP);
  const named = (turn: Turn) => ({
    Owner: payer.account,
    OfferSequence: written(turn, payer, 'Escrow')[0]?.Sequence ?? 0,
  });
  const plot = new Plot(stage, 'vesting', ESCROWS)
    .fund(0, [payer], TRANCHES * TRANCHE_XRP + 20)
    .fund(0, [payee], 20);
  for (let n = 1; n <= TRANCHES; n++) {
    const due = (turn: Turn) => turn.closeTime + n * DAY - HOUR;
    const last = n === TRANCHES;
    plot
      .say(1 + n, 'locks', payer, (turn) => ({
        TransactionType: 'EscrowCreate',
        Destination: payee.account,
        Amount,
        FinishAfter: due(turn),
        ...(last ? { CancelAfter: due(turn) + HOUR / 2 } : {}),
      }))
      .say(1 + n + n * DAY_MINUTES, last ? 'goes back' : 'released', payee, (turn) => ({
        TransactionType: last ? 'EscrowCancel' : 'EscrowFinish',
        ...named(turn),
      }));
  }
  return plot.told({
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

/** Three are cashed, one in part, one is torn up by its writer, one expires. */
function checks(stage: Stage): Scenario {
  const writer = stage.cast.get('check:writer');
  const taker = stage.cast.get('check:taker');
  const all = [...FULL, PART.written, TORN_UP, EXPIRED];
  const cashed = FULL.reduce((a, b) => a + b, 0) + PART.cashed;
  const plot = new Plot(stage, 'checks', CHECKS).fund(0, [writer], 2 * cashed + 20).fund(0, [taker], 20);
  const check = (turn: Turn, xrp: number) =>
    written(turn, writer, 'Check').find(({ SendMax }) => SendMax!.equals(amountOf(XRP, xrp)))?.index;
  const end = (minute: number, step: string, person: Person, xrp: number, more: object) =>
    plot.say(minute, step, person, (turn) => {
      const CheckID = check(turn, xrp);
      return CheckID && { TransactionType: 'CheckCash', CheckID, ...more };
    });
  all.forEach((xrp, n) => {
    plot.say(2 + n, 'writes', writer, (turn) => ({
      TransactionType: 'CheckCreate',
      Destination: taker.account,
      SendMax: amountOf(XRP, xrp),
      ...(xrp === EXPIRED ? { Expiration: turn.closeTime + HOUR } : {}),
    }));
  });
  FULL.forEach((xrp, n) => {
    end(60 * (n + 1), 'cashes', taker, xrp, { Amount: amountOf(XRP, xrp) });
  });
  end(240, 'cashes', taker, PART.written, { Amount: amountOf(XRP, PART.cashed) });
  end(300, 'tears up', writer, TORN_UP, { TransactionType: 'CheckCancel' });
  end(310, 'clears away', taker, EXPIRED, { TransactionType: 'CheckCancel' });
  return plot.told({
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

/** The payer pays out three times, then the payee closes it and the rest goes back. */
function channel(stage: Stage): Scenario {
  const payer = stage.cast.get('channel:payer');
  const payee = stage.cast.get('channel:payee');
  const id = (turn: Turn) => written(turn, payer, 'PayChannel')[0]?.index;
  const claim = (minute: number, step: string, person: Person, more: object) =>
    plot.say(minute, step, person, (turn) => {
      const Channel = id(turn);
      return Channel && { TransactionType: 'PaymentChannelClaim', Channel, ...more };
    });
  const plot = new Plot(stage, 'channel', CHANNEL)
    .fund(0, [payer], CHANNEL_XRP + 20)
    .fund(0, [payee], 20)
    .say(2, 'opens', payer, {
      TransactionType: 'PaymentChannelCreate',
      Destination: payee.account,
      Amount: amountOf(XRP, CHANNEL_XRP),
      SettleDelay: HOUR,
      PublicKey: payer.publicKey,
    });
  for (let n = 1; n <= CLAIMS; n++) claim(n * 120, 'pays', payer, { Balance: amountOf(XRP, n * CLAIM_XRP) });
  claim(CLAIMS * 120 + 60, 'closes', payee, { Flags: Tf.tfClose });
  return plot.told({
    kind: 'channel',
    about: 'A payment channel pays out three times, then its payee closes it',
    accounts: { payer, payee },
    minutes: CLAIMS * 120 + 60,
    expected: { claims: CLAIMS, openedXrp: CHANNEL_XRP, paidXrp: CLAIMS * CLAIM_XRP },
  });
}

export const promises = (stage: Stage): Scenario[] => [vesting(stage), checks(stage), channel(stage)];
