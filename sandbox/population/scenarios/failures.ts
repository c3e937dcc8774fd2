/** An agent that sends a failing transaction every few hours and pays its fee. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { HOUR } from '../../../engine/ripple-time.ts';
import { Asf, Tf } from '../../protocol/flags.ts';
import type { Result } from '../../protocol/results.ts';
import { type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, type TransactionTemplate } from '../simulation-step.ts';

const BEGIN = HOUR;
const EVERY = 4 * 60;
const ROUNDS = 36;

export function failures(context: ScenarioContext): Scenario[] {
  const { agents, actors, economy } = context;
  const clumsy = actors.get('clumsy');
  const strict = actors.get('strict');
  const unfunded = agents.get('never-funded');
  const dollars = economy.token('USDM').asset;
  const cor = economy.token('COR').asset;
  const trader = agents.get('trader:0').account;
  const tries: readonly [Result, TransactionTemplate][] = [
    [
      'tecUNFUNDED_PAYMENT',
      { TransactionType: 'Payment', Destination: trader, Amount: amountOf(XRP, 50_000) },
    ],
    ['tecPATH_DRY', { TransactionType: 'Payment', Destination: trader, Amount: amountOf(dollars, 10) }],
    [
      'tecNO_DST_INSUF_XRP',
      { TransactionType: 'Payment', Destination: unfunded.account, Amount: amountOf(XRP, 0.5) },
    ],
    [
      'tecDST_TAG_NEEDED',
      { TransactionType: 'Payment', Destination: strict.account, Amount: amountOf(XRP, 1) },
    ],
    [
      'tecPATH_PARTIAL',
      {
        TransactionType: 'Payment',
        Destination: clumsy.account,
        Amount: amountOf(dollars, 1_000),
        SendMax: amountOf(XRP, 20),
      },
    ],
    [
      'tecKILLED',
      {
        TransactionType: 'OfferCreate',
        TakerPays: amountOf(dollars, 1_000),
        TakerGets: amountOf(XRP, 5),
        Flags: Tf.tfFillOrKill,
      },
    ],
    [
      'tecUNFUNDED_OFFER',
      { TransactionType: 'OfferCreate', TakerPays: amountOf(XRP, 5), TakerGets: amountOf(cor, 10) },
    ],
    ['tecNO_TARGET', { TransactionType: 'EscrowFinish', Owner: trader, OfferSequence: 1 }],
    ['tecNO_ENTRY', { TransactionType: 'CheckCancel', CheckID: 'AB'.repeat(32) }],
  ];
  const builder = new ScenarioBuilder(context, 'failures', BEGIN)
    .fund(0, [clumsy, strict], 40)
    .schedule(1, (step) => {
      step.send(strict, { TransactionType: 'AccountSet', SetFlag: Asf.asfRequireDest });
      step.trust(clumsy, dollars, 1e6);
    });
  for (let n = 0; n < ROUNDS; n++) {
    const [result, template] = tries[n % tries.length]!;
    builder.send(60 + n * EVERY, result, clumsy, template, result);
  }
  return [
    builder.build({
      kind: 'failures',
      about: 'Transactions that are in ledgers and did nothing but cost their fee',
      accounts: { clumsy, strict },
      minutes: ROUNDS * EVERY,
      expected: { failed: ROUNDS },
    }),
  ];
}
