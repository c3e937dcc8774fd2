/**
 * Keys of the operator, made and revoked on the command line while the service runs or not. The store belongs to the service
 * alone, so the command leaves a file in a folder of the service's data; the service does what it says and deletes it.
 *
 *     command -> new-keys/ID.json      a new key, with the hash of the secret only
 *                new-keys/ID.revoke    what is to become of it: revoked, deleted      -> service
 *     command <- new-keys/keys.json    what is shown of the keys that there are       <-
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
import {
  type ApiKeys,
  type KeyKind,
  KeyLimitError,
  type KeyRow,
  makeKey,
  type OperatorKey,
} from '../platform/api-keys.ts';
import { userPath } from './option-values.ts';

const FOLDER = 'new-keys';
const LIST = 'keys.json';
/** Keys of the operator that work at a time. */
const KEYS_MAX = 20;

export const OPERATOR_KINDS = ['admin', 'platform', 'browser'] as const satisfies readonly KeyKind[];
export type OperatorKind = (typeof OPERATOR_KINDS)[number];

/**
 * @param data folder of the service's data. @returns the secret, which is kept nowhere
 * @throws Error where as many keys work as may
 */
export function leaveNewKey(data: string, kind: OperatorKind, name: string, now: number): string {
  const known = existsSync(join(userPath(data, FOLDER), LIST)) ? operatorKeys(data) : [];
  if (known.filter(({ status }) => status === 'active').length >= KEYS_MAX)
    throw new Error(`${KEYS_MAX} keys of the operator work already: admin revoke KEY takes one away`);
  const { id, secret, row } = makeKey({ kind, wallet: '', name }, now);
  leave(data, `${id}.json`, JSON.stringify(row));
  return secret;
}

/**
 * The first call revokes, the second one deletes.
 * @param beginning of the key: as much as tells it from the others, at most what the list shows
 * @throws Error where none, or more than one, begins so
 */
export function leaveRevocation(data: string, beginning: string): OperatorKey {
  const [key, other] = operatorKeys(data).filter(
    ({ keyPrefix }) => beginning.startsWith(keyPrefix) || keyPrefix.startsWith(beginning),
  );
  if (!key)
    throw new Error(`no key of the operator begins with ${beginning.slice(0, 11)}: admin list shows them`);
  if (other) throw new Error(`more than one key begins with ${beginning}: admin list shows them`);
  leave(data, `${key.id}.revoke`, key.status === 'active' ? 'revoked' : 'deleted');
  return key;
}

/** As the service has left them, oldest first. @throws Error where it has left none yet */
export function operatorKeys(data: string): readonly OperatorKey[] {
  const path = join(userPath(data, FOLDER), LIST);
  if (!existsSync(path)) throw new Error(`${path} is not there: the service writes it when it starts`);
  return JSON.parse(readFileSync(path, 'utf8')) as OperatorKey[];
}

/**
 * Does what was left, and shows which keys there are.
 * @param isFirst the keys are shown even if nothing was left
 * @returns what was done, a line each
 * @throws PlatformError, or where a file is not one of ours
 */
export async function takeNewKeys(
  data: string,
  keys: ApiKeys,
  now: number,
  isFirst = false,
): Promise<string[]> {
  const folder = userPath(data, FOLDER);
  const lines: string[] = [];
  const files = existsSync(folder) ? readdirSync(folder) : [];
  // Revocations first: they make room.
  const isRevocation = (file: string) => Number(file.endsWith('.revoke'));
  for (const file of files.sort((a, b) => isRevocation(b) - isRevocation(a))) {
    const [, id, what] = /^([0-9a-f]{24})\.(json|revoke)$/.exec(file) ?? [];
    if (id === undefined) continue;
    const path = join(folder, file);
    lines.push(what === 'json' ? await add(path, id, keys) : await revoke(path, id, keys, now));
    rmSync(path);
  }
  if (lines.length > 0 || isFirst) leave(data, LIST, JSON.stringify(keys.operators()));
  return lines;
}

async function add(path: string, id: string, keys: ApiKeys): Promise<string> {
  const row = JSON.parse(readFileSync(path, 'utf8')) as KeyRow;
  try {
    if (!keys.byId(id)) await keys.add({ id, row }, KEYS_MAX);
    return `${row.kind} key ${row.keyPrefix}… works from now on`;
  } catch (error) {
    if (!(error instanceof KeyLimitError)) throw error;
    return `${row.kind} key ${row.keyPrefix}… does not work: there are ${error.most} already, and admin revoke takes one away`;
  }
}

async function revoke(path: string, id: string, keys: ApiKeys, now: number): Promise<string> {
  const key = keys.operators().find((one) => one.id === id);
  // Done before, by a service that was killed before the file was gone.
  if (key && key.status !== 'active' && readFileSync(path, 'utf8') === 'revoked')
    return `${key.kind} key ${key.keyPrefix}… is revoked`;
  const done = await keys.remove('', id, now);
  return key && done ? `${key.kind} key ${key.keyPrefix}… is ${done}` : 'a key to be revoked is gone already';
}

/** Whole, or not at all. */
function leave(data: string, file: string, text: string): void {
  const folder = userPath(data, FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const path = join(folder, file);
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}
