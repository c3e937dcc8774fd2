/** NFTs: a drop that is minted out in an hour, a wash sale, holders who leave the blue chips for the drop. */
import { DROPS_PER_XRP } from '../../../engine/codec/amount.ts';
import { DAY, HOUR, MINUTE } from '../../../engine/ripple-time.ts';
import { Amount } from '../../protocol/amount.ts';
import { Tf } from '../../protocol/flags.ts';
import * as keylets from '../../protocol/keylets.ts';
import { nftTaxon } from '../../protocol/nft-id.ts';
import { BLUE_CHIP_TAXON, broker, COLLECTORS, ROYALTY } from '../collectors.ts';
import { hex } from '../hex.ts';
import type { Person } from '../people.ts';
import { fund, noted, type Scenario, type Stage, type Step } from '../script.ts';
import { amountOf, type Turn } from '../turn.ts';

export const DROP = 2 * DAY + 10 * HOUR;
export const DROP_TAXON = 7;
export const DROP_ITEMS = 100;
const DROP_PRICE = 15;
const MINTS_A_MINUTE = 2;
const BUYERS = 40;
/** Of the buyers, those who had blue chips before. */
const ROTATORS = 6;

/** Buyers of the drop: rotators first, then fans. */
function buyersOf({ cast }: Stage): Person[] {
  return [...cast.group('rotator', ROTATORS), ...cast.group('fan:drop', BUYERS - ROTATORS)];
}

/** Those who come for the drop alone. */
export const dropFans = (stage: Stage): Person[] => buyersOf(stage).slice(ROTATORS);

/** Takes the listings that are meant for somebody. */
function takeOwn(turn: Turn, seller: Person, takers: readonly Person[], id: string, step: string): void {
  for (const offer of turn.owned(seller.account, 'NFTokenOffer')) {
    const taker = takers.find(({ account }) => account === offer.Destination);
    if (taker === undefined) continue;
    turn.send(
      taker,
      { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index },
      noted(id, step),
    );
  }
}

export const dropperOf = ({ cast }: Stage): Person => cast.get('dropper');

function drop(stage: Stage): Scenario {
  const id = stage.id('nft-drop');
  const dropper = dropperOf(stage);
  const price = stage.varied(id, DROP_PRICE);
  const buyers = buyersOf(stage);
  const fans = dropFans(stage);
  const minutes = DROP_ITEMS / MINTS_A_MINUTE;
  const mint = (turn: Turn, n: number) =>
    turn.send(
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
      noted(id, 'mint'),
    );
  return {
    id,
    kind: 'nft-drop',
    about: 'A hundred NFTs are minted and sold to forty people within an hour, six of whom hold blue chips',
    accounts: { dropper },
    from: DROP,
    to: DROP + (minutes + 2) * MINUTE,
    expected: { taxon: DROP_TAXON, items: DROP_ITEMS, buyers: BUYERS, priceXrp: price },
    steps: [
      fund(DROP - HOUR, [dropper], 40),
      fund(DROP - HOUR, fans, 4 * price + 30),
      ...Array.from(
        { length: minutes + 1 },
        (_, m): Step => ({
          at: DROP + m * MINUTE,
          act: (turn) => {
            takeOwn(turn, dropper, buyers, id, 'sale');
            if (m < minutes) for (let i = 0; i < MINTS_A_MINUTE; i++) mint(turn, m * MINTS_A_MINUTE + i);
          },
        }),
      ),
    ],
  };
}

const ROTATE = DAY + 6 * HOUR;
const ROTATOR_BUYS = 130;
const ROTATOR_SELLS = 95;
/** Most that a collector pays for another NFT between his funding and the sale, and something to keep, XRP. */
const COLLECTOR_SPENDS = 400;

/** People who are minted blue chips, sell them to collectors for less, and buy of the drop hours later. */
function rotation(stage: Stage): Scenario {
  const id = stage.id('nft-rotation');
  const maker = stage.people.get('studio');
  const rotators = buyersOf(stage).slice(0, ROTATORS);
  const sale = DROP - 4 * HOUR;
  const collector = (n: number) => stage.people.get(`collector:${(n * 3) % COLLECTORS}`);
  return {
    id,
    kind: 'nft-rotation',
    about: 'Six holders sell their blue chips and buy of the drop four hours later',
    accounts: Object.fromEntries(rotators.map((person, n) => [`rotator ${n + 1}`, person])),
    from: ROTATE,
    to: DROP + HOUR,
    expected: { holders: ROTATORS, boughtAtXrp: ROTATOR_BUYS, soldAtXrp: ROTATOR_SELLS },
    steps: [
      fund(ROTATE, rotators, ROTATOR_BUYS + 60),
      ...rotators.map(
        (person, n): Step => ({
          at: ROTATE + (5 + n) * MINUTE,
          act: (turn) => {
            turn.send(
              maker,
              {
                TransactionType: 'NFTokenMint',
                NFTokenTaxon: BLUE_CHIP_TAXON,
                TransferFee: ROYALTY,
                URI: hex(`ipfs://blue-chip/special-${n + 1}.json`),
                Flags: Tf.tfTransferable | Tf.tfMutable,
                Amount: amountOf('XRP', ROTATOR_BUYS),
                Destination: person.account,
              },
              noted(id, 'mint'),
            );
          },
        }),
      ),
      { at: ROTATE + 20 * MINUTE, act: (turn) => takeOwn(turn, maker, rotators, id, 'buys blue chip') },
      ...rotators.flatMap((person, n): Step[] => [
        // Collectors have a life of their own: he is to have it when he needs it.
        fund(sale + (n * 10 + 4) * MINUTE, [collector(n)], ROTATOR_SELLS + COLLECTOR_SPENDS),
        {
          at: sale + n * 10 * MINUTE,
          act: (turn) => {
            const nft = turn.nfts(person.account).find((one) => nftTaxon(one) === BLUE_CHIP_TAXON);
            if (nft === undefined) return;
            turn.send(
              person,
              {
                TransactionType: 'NFTokenCreateOffer',
                NFTokenID: nft,
                Amount: amountOf('XRP', ROTATOR_SELLS),
                Destination: collector(n).account,
                Flags: Tf.tfSellNFToken,
              },
              noted(id, 'lists blue chip'),
            );
          },
        },
        {
          at: sale + (n * 10 + 5) * MINUTE,
          act: (turn) => takeOwn(turn, person, [collector(n)], id, 'sells blue chip'),
        },
      ]),
    ],
  };
}

