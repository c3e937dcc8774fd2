/** NFTs: a drop minted and sold within an hour, wash sales, holders who sell blue chips and buy the drop. */
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { Amount } from '../../../engine/codec/arithmetic/amount.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { nftTaxon } from '../../protocol/nft-id.ts';
import type { Agent } from '../agents.ts';
import { BLUE_CHIP_TAXON, broker, COLLECTORS, ROYALTY } from '../collectors.ts';
import { hex } from '../hex.ts';
import { annotate, fund, type Scenario, type ScenarioContext, type ScheduledAction } from '../scenario.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';

export const DROP = 2 * DAY + 10 * HOUR;
export const DROP_TAXON = 7;
export const DROP_ITEMS = 100;
const DROP_PRICE = 15;
const MINTS_A_MINUTE = 2;
const BUYERS = 40;
/** Buyers of the drop that held blue chips before. */
const ROTATORS = 6;

/** Buyers of the drop: rotators first, then fans. */
function buyersOf({ actors }: ScenarioContext): Agent[] {
  return [...actors.group('rotator', ROTATORS), ...actors.group('fan:drop', BUYERS - ROTATORS)];
}

/** Buyers of the drop that held no blue chips. */
export const dropFans = (context: ScenarioContext): Agent[] => buyersOf(context).slice(ROTATORS);

/** Accepts the listings of a seller that name one of these buyers as their destination. */
function acceptReserved(
  step: SimulationStep,
  seller: Agent,
  buyers: readonly Agent[],
  id: string,
  label: string,
): void {
  for (const offer of step.owned(seller.account, 'NFTokenOffer')) {
    const buyer = buyers.find(({ account }) => account === offer.Destination);
    if (buyer === undefined) continue;
    step.send(
      buyer,
      { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index },
      annotate(id, label),
    );
  }
}

export const dropperOf = ({ actors }: ScenarioContext): Agent => actors.get('dropper');

function drop(context: ScenarioContext): Scenario {
  const id = context.id('nft-drop');
  const dropper = dropperOf(context);
  const price = context.varied(id, DROP_PRICE);
  const buyers = buyersOf(context);
  const fans = dropFans(context);
  const minutes = DROP_ITEMS / MINTS_A_MINUTE;
  const mint = (step: SimulationStep, n: number) =>
    step.send(
      dropper,
      {
        TransactionType: 'NFTokenMint',
        NFTokenTaxon: DROP_TAXON,
        TransferFee: 2_500,
        URI: hex(`ipfs://drop/${n}.json`),
        Flags: Tf.tfTransferable,
        Amount: amountOf('XRP', price),
        Destination: buyers[n % BUYERS]!.account,
      },
      annotate(id, 'mint'),
    );
  return {
    id,
    kind: 'nft-drop',
    about: 'A hundred NFTs are minted and sold to forty people within an hour, six of whom hold blue chips',
    accounts: { dropper },
    from: DROP,
    to: DROP + (minutes + 2) * MINUTE,
    expected: { taxon: DROP_TAXON, items: DROP_ITEMS, buyers: BUYERS, priceXrp: price },
    actions: [
      fund(DROP - HOUR, [dropper], 40),
      fund(DROP - HOUR, fans, 4 * price + 30),
      ...Array.from(
        { length: minutes + 1 },
        (_, m): ScheduledAction => ({
          at: DROP + m * MINUTE,
          run: (step) => {
            acceptReserved(step, dropper, buyers, id, 'sale');
            if (m < minutes) for (let i = 0; i < MINTS_A_MINUTE; i++) mint(step, m * MINTS_A_MINUTE + i);
          },
        }),
      ),
    ],
  };
}

const ROTATE = DAY + 6 * HOUR;
const ROTATOR_BUYS = 130;
const ROTATOR_SELLS = 95;
/** XRP: the most that a collector can spend on other NFTs between its funding and this sale, and a reserve. */
const COLLECTOR_SPENDS = 400;

