/** The route table: the arrays of the sections, joined. */
import type { Route } from '../route.ts';
import { accountAdminRoutes } from './account-admin.ts';
import { accountHistoryRoutes } from './account-history.ts';
import { accountLineRoutes } from './account-lines.ts';
import { accountNodeRoutes } from './account-node.ts';
import { accountRoutes } from './accounts.ts';
import { adapterRoutes } from './adapters.ts';
import { billingRoutes } from './billing.ts';
import { cardRoutes } from './card-payments.ts';
import { chartRoutes } from './charts.ts';
import { creatorRoutes } from './creators.ts';
import { embedRoutes } from './embeds.ts';
import { faucetRoutes } from './faucet.ts';
import { feedbackRoutes } from './feedback.ts';
import { holderRoutes } from './holders.ts';
import { keyRoutes } from './keys.ts';
import { ledgerRoutes } from './ledger.ts';
import { liquidityRoutes } from './liquidity.ts';
import { marketRoutes } from './market.ts';
import { moverRoutes } from './movers.ts';
import { nftCollectionChartRoutes } from './nft-collection-charts.ts';
import { nftCollectionHistoryRoutes } from './nft-collection-history.ts';
import { nftCollectionListRoutes } from './nft-collection-list.ts';
import { nftCollectionMemberRoutes } from './nft-collection-members.ts';
import { nftCollectionWriteRoutes } from './nft-collection-writes.ts';
import { nftCollectionRoutes } from './nft-collections.ts';
import { nftHolderRoutes } from './nft-holders.ts';
import { nftListRoutes } from './nft-lists.ts';
import { nftMarketRoutes } from './nft-market.ts';
import { nftRotationRoutes } from './nft-rotations.ts';
import { nftTraderRoutes } from './nft-traders.ts';
import { nftRoutes } from './nfts.ts';
import { partnerRoutes } from './partners.ts';
import { pathFindRoutes } from './path-find.ts';
import { pictureRoutes } from './pictures.ts';
import { pinRoutes } from './pins.ts';
import { platformRoutes } from './platforms.ts';
import { quoteRoutes } from './quotes.ts';
import { relatedRoutes } from './related.ts';
import { reviewRoutes } from './reviews.ts';
import { rotationRoutes } from './rotations.ts';
import { rpcRoutes } from './rpc.ts';
import { scamListRoutes } from './scam-lists.ts';
import { scamReportRoutes } from './scam-reports.ts';
import { scamRoutes } from './scams.ts';
import { seriesRoutes } from './series.ts';
import { serviceRoutes } from './service.ts';
import { signalRoutes } from './signals.ts';
import { statsRoutes } from './stats.ts';
import { submitRoutes } from './submit.ts';
import { submitTypeRoutes } from './submit-types.ts';
import { testnetRoutes } from './testnet.ts';
import { testnetNftRoutes } from './testnet-nfts.ts';
import { testnetNodeRoutes } from './testnet-node.ts';
import { tokenStatsRoutes } from './token-stats.ts';
import { tokenWriteRoutes } from './token-writes.ts';
import { tokenRoutes } from './tokens.ts';
import { traderRoutes } from './traders.ts';
import { watchlistRoutes } from './watchlists.ts';
import { whaleRoutes } from './whales.ts';

export const routes: readonly Route[] = [
  ...embedRoutes,
  ...serviceRoutes,
  ...tokenRoutes,
  ...tokenWriteRoutes,
  ...chartRoutes,
  ...seriesRoutes,
  ...holderRoutes,
  ...moverRoutes,
  ...signalRoutes,
  ...statsRoutes,
  ...marketRoutes,
  ...quoteRoutes,
  ...creatorRoutes,
  ...relatedRoutes,
  ...reviewRoutes,
  ...whaleRoutes,
  ...rotationRoutes,
  ...traderRoutes,
  ...tokenStatsRoutes,
  ...accountRoutes,
  ...accountLineRoutes,
  ...accountNodeRoutes,
  ...accountHistoryRoutes,
  ...accountAdminRoutes,
  ...watchlistRoutes,
  ...nftListRoutes,
  ...nftMarketRoutes,
  ...nftTraderRoutes,
  ...nftRotationRoutes,
  ...nftRoutes,
  ...nftCollectionChartRoutes,
  ...nftCollectionHistoryRoutes,
  ...nftCollectionMemberRoutes,
  ...nftCollectionWriteRoutes,
  ...nftCollectionListRoutes,
  ...nftCollectionRoutes,
  ...nftHolderRoutes,
  ...pictureRoutes,
  ...pinRoutes,
  ...scamRoutes,
  ...scamListRoutes,
  ...scamReportRoutes,
  ...liquidityRoutes,
  ...pathFindRoutes,
  ...platformRoutes,
  ...ledgerRoutes,
  ...submitRoutes,
  ...submitTypeRoutes,
  ...rpcRoutes,
  ...testnetRoutes,
  ...testnetNftRoutes,
  ...testnetNodeRoutes,
  ...faucetRoutes,
  ...keyRoutes,
  ...feedbackRoutes,
  ...adapterRoutes,
  ...billingRoutes,
  ...cardRoutes,
  ...partnerRoutes,
];
