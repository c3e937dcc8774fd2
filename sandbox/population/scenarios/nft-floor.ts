/** A known floor price: holders list NFTs of the drop, the cheapest are bought, one listing is cancelled. */
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import { nftIssuer } from '../../protocol/nft-id.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { DROP, DROP_TAXON, dropFans, dropperOf } from './nfts.ts';

const BEGIN = DROP + 3 * HOUR;
const LISTED = 8;
const FLOOR = 30;
const STEP = 0.2;
const SOLD = 2;
const SALES = (DAY - HOUR) / 60;

export function nftFloor(context: ScenarioContext): Scenario {
  const dropper = dropperOf(context);
  const sellers = dropFans(context).slice(0, LISTED);
  const buyers = context.actors.group('floor-buyer', SOLD);
  const floor = context.varied('nft-floor', FLOOR);
  const prices = sellers.map((_, n) => Number((floor * (1 + n * STEP)).toFixed(2)));
  const [cheapest, dearest] = [prices[0]!, prices[LISTED - 1]!];
  const listing = (step: SimulationStep, n: number) =>
    step
      .owned(sellers[n]!.account, 'NFTokenOffer')
      .find(({ Amount }) => Amount!.equals(amountOf('XRP', prices[n]!)));
  const builder = new ScenarioBuilder(context, 'nft-floor', BEGIN);
  sellers.forEach((seller, n) => {
    builder.send(n, 'lists', seller, (step) => {
      const nft = step.nfts(seller.account).find((id) => nftIssuer(id) === dropper.account);
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
    builder.fund(SALES - 10, [buyer], prices[n]! + 20).send(SALES + n * 10, 'sale', buyer, (step) => {
      const offer = listing(step, n);
      return offer && { TransactionType: 'NFTokenAcceptOffer', NFTokenSellOffer: offer.index };
    });
  });
  builder.send(SALES + 60, 'delists', sellers[LISTED - 1]!, (step) => {
    const offer = listing(step, LISTED - 1);
    return offer && { TransactionType: 'NFTokenCancelOffer', NFTokenOffers: [offer.index] };
  });
  return builder.build({
    kind: 'nft-floor',
    about: 'Eight holders of the drop list one each at rising prices; a day later the two cheapest are sold',
    accounts: { dropper, ...numberedRoles('seller', sellers), ...numberedRoles('buyer', buyers) },
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
