/** The catalogue: every type of transaction the network knows, done once and meant so, and what often goes wrong. */
import type { People } from '../people.ts';
import { accounts, deadlines } from './accounts.ts';
import type { Book } from './book.ts';
import { bridges } from './bridges.ts';
import { identity, nfts } from './identity.ts';
import { mpts, pools, trade } from './tokens.ts';
import { vaults } from './vaults.ts';

export const catalogue = (people: People): Book[] =>
  [accounts, deadlines, trade, mpts, pools, identity, nfts, vaults, bridges].map((write) => write(people));
