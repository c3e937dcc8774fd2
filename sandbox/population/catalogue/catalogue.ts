/** The catalogue: every type of transaction the network knows, done once and meant so, and what often goes wrong. */
import type { Agents } from '../agents.ts';
import { accounts, deadlines } from './accounts.ts';
import { bridges } from './bridges.ts';
import type { CatalogueFamily } from './family.ts';
import { identity, nfts } from './identity.ts';
import { mpts, pools, trade } from './tokens.ts';
import { vaults } from './vaults.ts';

export const catalogue = (agents: Agents): CatalogueFamily[] =>
  [accounts, deadlines, trade, mpts, pools, identity, nfts, vaults, bridges].map((write) => write(agents));
