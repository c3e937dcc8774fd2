/** The rows of all tools, in the order in which they are listed. */
import type { ToolRow } from '../tool.ts';
import { accountTools } from './accounts.ts';
import { activityTools } from './activity.ts';
import { conductTools } from './conduct.ts';
import { issuerTools } from './issuers.ts';
import { marketTools } from './markets.ts';
import { networkTools } from './network.ts';
import { nftActivityTools } from './nft-activity.ts';
import { noteTools } from './notes.ts';
import { paymentTools } from './payments.ts';
import { poolTools } from './pools.ts';
import { sentimentTools } from './sentiment.ts';
import { supplyTools } from './supply.ts';
import { tokenTools } from './tokens.ts';
import { traderTools } from './traders.ts';
import { validatorTools } from './validators.ts';

export const toolRows: readonly ToolRow[] = [
  ...tokenTools,
  ...marketTools,
  ...poolTools,
  ...traderTools,
  ...conductTools,
  ...accountTools,
  ...nftActivityTools,
  ...paymentTools,
  ...issuerTools,
  ...activityTools,
  ...supplyTools,
  ...validatorTools,
  ...sentimentTools,
  ...networkTools,
  ...noteTools,
];