/** Agents that buy newly minted blue chips, sell them to collectors for less, and buy the drop hours later. */
function rotation(context: ScenarioContext): Scenario {
  const id = context.id('nft-rotation');
  const maker = context.agents.get('studio');
  const rotators = buyersOf(context).slice(0, ROTATORS);
  const sale = DROP - 4 * HOUR;
  const collector = (n: number) => context.agents.get(`collector:${(n * 3) % COLLECTORS}`);
  return {
    id,
    kind: 'nft-rotation',
    about: 'Six holders sell their blue chips and buy of the drop four hours later',
    accounts: Object.fromEntries(rotators.map((agent, n) => [`rotator ${n + 1}`, agent])),
    from: ROTATE,
    to: DROP + HOUR,
    expected: { holders: ROTATORS, boughtAtXrp: ROTATOR_BUYS, soldAtXrp: ROTATOR_SELLS },
    actions: [
      fund(ROTATE, rotators, ROTATOR_BUYS + 60),
      ...rotators.map(
        (agent, n): ScheduledAction => ({
          at: ROTATE + (5 + n) * MINUTE,
          run: (step) => {
            step.send(
              maker,
              {
                TransactionType: 'NFTokenMint',
                NFTokenTaxon: BLUE_CHIP_TAXON,
                TransferFee: ROYALTY,
                URI: hex(`ipfs://blue-chip/special-${n + 1}.json`),
                Flags: Tf.tfTransferable | Tf.tfMutable,
                Amount: amountOf('XRP', ROTATOR_BUYS),
                Destination: agent.account,
              },
              annotate(id, 'mint'),
            );
          },
        }),
      ),
      {
        at: ROTATE + 20 * MINUTE,
        run: (step) => acceptReserved(step, maker, rotators, id, 'buys blue chip'),
      },
      ...rotators.flatMap((agent, n): ScheduledAction[] => [
        // Collectors also act on their own: funded just before, this one can pay when the sale is due.
        fund(sale + (n * 10 + 4) * MINUTE, [collector(n)], ROTATOR_SELLS + COLLECTOR_SPENDS),
        {
          at: sale + n * 10 * MINUTE,
          run: (step) => {
            const nft = step.nfts(agent.account).find((one) => nftTaxon(one) === BLUE_CHIP_TAXON);
            if (nft === undefined) return;
            step.send(
              agent,
              {
                TransactionType: 'NFTokenCreateOffer',
                NFTokenID: nft,
                Amount: amountOf('XRP', ROTATOR_SELLS),
                Destination: collector(n).account,
                Flags: Tf.tfSellNFToken,
              },
              annotate(id, 'lists blue chip'),
            );
          },
        },
        {
          at: sale + (n * 10 + 5) * MINUTE,
          run: (step) => acceptReserved(step, agent, [collector(n)], id, 'sells blue chip'),
        },
      ]),
    ],
  };
}

const WASH = 4 * DAY + 16 * HOUR;
export const WASH_TAXON = 9;
const WASH_SALES = 6;
const washPrice = (n: number): number => 50 * (n + 1);

