/**
 * Keys of the operator, made on the command line while the service runs or not. The store belongs to the service alone, so
 * the command leaves a file, with the hash of the secret only, in a folder of the service's data; the service takes it into
 * its store and deletes the file.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type ApiKeys, type KeyKind, type KeyRow, makeKey } from '../platform/api-keys.ts';
import { userPath } from './option-values.ts';

const FOLDER = 'new-keys';
/** Keys of the operator that work at a time. */
const KEYS_MAX = 20;

export const OPERATOR_KINDS = ['admin', 'platform', 'browser'] as const satisfies readonly KeyKind[];
export type OperatorKind = (typeof OPERATOR_KINDS)[number];

/** @param data folder of the service's data. @returns the secret, which is kept nowhere */
export function leaveNewKey(data: string, kind: OperatorKind, name: string, now: number): string {
  const { id, secret, row } = makeKey({ kind, wallet: '', name }, now);
  const folder = userPath(data, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const path = join(folder, `${id}.json`);
  writeFileSync(`${path}.part`, JSON.stringify(row), { mode: 0o600 });
  renameSync(`${path}.part`, path);
  return secret;
}

/** Takes in what was left. @returns their names. @throws PlatformError, or where a file is not one of ours */
export async function takeNewKeys(data: string, keys: ApiKeys): Promise<string[]> {
  const folder = userPath(data, FOLDER);
  if (!existsSync(folder)) return [];
  const names: string[] = [];
  for (const file of readdirSync(folder).filter((name) => /^[0-9a-f]{24}\.json$/.test(name))) {
    const path = join(folder, file);
    const row = JSON.parse(readFileSync(path, 'utf8')) as KeyRow;
    const id = file.slice(0, -'.json'.length);
    if (!keys.byId(id)) await keys.add({ id, row }, KEYS_MAX);
    rmSync(path);
    names.push(`${row.kind} key ${row.keyPrefix}…`);
  }
  return names;
}
