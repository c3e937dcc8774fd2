/** The systemd unit: what systemd says of it where it is installed, and its command run as the unit runs it. */
import { afterAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { rows } from '../../service/option-table.ts';
import { until } from '../live-rig.ts';
import { startCommand } from './program.ts';

const root = resolve(import.meta.dir, '../..');
const base = mkdtempSync(join(tmpdir(), 'millrace-unit-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const unit = readFileSync(join(root, 'deploy', 'millrace.service'), 'utf8');
const settings = [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!] as const);
const setting = (name: string) => settings.find(([known]) => known === name)?.[1] ?? '';
const environment = Object.fromEntries(
  setting('Environment')
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
);

describe('the systemd unit', () => {
  test('systemd accepts it without a word', () => {
    if (!Bun.which('systemd-analyze')) {
      console.warn('not checked by systemd: it is not installed');
      return;
    }
    const path = join(base, 'millrace.service');
    writeFileSync(path, unit.replaceAll('/opt/millrace', root));
    const { exitCode, stderr } = Bun.spawnSync(['systemd-analyze', 'verify', '--man=no', path]);
    const about = stderr
      .toString()
      .split('\n')
      .filter((line) => line.includes('millrace.service'));
    expect(about).toEqual([]);
    expect(exitCode).toBe(0);
  });

  test('names options that exist, and gives the service more files than it has sockets', () => {
    const known = [...Object.values(rows).map(({ env }) => env), 'MILLRACE_CWD'] as string[];
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(environment.MILLRACE_DATA).toBe(`/var/lib/${setting('StateDirectory')}`);
    expect(environment.MILLRACE_CWD).toBe(`/etc/${setting('ConfigurationDirectory')}`);
    expect(Number(setting('LimitNOFILE'))).toBeGreaterThan(Number(rows.sockets.default) + 500);
  });

  test('its command: reads the file in its folder of settings, stops with 0, and with 2 for what it cannot use', async () => {
    const argv = setting('ExecStart').replaceAll('/opt/millrace', root).split(' ');
    expect(existsSync(argv[0]!)).toBe(true);
    const [etc, data] = [join(base, 'etc'), join(base, 'data')];
    mkdirSync(etc);
    writeFileSync(
      join(etc, 'millrace.toml'),
      'port = 0\nsource = "ws://127.0.0.1:1"\nworkers = 0\nname = "Unit"',
    );
    const cwd = setting('WorkingDirectory').replace('/opt/millrace', root);
    const env = { ...environment, MILLRACE_DATA: data, MILLRACE_CWD: etc };
    const umask = ['sh', '-c', `umask ${setting('UMask')} && exec "$0" "$@"`];
    const service = await startCommand({ argv: [...umask, ...argv], cwd, env });
    expect(await (await fetch(`${service.url}/docs`)).text()).toContain('Unit');
    // It listens before it opens its store.
    await until(() => existsSync(data), 'its folder');
    expect(statSync(data).mode & 0o077).toBe(0);
    expect((await service.stop('SIGTERM')).code).toBe(0);
    writeFileSync(join(etc, 'millrace.toml'), 'port = 99999');
    const { exitCode, stderr } = Bun.spawnSync(argv, { cwd, env });
    expect(exitCode).toBe(Number(setting('RestartPreventExitStatus')));
    expect(stderr.toString()).toStartWith('millrace: millrace.toml:1: port must be');
  });
});