/** Two accounts sell one NFT to each other again and again, at a higher price each time. */
function washSale(context: ScenarioContext): Scenario {
  const id = context.id('nft-wash');
  const pair = context.actors.group('nft-washer', 2);
  const owner = (n: number): Agent => pair[n % 2]!;
  const sales = Array.from({ length: WASH_SALES }, (_, n): ScheduledAction[] => {
    const at = WASH + (10 + n * 30) * MINUTE;
    return [
      {
        at,
        run: (step) => {
          const nft = step.nfts(owner(n).account)[0];
          if (nft === undefined) return;
          step.send(
            owner(n),
            {
              TransactionType: 'NFTokenCreateOffer',
              NFTokenID: nft,
              Amount: amountOf('XRP', washPrice(n)),
              Destination: owner(n + 1).account,
              Flags: Tf.tfSellNFToken,
            },
            annotate(id, 'lists'),
          );
        },
      },
      {
        at: at + 2 * MINUTE,
        run: (step) => acceptReserved(step, owner(n), [owner(n + 1)], id, `sale ${n + 1}`),
      },
    ];
  });
  return {
    id,
    kind: 'nft-wash',
    about: 'Two accounts sell one NFT to each other six times, each time dearer',
    accounts: { first: pair[0]!, second: pair[1]! },
    from: WASH,
    to: WASH + (10 + WASH_SALES * 30) * MINUTE,
    expected: {
      sales: WASH_SALES,
      volumeXrp: Array.from({ length: WASH_SALES }, (_, n) => washPrice(n)).reduce((a, b) => a + b, 0),
    },
    actions: [
      fund(WASH, pair, 700),
      {
        at: WASH + 2 * MINUTE,
        run: (step) => {
          step.send(
            pair[0]!,
            {
              TransactionType: 'NFTokenMint',
              NFTokenTaxon: WASH_TAXON,
              URI: hex('ipfs://rare/1.json'),
              Flags: Tf.tfTransferable,
            },
            annotate(id, 'mint'),
          );
        },
      },
      ...sales.flat(),
    ],
  };
}

const BROKERED = 3 * DAY + 20 * HOUR;
const BROKERED_ASK = 80;
const BROKERED_BID = 90;
const BROKER_FEE = 2;

/** A marketplace brokers a sale between a listing and a bid. */
function brokeredSale(context: ScenarioContext): Scenario {
  const id = context.id('nft-brokered');
  const [seller, buyer] = context.actors.group('brokered', 2) as [Agent, Agent];
  const minute = (n: number) => BROKERED + n * MINUTE;
  const offer = (
    step: SimulationStep,
    agent: Agent,
    price: number,
    more: { Owner?: string; Flags?: number },
  ) => {
    const nft = step.nfts(seller.account)[0];
    if (nft === undefined) return;
    step.send(
      agent,
      { TransactionType: 'NFTokenCreateOffer', NFTokenID: nft, Amount: amountOf('XRP', price), ...more },
      annotate(id, more.Owner ? 'bids' : 'lists'),
    );
  };
  return {
    id,
    kind: 'nft-brokered',
    about: 'A marketplace brings a bid and a listing together and keeps a fee',
    accounts: { seller, buyer, broker: broker(context) },
    from: BROKERED,
    to: minute(10),
    expected: { ask: BROKERED_ASK, bid: BROKERED_BID, brokerFee: BROKER_FEE },
    actions: [
      fund(BROKERED, [seller, buyer], 150),
      {
        at: minute(2),
        run: (step) => {
          step.send(
            seller,
            {
              TransactionType: 'NFTokenMint',
              NFTokenTaxon: 11,
              Flags: Tf.tfTransferable,
              URI: hex('ipfs://single/1.json'),
            },
            annotate(id, 'mint'),
          );
        },
      },
      { at: minute(4), run: (step) => offer(step, seller, BROKERED_ASK, { Flags: Tf.tfSellNFToken }) },
      { at: minute(6), run: (step) => offer(step, buyer, BROKERED_BID, { Owner: seller.account }) },
      {
        at: minute(8),
        run: (step) => {
          const nft = step.nfts(seller.account)[0];
          if (nft === undefined) return;
          const [sell] = step.entriesIn(keylets.nftSellOffers(nft), 'NFTokenOffer');
          const [bid] = step.entriesIn(keylets.nftBuyOffers(nft), 'NFTokenOffer');
          if (sell === undefined || bid === undefined) return;
          step.send(
            broker(step),
            {
              TransactionType: 'NFTokenAcceptOffer',
              NFTokenSellOffer: sell.index,
              NFTokenBuyOffer: bid.index,
              NFTokenBrokerFee: Amount.drops(BROKER_FEE * DROPS_PER_XRP),
            },
            annotate(id, 'brokered sale'),
          );
        },
      },
    ],
  };
}

export const nftScenarios = (context: ScenarioContext): Scenario[] => [
  drop(context),
  rotation(context),
  washSale(context),
  brokeredSale(context),
];
