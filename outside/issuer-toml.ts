/** Reads an xrp-ledger.toml (XLS-26). Whoever owns the domain writes every byte: nothing in it is trusted. */
import { parse } from 'smol-toml';
import { cleanText } from '../engine/state/mpt-metadata.ts';
import type { IssuerFile, PublishedToken } from '../platform/issuer-files.ts';

/** Tables of one kind that are read. */
const TABLES_MAX = 200;
const NAME_MAX = 64;
const DESCRIPTION_MAX = 1024;
const URL_MAX = 512;
const ADDRESS = /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/;
const HEX_CODE = /^[0-9A-Fa-f]{40}$/;

type Table = Readonly<Record<string, unknown>>;

/** @throws Error that says what is not TOML */
export function readIssuerFile(text: string): IssuerFile {
  const file = parse(text) as Table;
  const names: [string, string][] = [];
  // Accounts of exchanges and wallets have a table of another name.
  for (const account of [...tables(file, 'ISSUERS'), ...tables(file, 'ACCOUNTS')]) {
    const [address, name] = [addressIn(account, 'address'), cleanText(account.name, NAME_MAX)];
    if (address !== undefined && name !== undefined) names.push([address, name]);
  }
  const tokens = tables(file, 'TOKENS').flatMap((token) => publishedToken(token) ?? []);
  return { tokens, names: Object.fromEntries(names) };
}

function publishedToken(token: Table): PublishedToken | undefined {
  const issuer = addressIn(token, 'issuer');
  const currency = typeof token.currency === 'string' ? token.currency : '';
  if (issuer === undefined || (currency.length !== 3 && !HEX_CODE.test(currency))) return undefined;
  const site = tables(token, 'URLS').find(({ type }) => type === 'website');
  const published = {
    issuer,
    currency: currency.length === 3 ? currency : currency.toUpperCase(),
    description: cleanText(token.desc, DESCRIPTION_MAX),
    icon: webAddress(token.icon),
    website: webAddress(site?.url),
  };
  return Object.fromEntries(
    Object.entries(published).filter(([, value]) => value !== undefined),
  ) as unknown as PublishedToken;
}

/** An array of tables, without what is none. */
function tables(parent: Table, name: string): Table[] {
  const found = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (!Array.isArray(found)) return [];
  return found
    .slice(0, TABLES_MAX)
    .filter(
      (one) => typeof one === 'object' && one !== null && !Array.isArray(one) && !(one instanceof Date),
    );
}

function addressIn(table: Table, name: string): string | undefined {
  const text = table[name];
  return typeof text === 'string' && ADDRESS.test(text) ? text : undefined;
}

function webAddress(value: unknown): string | undefined {
  const url = typeof value === 'string' && value.length <= URL_MAX ? URL.parse(value) : null;
  return url && /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : undefined;
}
