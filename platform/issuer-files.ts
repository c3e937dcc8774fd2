/**
 * What issuers publish of themselves at their domains: `https://<domain>/.well-known/xrp-ledger.toml`, as XLS-26 defines it
 * (https://github.com/XRPLF/XRPL-Standards/discussions/71). The account names the domain on the ledger, and the file names
 * the account: only both together say that they belong to each other, so a file describes nothing but the accounts in it
 * whose domain it is. `outside/issuer-files.ts` reads them.
 */
import type { Collection, PlatformStore } from './store.ts';

/** What a file says of a token; texts are bounded and have no control characters, addresses are http or https. */
export interface PublishedToken {
  readonly issuer: string;
  /** As the ledger writes it: a code of three characters, or 40 digits in capitals. */
  readonly currency: string;
  readonly description?: string;
  readonly icon?: string;
  readonly website?: string;
}

export interface IssuerFile {
  readonly tokens: readonly PublishedToken[];
  /** Names of accounts, by r-address. */
  readonly names: Readonly<Record<string, string>>;
}

export interface IssuerFiles {
  /** Takes in what was read before, and keeps there what is read from now on. */
  attach(store: PlatformStore): void;
  /** What the file of a domain says; undefined: nothing, or not yet. It is read in the background when this asks for it. */
  of(domain: string): IssuerFile | undefined;
  /** Domains of which `of` says something else since the last call. */
  changed(): readonly string[];
}

/** Domains, at some 1 KB each; the longest take 50 KB of memory. */
export const ISSUER_FILES_MAX = 20_000;

/** What the file of a domain said, by the domain. */
export const ISSUER_FILES: Collection<{
  readonly file: IssuerFile;
  /** Unix ms. */
  readonly readAt: number;
}> = {
  name: 'issuer-files',
  version: 1,
  upgrades: [],
  // A file has 32 KB, and an address in it may become longer as it is written out.
  limits: { valueBytes: 256 * 1024, rows: ISSUER_FILES_MAX + 1 },
  indexes: {},
};

export const ISSUER_FILE_COLLECTIONS = [ISSUER_FILES as Collection<unknown>];
