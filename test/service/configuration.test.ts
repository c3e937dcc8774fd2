/** The configuration file: every option by its name, what wins over what, and errors with their line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rows } from '../../service/option-table.ts';
import { OptionError, optionsOf, readOptions } from '../../service/options.ts';
import { CERTIFICATE } from '../outside/stand-in-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-configuration-'));
const file = join(dir, 'millrace.toml');
const certificate = join(dir, 'certificate.pem');
const before = process.env.MILLRACE_CWD;

beforeAll(() => {
  process.env.MILLRACE_CWD = dir;
  writeFileSync(certificate, CERTIFICATE);
});

afterAll(() => {
  if (before === undefined) delete process.env.MILLRACE_CWD;
  else process.env.MILLRACE_CWD = before;
  rmSync(dir, { recursive: true, force: true });
});

function optionsOfFile(text: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  writeFileSync(file, text);
  return optionsOf(args, env);
}

function errorOf(text: string): string {
  try {
    optionsOfFile(text);
  } catch (fault) {
    expect(fault).toBeInstanceOf(OptionError);
    return (fault as Error).message;
  }
  throw new Error(`no error for ${text}`);
}

describe('the configuration file', () => {
  test('has every option by the name of its flag, also in tables', () => {
    for (const [name, row] of Object.entries(rows)) {
      if (name === 'config' || 'isTable' in row) continue;
      const key = row.flag.slice(2);
      const text = JSON.stringify(row.default);
      const [first, ...rest] = key.split('-');
      expect(optionsOfFile(`${key} = ${text}`), key).toEqual(readOptions([], {}));
      if (rest.length > 0)
        expect(optionsOfFile(`[${first}]\n${rest.join('-')} = ${text}`), key).toEqual(readOptions([], {}));
    }
  });

  test('takes numbers, truth values and lists for what an option has as text', () => {
    const options = optionsOfFile(
      [
        'port = 8080',
        'host = "::1"',
        'compat = ["exch-number", "count-total"]',
        'snapshot = false',
        '[sandbox]',
        'interval = 0 # by hand',
        'reset = true',
        '[tls]',
        `cert = ${JSON.stringify(certificate)}`,
      ].join('\n'),
    );
    expect(options).toMatchObject({
      port: 8080,
      host: '::1',
      compat: { exchNumber: true, countTotal: true },
      snapshot: 'no',
      sandboxInterval: 0,
      sandboxReset: 'yes',
      tlsCert: certificate,
    });
    expect(optionsOfFile('admin-wallets = []').adminWallets.size).toBe(0);
  });

  test('yields to the environment, and that to flags', () => {
    const text = 'port = 1\nhistory = 11\nname = "file"';
    const env = { MILLRACE_PORT: '2', MILLRACE_HISTORY: '12' };
    expect(optionsOfFile(text, ['--port=3'], env)).toMatchObject({ port: 3, history: 12, name: 'file' });
    expect(optionsOfFile(text, ['--config=none'], {})).toEqual(readOptions(['--config=none'], {}));
    expect(() => optionsOfFile('port = "x"', ['--port=1'])).not.toThrow();
  });

  test('may be any file that is named, which must be there', () => {
    writeFileSync(join(dir, 'other.toml'), 'port = 7');
    expect(optionsOfFile('port = 1', ['--config', 'other.toml']).port).toBe(7);
    expect(optionsOfFile('port = 1', [], { MILLRACE_CONFIG: 'other.toml' }).port).toBe(7);
    expect(() => optionsOf(['--config=missing.toml'], {})).toThrow(
      /^there is no configuration file .*missing/,
    );
    expect(() => optionsOf(['--config=.'], {})).toThrow(/^the configuration file cannot be read: /);
    rmSync(file);
    expect(optionsOf([], {})).toEqual(readOptions([], {}));
  });
});

describe('an error of the configuration file names its line', () => {
  test.each([
    ['port = 1\n\nport 2', /^millrace\.toml:3: this is not TOML: /],
    ['port = 1\nport = 2', /^millrace\.toml:2: this is not TOML: /],
    ['# one\nport = 1\n\nhots = "x"', /^millrace\.toml:4: hots is not a setting; --help lists/],
    ['sandbox-sise = "x"', /^millrace\.toml:1: sandbox-sise is not a setting; there are sandbox-port, /],
    ['[sandbox]\nsize = "small"\nsise = 1', /^millrace\.toml:3: sandbox\.sise is not a setting; there are /],
    ['port = 1\nhistory = -1', /^millrace\.toml:2: history must be a whole number from 0 to/],
    ['\n[sandbox]\n# half a second\ninterval = 0.5', /^millrace\.toml:4: sandbox\.interval must be a whole/],
    ['sandbox-size = "small"\n[sandbox]\nsize = "large"', /^millrace\.toml:3: sandbox\.size is given twice$/],
    ['sandbox.size = "huge"', /^millrace\.toml:1: sandbox\.size must be one of small, default, large$/],
    ['port = 1979-05-27', /^millrace\.toml:1: port must be a text, a number, /],
    ['[port]\na = 1', /^millrace\.toml:2: port\.a is not a setting/],
    ['compat = [\n  "exch-number",\n  "x",\n]\nport = 1', /^millrace\.toml:1: compat must be none, or /],
    ['port = 1\ncompat = [\n  [1],\n]', /^millrace\.toml:2: compat must be a text, /],
    ['config = "other.toml"', /^millrace\.toml:1: config is not a setting/],
    ['[tls]\ncert = "/no/such.pem"', /^millrace\.toml:2: tls\.cert must be none, or an existing file$/],
  ])('%p', (text, message) => {
    expect(errorOf(text)).toMatch(message);
    expect(errorOf(text).length).toBeLessThan(300);
  });

  test('a file that is too long is refused', () => {
    expect(errorOf(`# ${'x'.repeat(300_000)}`)).toMatch(/longer than 262144 bytes$/);
  });
});
