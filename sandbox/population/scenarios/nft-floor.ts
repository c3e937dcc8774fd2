/** A floor that is known: holders of the drop list, the cheapest are bought, one listing is withdrawn. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import { nftIssuer } from '../../protocol/nft-id.ts';
import { named, Plot, type Scenario, type Stage } from '../script.ts';
import { amountOf, type Turn } from '../turn.ts';
import { DROP, DROP_TAXON, dropFans, dropperOf } from './nfts.ts';

const BEGIN = DROP + 3 * HOUR;
const LISTED = 8;
const FLOOR = 30;
const STEP = 0.2;
const SOLD = 2;
const SALES = (DAY - HOUR) / 60;

export function nftFloor(stage: Stage): Scenario {
  const dropper = dropperOf(stage);
  const sellers = dropFans(stage).slice(0, LISTED);
  const buyers = stage.cast.group('floor-buyer', SOLD);
  const floor = stage.varied('nft-floor', FLOOR);
  const prices = sellers.map((_, n) => Number((floor * (1 + n * STEP)).toFixed(2)));
  const [cheapest, dearest] = [prices[0]!, prices[LISTED - 1]!];
  const listing = (turn: Turn, n: number) =>
    turn
      .owned(sellers[n]!.account, 'NFTokenOffer')
      .find(({ Amount }) => Amount!.equals(amountOf('XRP', prices[n]!)));
  const plot = new Plot(stage, 'nft-floor', BEGIN);
  sellers.forEach((seller, n) => {
    plot.say(n, 'lists', seller, (turn) => {
      const nft = turn.nfts(seller.account).find((id) => nftIssuer(id) === dropper.account);
      return (
        nft && {
          TransactionType: 'NFTokenCreateOffer',
          NFTokenID: nft,
          Amount: amountOf('XRP', prices[n]!),
          Flags: Tf.tfSellNFToken,
        }
      );
    });
  });
  buyers.forEach((buyer, n) => {
    plot.fund(SALES - 10, [buyer], prices[n]! + 20).say(SALES + n * 10, 'sale', buyer, (turn) => {
      const offer = listing(turn, n);
      return offer && { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index };
    });
  });
  plot.say(SALES + 60, 'delists', sellers[LISTED - 1]!, (turn) => {
    const offer = listing(turn, LISTED - 1);
    return offer && { TransactionType: 'NFTokenCancelOffer', NFTokenOffers: [offer.index] };
  });
  return plot.told({
    kind: 'nft-floor',
    about: 'Eight holders of the drop list one each at rising prices; a day later the two cheapest are sold',
    accounts: { dropper, ...named('seller', sellers), ...named('buyer', buyers) },
    minutes: SALES + 60,
    expected: {
      taxon: DROP_TAXON,
      listed: LISTED,
      floor: cheapest,
      dearest,
      sold: SOLD,
      soldXrp: prices.slice(0, SOLD).reduce((a, b) => a + b, 0),
      floorAfter: prices[SOLD]!,
      listedAfter: LISTED - SOLD - 1,
    },
  });
}
