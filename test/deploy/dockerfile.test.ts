/**
 * The Dockerfile as far as it goes without Docker: what it copies is all that the service needs, and its commands run in
 * a folder of just that, as its user and as process 1 where the system allows it.
 */
import { afterAll, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { rows } from '../../service/option-table.ts';
import { startCommand } from './program.ts';

const root = resolve(import.meta.dir, '../..');
const base = mkdtempSync(join(tmpdir(), 'millrace-image-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Instruction {
  readonly name: string;
  readonly value: string;
}

const instructions: readonly Instruction[] = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', value = ''] = /^([A-Z]+) +(.+)$/.exec(line.trim()) ?? [];
    return { name, value };
  });
const final = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const values = (name: string) => final.filter((one) => one.name === name).map(({ value }) => value);
const only = (name: string): string => {
  expect(values(name), name).toHaveLength(1);
  return values(name)[0]!;
};
/** From the project into the image: not those of the stage before. */
const copied = values('COPY')
  .filter((value) => !value.startsWith('--'))
  .flatMap((value) => value.split(' ').slice(0, -1));
const argv = (value: string) => JSON.parse(value.slice(value.indexOf('['))) as string[];
const environment = Object.fromEntries(
  values('ENV').flatMap((value) => value.split(/ +/).map((pair) => pair.split('=') as [string, string])),
);

function sourcesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

describe('the image', () => {
  test('runs as a user of its own, has a health check, and is stopped by a signal that reaches the service', () => {
    expect(instructions.every(({ name }) => name !== '')).toBe(true);
    const [uid, gid] = only('USER').split(':').map(Number);
    expect([uid! > 0, gid! > 0]).toEqual([true, true]);
    expect(only('STOPSIGNAL')).toBe('SIGTERM');
    // Not through a shell, which would not pass signals on.
    expect(argv(only('ENTRYPOINT'))).toEqual(['bun', 'service/main.ts']);
    expect(argv(only('HEALTHCHECK'))).toEqual(['bun', 'service/tool.ts', 'health']);
    expect(values('RUN').join()).toContain(`-o ${uid} -g ${gid} ${only('VOLUME')}`);
    expect(only('EXPOSE')).toBe(environment.MILLRACE_PORT!);
    const known = [...Object.values(rows).map(({ env }) => env), 'MILLRACE_CWD'] as string[];
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  test('has all that is imported, and of the packages only what the service needs to run', () => {
    const folders = copied.filter((path) => statSync(join(root, path)).isDirectory());
    expect(folders.length).toBeGreaterThan(10);
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const missing = new Set<string>();
    for (const path of folders.flatMap(sourcesIn)) {
      const text = readFileSync(join(root, path), 'utf8');
      const imported = [
        ...text.matchAll(/^\s*(?:import|export)\b(?! type)[^;'"]*?from '([^']+)'/gms),
        ...text.matchAll(/(?:\bimport\(|new URL\()'([^']+)'/g),
      ].map((match) => match[1]!);
      for (const name of imported) {
        if (name.startsWith('.')) {
          const [folder = ''] = relative(root, resolve(root, path, '..', name)).split('/');
          if (!copied.includes(folder)) missing.add(`${path}: ${name}`);
        } else if (!/^(node:|bun(:|$)|https?:|wss?:)/.test(name) && !builtinModules.includes(name)) {
          const [scope = '', inner = ''] = name.split('/');
          const dependency = scope.startsWith('@') ? `${scope}/${inner}` : scope;
          if (!(dependency in dependencies)) missing.add(`${path}: ${name}`);
        }
      }
    }
    expect([...missing]).toEqual([]);
  });

  test('gets nothing but that: .dockerignore lets through exactly what is copied', () => {
    const lines = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
    const early = instructions
      .filter(({ name, value }) => name === 'COPY' && !value.startsWith('--'))
      .flatMap(({ value }) => value.split(' ').slice(0, -1));
    expect(lines[0]).toBe('*');
    const through = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    expect([...new Set(early)].sort()).toEqual(through.sort());
    for (const path of through) expect(existsSync(join(root, path)), path).toBe(true);
  });

  test('its commands: it listens, is healthy, shows its pages, and stops with exit code 0', async () => {
    const app = join(base, 'app');
    const data = join(base, 'data');
    mkdirSync(app);
    mkdirSync(data);
    chmodSync(base, 0o755);
    for (const path of copied)
      cpSync(join(root, path), join(app, basename(path)), {
        recursive: true,
        filter: (source) => !source.includes('/node_modules'),
      });
    symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
    const [uid = '', gid = ''] = only('USER').split(':');
    const within = [
      'unshare',
      '--pid',
      '--fork',
      '--mount-proc',
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
    ];
    const isAllowed = Bun.spawnSync([...within, process.execPath, '--version']).exitCode === 0;
    if (isAllowed) chownSync(data, Number(uid), Number(gid));
    const env = {
      ...environment,
      MILLRACE_DATA: data,
      MILLRACE_CWD: data,
      MILLRACE_HOST: '127.0.0.1',
      MILLRACE_PORT: '0',
      MILLRACE_SOURCE: 'ws://127.0.0.1:1',
      MILLRACE_WORKERS: '1',
    };
    const inImage = (command: string) => [process.execPath, ...argv(only(command)).slice(1)];
    const service = await startCommand({
      argv: inImage('ENTRYPOINT'),
      cwd: app,
      env,
      ...(isAllowed && { within }),
    });
    if (isAllowed) expect([service.ownPid, service.uid]).toEqual([1, Number(uid)]);
    else console.warn('not as process 1: this system does not allow a namespace');
    expect(await (await fetch(service.url, { headers: { Accept: 'text/html' } })).text()).toContain(
      '<script',
    );
    const health = (port: string) =>
      Bun.spawnSync(inImage('HEALTHCHECK'), { cwd: app, env: { ...env, MILLRACE_PORT: port } });
    const healthy = health(new URL(service.url).port);
    expect(healthy.stdout.toString()).toMatch(/^(healthy|degraded)/);
    expect(healthy.exitCode).toBe(0);
    const { code, log } = await service.stop(only('STOPSIGNAL') as NodeJS.Signals);
    expect(code).toBe(0);
    expect(log).toContain('"msg":"stopped"');
    const unhealthy = health(new URL(service.url).port);
    expect(unhealthy.exitCode).toBe(1);
    expect(unhealthy.stderr.toString()).toContain('nothing answers at');
  });
});
