/** Directories: a new order book page has the rate of its key, a new page belongs to an existing directory. */
import type { Entry } from '../../protocol/fields.ts';
import { directoryQuality } from '../../protocol/keylets.ts';
import type { Checker } from './checker.ts';

const BOOK_FIELDS = [
  'ExchangeRate',
  'TakerPaysCurrency',
  'TakerPaysIssuer',
  'TakerPaysMPT',
  'TakerGetsCurrency',
  'TakerGetsIssuer',
  'TakerGetsMPT',
  'DomainID',
] as const satisfies readonly (keyof Entry)[];

const ofBook = (page: Readonly<Entry>): boolean => BOOK_FIELDS.some((name) => page[name] !== undefined);

const validBookDirectory: Checker = {
  name: 'ValidBookDirectory',
  holds: ({ changes, table }) =>
    !table.rules.enabled('fixCleanup3_2_0') ||
    changes.of('DirectoryNode').every(({ action, before, after: page }) => {
      if (action === 'erase' || (before && before.RootIndex === page.RootIndex)) return true;
      // Keys of further pages are hashes: they contain no rate.
      if (page.index !== page.RootIndex) return table.read(page.RootIndex ?? '') !== undefined;
      return !ofBook(page) || page.ExchangeRate === directoryQuality(page.index);
    }),
};

export const DIRECTORY_CHECKERS: readonly Checker[] = [validBookDirectory];
