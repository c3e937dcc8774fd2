/**
 * The places of every page: one for each row of the table, with what it needs to show something. The faucet is looked at in a
 * test of its own: the service of the others has no test network.
 */
import { readFileSync } from 'node:fs';
import type { Hostile } from './hostile.ts';

const ROUTES = new URL('../../web/routes.ts', import.meta.url).pathname;

type Subjects = Pick<Hostile, 'md5' | 'issuer' | 'trade' | 'ledger' | 'collection' | 'nft'>;

/** What stands after the name of a page that is about one thing. */
const subjects = ({
  md5,
  issuer,
  trade,
  ledger,
  collection,
  nft,
}: Subjects): Readonly<Record<string, string>> => ({
  token: md5,
  tx: trade,
  ledger: String(ledger),
  trader: issuer,
  account: issuer,
  scams: issuer,
  collection,
  nft,
  quote: '',
});

export interface PlaceOfPage {
  readonly page: string;
  /** `#/token/<md5>` */
  readonly fragment: string;
}

/** Read from the table of pages as text, because its types are those of a browser. */
export function placesOf(about: Subjects): PlaceOfPage[] {
  const rows = [...readFileSync(ROUTES, 'utf8').matchAll(/\{\s*path: '([^']+)'/g)];
  return rows.flatMap(([, page = '']) => {
    if (page === 'faucet') return [];
    const subject = subjects(about)[page];
    return [{ page, fragment: subject ? `#/${page}/${subject}` : `#/${page}` }];
  });
}
