/** Pages that hold only URIs of NFTs are not looked at before a start, which reads none of them, but during it. */
import { afterAll, expect, test } from 'bun:test';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkRestored, checkStore } from '../../data/check.ts';
import { DATA_FILE } from '../../data/errors.ts';
import { childrenOf, rowsOfLeaf } from '../../data/page-format.ts';
import { PageFile, type Tree } from '../../data/pages.ts';
import { openStore } from '../../data/store.ts';
import { TextKind } from '../../engine/store.ts';
import { cursorOf, temporaryDir } from './tools.ts';

const ROWS: Readonly<Record<number, number>> = {
  [TextKind.domain]: 300,
  [TextKind.issuanceMetadata]: 200,
  [TextKind.nftUri]: 4_000,
  [TextKind.scamMemo]: 300,
};
const KINDS = Object.keys(ROWS).map(Number);
const textOf = (kind: number, id: number): string => `${kind}/${id}/`.padEnd(90, '.');

const { dir, remove } = temporaryDir();
afterAll(remove);

interface Leaf {
  readonly page: number;
  readonly kinds: ReadonlySet<number>;
}

/** The leaves of the table of texts, in the order of their keys. */
function leavesOf(file: PageFile, { root, depth }: Tree): Leaf[] {
  let pages = [root!];
  const read = (page: number): Buffer => file.readPage(page, Buffer.alloc(file.pageBytes));
  for (let level = 1; level < depth; level++)
    pages = pages.flatMap((page) => childrenOf(read(page), page).map((child) => child.page));
  return pages.map((page) => ({
    page,
    kinds: new Set(rowsOfLeaf(read(page), page).map(({ key }) => key[0]!)),
  }));
}

/** A copy of the store in which some pages are garbage. */
function damaged(pages: readonly number[], pageBytes: number): string {
  const copy = join(dir, 'copy');
  cpSync(join(dir, 'store'), copy, { recursive: true });
  const path = join(copy, DATA_FILE);
  const bytes = readFileSync(path);
  for (const page of pages) bytes.fill(0xa5, page * pageBytes, (page + 1) * pageBytes);
  writeFileSync(path, bytes);
  return copy;
}

function isRefused(check: (dir: string) => void, of: string): boolean {
  try {
    check(of);
    return false;
  } catch (error) {
    expect(String(error)).toContain('damaged');
    return true;
  }
}

test('of the pages of texts, only those between the first and the last ones of URIs are left for later', async () => {
  const store = await openStore({ dir: join(dir, 'store'), network: 'test' });
  const batch = store.batch();
  for (const kind of KINDS) for (let id = 1; id <= ROWS[kind]!; id++) batch.text(kind, id, textOf(kind, id));
  batch.ledger(1, 4, new Uint8Array(100));
  await store.commit(batch, cursorOf(1));
  await store.close();
  const file = PageFile.open(join(dir, 'store'))!;
  const leaves = leavesOf(file, file.trees().get('texts')!);
  const { pageBytes } = file;
  file.close();
  const later = leaves.filter(({ page }) => {
    const copy = damaged([page], pageBytes);
    expect(isRefused(checkStore, copy)).toBe(true);
    return !isRefused(checkRestored, copy);
  });
  for (const { kinds } of later) expect([...kinds]).toEqual([TextKind.nftUri]);
  const ofUris = leaves.filter(({ kinds }) => kinds.has(TextKind.nftUri));
  expect(later.length).toBeGreaterThanOrEqual(ofUris.length - 4);
  expect(later.length).toBeGreaterThan(50);
  expect(later).not.toContain(leaves[leaves.indexOf(ofUris[0]!) + 1]);

  const restarted = await openStore({
    dir: damaged(
      later.map(({ page }) => page),
      pageBytes,
    ),
    network: 'test',
  });
  for (const kind of KINDS.filter((other) => other !== TextKind.nftUri)) {
    const seen: string[] = [];
    restarted.records('texts', [kind], {}, (_, text) => void seen.push(new TextDecoder().decode(text)));
    expect(seen).toEqual(Array.from({ length: ROWS[kind]! }, (_, i) => textOf(kind, i + 1)));
    seen.length = 0;
    restarted.records(
      'texts',
      [kind],
      { reverse: true },
      (_, text) => void seen.push(new TextDecoder().decode(text)),
    );
    expect(seen).toHaveLength(ROWS[kind]!);
  }
  await expect(restarted.checked).rejects.toThrow('damaged');
  await restarted.close();
});
