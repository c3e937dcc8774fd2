/** The catalogue: at least one successful transaction of every supported type, and frequent failures. */
import type { Agents } from '../agents.ts';
import { accounts, deadlines } from './accounts.ts';
import { bridges } from './bridges.ts';
import type { CatalogueFamily } from './family.ts';
import { identity, nfts } from './identity.ts';
import { mpts, pools, trade } from './tokens.ts';
import { vaults } from './vaults.ts';

export const catalogue = (agents: Agents): CatalogueFamily[] =>
  [accounts, deadlines, trade, mpts, pools, identity, nfts, vaults, bridges].map((build) => build(agents));
