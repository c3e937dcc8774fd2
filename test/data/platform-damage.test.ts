/**
 * The platform's store with damage of the kinds that disks and copies do, one in each round: it is found, and the error names
 * what to do, or what the store holds is what it held.
 */
import { expect, test } from 'bun:test';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkPlatform } from '../../data/platform-check.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { casesOf } from '../cases.ts';
import { drawsOf, seedOf } from '../sandbox/seed.ts';
import { DAMAGED, fill } from './platform-damage-rows.ts';
import { temporaryDir } from './tools.ts';

const PAGE = 4096;
const ROUNDS = casesOf(6, 120);
const seed = seedOf('platform-damage');
const draws = drawsOf(seed);

const damages: Readonly<Record<string, (file: Buffer) => Buffer>> = {
  flip: (file) => {
    file[draws(file.length)]! ^= 1 << draws(8);
    return file;
  },
  'no more than a part': (file) => file.subarray(0, draws(file.length)),
  'no more than some pages': (file) => file.subarray(0, draws(file.length / PAGE) * PAGE),
  'a page of zeros': (file) => {
    const at = draws(file.length / PAGE) * PAGE;
    return file.fill(0, at, at + PAGE);
  },
  'a page of another place': (file) => {
    const [from, to] = [draws(file.length / PAGE), draws(file.length / PAGE)];
    file.copy(file, to * PAGE, from * PAGE, (from + 1) * PAGE);
    return file;
  },
  'a sector of noise': (file) => {
    const at = draws(file.length / 512) * 512;
    for (let i = at; i < at + 512; i++) file[i] = draws(256);
    return file;
  },
};

async function openedIn(dir: string) {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, 'platform-damage.child.ts'), dir], {
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, signal: child.signalCode, out: out.trim(), err: err.trim() };
}

test(`${ROUNDS} damaged stores`, async () => {
  const { dir, remove } = temporaryDir();
  const whole = join(dir, 'whole');
  await fill(whole);
  cpSync(whole, join(dir, 'copy'), { recursive: true });
  const expected = await openedIn(join(dir, 'copy'));
  expect(expected).toMatchObject({ code: 0, err: '' });
  const file = readFileSync(join(whole, 'data.mdb'));
  const kinds = Object.keys(damages);
  const found = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const kind = kinds[round % kinds.length]!;
    const damaged = join(dir, `damaged-${round}`);
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'data.mdb'), damages[kind]!(Buffer.from(file)));
    const { code, signal, out, err } = await openedIn(damaged);
    const what = `round ${round}, ${kind}: ${err}`;
    expect([what, signal]).toEqual([what, null]);
    if (code === 0) expect([what, out]).toEqual([what, expected.out]);
    else {
      expect(what).toContain('put this folder of a backup in its place, or move it away and start empty');
      found.set(kind, (found.get(kind) ?? 0) + 1);
    }
    rmSync(damaged, { recursive: true });
  }
  console.log(Object.fromEntries(found));
  remove();
});

test('an empty file is damage, and none where a kill has ended the making of the store', async () => {
  const { dir, remove } = temporaryDir();
  const options = { dir, network: 0, collections: DAMAGED };
  await fill(dir);
  expect(readdirSync(dir)).not.toContain('millrace.making');
  const file = join(dir, 'data.mdb');
  truncateSync(file, 0);
  const refused = /data\.mdb is empty.*put this folder of a backup in its place/;
  await expect(openPlatformStore(options)).rejects.toThrow(refused);
  expect(() => checkPlatform(dir)).toThrow(refused);
  for (const isThere of [true, false]) {
    rmSync(file, { force: true });
    if (isThere) writeFileSync(file, '');
    // As the process left them that was killed before it had written the first page.
    writeFileSync(join(dir, 'millrace.making'), '');
    const store = await openPlatformStore(options);
    await store.close();
    expect(readdirSync(dir)).not.toContain('millrace.making');
  }
  remove();
});
