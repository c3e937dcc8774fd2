/** The kinds of stores, told apart by the names of their tables: one of another kind is not damaged. */
import { StoreError } from './errors.ts';
import { FAMILY_NAMES } from './keys.ts';
import { PageFile } from './pages.ts';
import { PLATFORM_FAMILY_NAMES } from './platform-keys.ts';
import { SANDBOX_FAMILY_NAMES } from './sandbox-keys.ts';

export type StoreKind = 'engine' | 'platform' | 'network';

export const FAMILIES_OF: Readonly<Record<StoreKind, readonly string[]>> = {
  engine: FAMILY_NAMES,
  platform: PLATFORM_FAMILY_NAMES,
  network: SANDBOX_FAMILY_NAMES,
};

const CONTENTS: Readonly<Record<StoreKind, string>> = {
  engine: 'ledgers and what follows from them',
  platform: "data of the service's own",
  network: "the embedded network's own ledgers",
};

/** That of a store with these tables. One that is damaged or empty is taken for the engine's, whose check says what is wrong. */
export function kindOf(tables: readonly string[]): StoreKind {
  const ofStore = tables.filter((name) => name !== 'meta');
  const fits = (kind: StoreKind) => ofStore.every((name) => FAMILIES_OF[kind].includes(name));
  if (fits('engine')) return 'engine';
  return (['platform', 'network'] as const).find(fits) ?? 'engine';
}

/** That of a closed store. @throws StoreError corrupt where the head of the file is damaged */
export function kindOfStore(dir: string): StoreKind {
  const file = PageFile.open(dir);
  if (!file) return 'engine';
  try {
    return kindOf([...file.trees().keys()]);
  } finally {
    file.close();
  }
}

/** @throws StoreError other-kind */
export function refuseOtherKind(dir: string, tables: readonly string[]): void {
  const kind = kindOf(tables);
  if (kind === 'engine') return;
  throw new StoreError(
    'other-kind',
    `${dir}: holds ${CONTENTS[kind]}, not ${CONTENTS.engine}. Name the folder of a store that does`,
  );
}
