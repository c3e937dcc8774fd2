/**
 * The layout's version and the steps from one to the next. A step runs in one transaction together with the
 * version it leads to: after a crash it has happened entirely or not at all.
 */
import type { Environment } from './environment.ts';
import { StoreError } from './errors.ts';
import { MetaKey } from './keys.ts';

export interface Migration {
  /** The version this step leads to: one more than the step before. */
  readonly to: number;
  readonly title: string;
  run(environment: Environment): void;
}

const MIGRATIONS: readonly Migration[] = [
  { to: 1, title: 'the layout of keys.ts; nothing to move in an empty store', run: () => {} },
];

/** Version of the layout found; 0 for an empty store. */
export function schemaOf({ meta }: Environment): number {
  const bytes = meta.getBinary(MetaKey.schema);
  return bytes ? bytes.readUInt32BE(0) : 0;
}

/** @throws StoreError newer-schema when a newer program has written this store. */
export function checkSchema(environment: Environment, migrations: readonly Migration[] = MIGRATIONS): number {
  const known = migrations.at(-1)?.to ?? 0;
  const found = schemaOf(environment);
  if (found > known) {
    throw new StoreError(
      'newer-schema',
      `${environment.dir}: written by a newer program (layout ${found}, this one knows up to ${known}). Run that ` +
        'program, or name another directory',
    );
  }
  return found;
}

/**
 * Brings the store to the newest layout.
 * @returns the titles of the steps that ran
 * @throws StoreError newer-schema
 */
export function migrate(environment: Environment, migrations: readonly Migration[] = MIGRATIONS): string[] {
  const found = checkSchema(environment, migrations);
  const due = migrations.filter(({ to }) => to > found);
  for (const migration of due) {
    environment.root.transactionSync(() => {
      migration.run(environment);
      const version = Buffer.alloc(4);
      version.writeUInt32BE(migration.to);
      environment.meta.putSync(MetaKey.schema, version);
    });
  }
  return due.map(({ title }) => title);
}

/**
 * Binds the store to a network at its first use and refuses another one afterwards.
 * @throws StoreError other-network
 */
export function bindNetwork(environment: Environment, network: string): void {
  const found = networkOf(environment);
  if (found === undefined) {
    environment.root.transactionSync(() => environment.meta.putSync(MetaKey.network, Buffer.from(network)));
  } else if (found !== network) {
    throw new StoreError(
      'other-network',
      `${environment.dir}: holds network ${found}, not ${network}. Name another directory for this network`,
    );
  }
}

/** The network whose ledgers are stored; undefined for an empty store. */
export function networkOf({ meta }: Environment): string | undefined {
  return meta.getBinary(MetaKey.network)?.toString('utf8');
}
