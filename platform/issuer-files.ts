/**
 * What issuers publish of themselves at their domains: `https://<domain>/.well-known/xrp-ledger.toml`, as XLS-26 defines it
 * (https://github.com/XRPLF/XRPL-Standards/discussions/71). The account names the domain on the ledger, and the file names
 * the account: only both together say that they belong to each other, so a file describes nothing but the accounts in it
 * whose domain it is. `outside/issuer-files.ts` reads them.
 */

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
  /** What the file of a domain says; undefined: nothing, or not yet. It is read in the background when this asks for it. */
  of(domain: string): IssuerFile | undefined;
  /** Domains of which `of` says something else since the last call. */
  changed(): readonly string[];
}