const WASH = 4 * DAY + 16 * HOUR;
export const WASH_TAXON = 9;
const WASH_SALES = 6;
const washPrice = (n: number): number => 50 * (n + 1);

/** One NFT goes back and forth between two accounts of one purse, each time dearer, the last time by a broker. */
function washSale(stage: Stage): Scenario {
  const id = stage.id('nft-wash');
  const pair = stage.cast.group('nft-washer', 2);
  const owner = (n: number): Person => pair[n % 2]!;
  const sales = Array.from({ length: WASH_SALES }, (_, n): Step[] => {
    const at = WASH + (10 + n * 30) * MINUTE;
    return [
      {
        at,
        act: (turn) => {
          const nft = turn.nfts(owner(n).account)[0];
          if (nft === undefined) return;
          turn.send(
            owner(n),
            {
              TransactionType: 'NFTokenCreateOffer',
              NFTokenID: nft,
              Amount: amountOf('XRP', washPrice(n)),
              Destination: owner(n + 1).account,
              Flags: Tf.tfSellNFToken,
            },
            noted(id, 'lists'),
          );
        },
      },
      { at: at + 2 * MINUTE, act: (turn) => takeOwn(turn, owner(n), [owner(n + 1)], id, `sale ${n + 1}`) },
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
    steps: [
      fund(WASH, pair, 700),
      {
        at: WASH + 2 * MINUTE,
        act: (turn) => {
          turn.send(
            pair[0]!,
            {
              TransactionType: 'NFTokenMint',
              NFTokenTaxon: WASH_TAXON,
              URI: hex('ipfs://rare/1.json'),
              Flags: Tf.tfTransferable,
            },
            noted(id, 'mint'),
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

/** A listing and a bid that a marketplace brings together. */
function brokeredSale(stage: Stage): Scenario {
  const id = stage.id('nft-brokered');
  const [seller, buyer] = stage.cast.group('brokered', 2) as [Person, Person];
  const minute = (n: number) => BROKERED + n * MINUTE;
  const offer = (turn: Turn, person: Person, price: number, more: { Owner?: string; Flags?: number }) => {
    const nft = turn.nfts(seller.account)[0];
    if (nft === undefined) return;
    turn.send(
      person,
      { TransactionType: 'NFTokenCreateOffer', NFTokenID: nft, Amount: amountOf('XRP', price), ...more },
      noted(id, more.Owner ? 'bids' : 'lists'),
    );
  };
  return {
    id,
    kind: 'nft-brokered',
    about: 'A marketplace brings a bid and a listing together and keeps a fee',
    accounts: { seller, buyer, broker: broker(stage) },
    from: BROKERED,
    to: minute(10),
    expected: { ask: BROKERED_ASK, bid: BROKERED_BID, brokerFee: BROKER_FEE },
    steps: [
      fund(BROKERED, [seller, buyer], 150),
      {
        at: minute(2),
        act: (turn) => {
          turn.send(
            seller,
            {
              TransactionType: 'NFTokenMint',
              NFTokenTaxon: 11,
              Flags: Tf.tfTransferable,
              URI: hex('ipfs://single/1.json'),
            },
            noted(id, 'mint'),
          );
        },
      },
      { at: minute(4), act: (turn) => offer(turn, seller, BROKERED_ASK, { Flags: Tf.tfSellNFToken }) },
      { at: minute(6), act: (turn) => offer(turn, buyer, BROKERED_BID, { Owner: seller.account }) },
      {
        at: minute(8),
        act: (turn) => {
          const nft = turn.nfts(seller.account)[0];
          if (nft === undefined) return;
          const [sell] = turn.listed(keylets.nftSellOffers(nft), 'NFTokenOffer');
          const [bid] = turn.listed(keylets.nftBuyOffers(nft), 'NFTokenOffer');
          if (sell === undefined || bid === undefined) return;
          turn.send(
            broker(turn),
            {
              TransactionType: 'NFTokenAcceptOffer',
              NFTokenSellOffer: sell.index,
              NFTokenBuyOffer: bid.index,
              NFTokenBrokerFee: Amount.drops(BROKER_FEE * DROPS_PER_XRP),
            },
            noted(id, 'brokered sale'),
          );
        },
      },
    ],
  };
}

export const nftStories = (stage: Stage): Scenario[] => [
  drop(stage),
  rotation(stage),
  washSale(stage),
  brokeredSale(stage),
];
