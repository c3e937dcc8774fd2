/** What the service itself owns: every collection of the platform's store. */
import { ACCOUNT_COLLECTIONS } from '../platform/account-data.ts';
import { BILLING_COLLECTIONS } from '../platform/billing/billing.ts';
import { NFT_COLLECTIONS } from '../platform/collection-metadata.ts';
import { CUSTOMER_COLLECTIONS } from '../platform/customers.ts';
import { FAUCET_COLLECTIONS } from '../platform/faucet.ts';
import { ISSUER_FILE_COLLECTIONS } from '../platform/issuer-files.ts';
import { ICON_COLLECTIONS } from '../platform/issuer-icons.ts';
import { PIN_COLLECTIONS } from '../platform/pins.ts';
import { SCAM_LIST_COLLECTIONS } from '../platform/scam-lists.ts';
import { SCAM_COLLECTIONS } from '../platform/scam-reports.ts';
import type { Collection } from '../platform/store.ts';
import { TOKEN_COLLECTIONS } from '../platform/token-metadata.ts';

export const COLLECTIONS: readonly Collection<unknown>[] = [
  ...TOKEN_COLLECTIONS,
  ...ACCOUNT_COLLECTIONS,
  ...NFT_COLLECTIONS,
  ...CUSTOMER_COLLECTIONS,
  ...BILLING_COLLECTIONS,
  ...FAUCET_COLLECTIONS,
  ...SCAM_COLLECTIONS,
  ...SCAM_LIST_COLLECTIONS,
  ...ISSUER_FILE_COLLECTIONS,
  ...ICON_COLLECTIONS,
  ...PIN_COLLECTIONS,
];
