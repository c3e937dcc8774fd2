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

/** The folders of the others are not named by the operator: a copy was put into the wrong one. */
const remedyOf = (wanted: StoreKind): string =>
  wanted === 'engine' ? 'Name the folder of a store that does' : 'Put the copy of that store in its place';

/** That of a store with these tables. One that is damaged or empty is taken for the engine's, whose check says what is wrong. */
export function kindOf(tables: readonly string[]): StoreKind {
  return KINDS.find((kind) => fits(tables, kind)) ?? 'engine';
}

/** In the order in which a store is compared with them. */
const KINDS = ['engine', 'platform', 'network'] as const satisfies readonly StoreKind[];

const fits = (tables: readonly string[], kind: StoreKind): boolean =>
  tables.every((name) => name === 'meta' || FAMILIES_OF[kind].includes(name));

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

/**
 * A store that was only begun has some of its tables; one of a newer program may have more than those of any kind.
 * @throws StoreError other-kind
 */
export function refuseOtherKind(dir: string, tables: readonly string[], wanted: StoreKind): void {
  const kind = fits(tables, wanted) ? wanted : KINDS.find((other) => fits(tables, other));
  if (kind === undefined || kind === wanted) return;
  throw new StoreError(
    'other-kind',
    `${dir}: holds ${CONTENTS[kind]}, not ${CONTENTS[wanted]}. ${remedyOf(wanted)}`,
  );
}
