/** The configuration file: every option by its name, what wins over what, and errors with their line. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
        `key = ${JSON.stringify(certificate)}`,
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

  test('is given by a flag once, as every option: of two, one would be ignored without a word', () => {
    const nodes = ['--source=ws://127.0.0.1:1', '--source', 'ws://127.0.0.1:2'];
    expect(() => readOptions(nodes, {})).toThrow(/^--source is given twice$/);
    expect(() => optionsOf(['--config=none', '--config=none'], {})).toThrow(/^--config is given twice$/);
  });

  test('may be any file that is named, which must be there', () => {
    writeFileSync(join(dir, 'other.toml'), 'port = 7');
    expect(optionsOfFile('port = 1', ['--config', 'other.toml']).port).toBe(7);
    expect(optionsOfFile('port = 1', [], { MILLRACE_CONFIG: 'other.toml' }).port).toBe(7);
    expect(() => optionsOf(['--config=missing.toml'], {})).toThrow(
      /^there is no configuration file .*missing/,
    );
    expect(() => optionsOf(['--config=.'], {})).toThrow(
      /^the configuration file \. cannot be read: it is a folder$/,
    );
    rmSync(file);
    expect(optionsOf([], {})).toEqual(readOptions([], {}));
  });
});

test('the example sets what is usual: with every line of it, the defaults', () => {
  const text = readFileSync(resolve(import.meta.dir, '../../deploy/millrace.toml'), 'utf8');
  expect(optionsOfFile(text)).toEqual(readOptions([], {}));
  // Settings behind a comment: all but those whose value is somebody's own.
  const commented = text.match(/^# (?:\[[\w."/]+\].*|[a-z-]+ = .*)$/gm) ?? [];
  expect(commented.length).toBeGreaterThan(15);
  const own = /"r\.\.\."|\/etc\/|^source|^proxies|^\[stripe\]/;
  const usual = commented.map((line) => line.slice(2)).filter((line) => !own.test(line));
  const { packages, ...others } = optionsOfFile(usual.join('\n'));
  const { packages: sold, ...rest } = readOptions([], {});
  const pinned = { ...rest.endpoints, '/tokens': { ...rest.endpoints['/tokens'], pinned: {} } };
  expect(others).toEqual({ ...rest, endpoints: pinned } as never);
  expect(packages).toEqual({ starter: sold.starter! });
});

describe('tables', () => {
  test('change what they name of tiers and endpoints, and leave the rest; packages are all that is sold', () => {
    const { tiers, endpoints, packages } = optionsOfFile(`
      [tiers.free]
      per-minute = 1200
      per-day = "unlimited"
      per-second = 12.5
      attribution = false
      [tiers.anonymous]
      scope = "key"
      multiplier = 0.5
      [tiers.developer]
      usd-per-month = 19.99
      [endpoints."/tokens"]
      base = 40
      partner = 100
      [endpoints."/account/info"]
      free = 7
      [packages.small]
      credits = 250_000
      usd = 1.5
    `);
    const usual = readOptions([], {});
    expect(tiers.free).toEqual({
      ...usual.tiers.free,
      perMinute: 1200,
      perDay: undefined,
      perTenSeconds: 125,
      showsAttribution: false,
    });
    expect(tiers.anonymous).toEqual({ ...usual.tiers.anonymous, isPerAddress: false, multiplier: 0.5 });
    expect(tiers.developer).toEqual({ ...usual.tiers.developer, usdPerMonth: 19.99 });
    expect(tiers.business).toEqual(usual.tiers.business);
    expect(endpoints['/tokens']).toMatchObject({ base: 40, pinned: { partner: 100 } });
    expect(endpoints['/account/info']?.pinned).toEqual({ free: 7 });
    expect(endpoints['/search']).toEqual(usual.endpoints['/search']!);
    expect(packages).toEqual({ small: { credits: 250_000, usd: 1.5 } });
    expect(Object.keys(usual.packages)).toEqual(['starter', 'standard', 'bulk', 'mega']);
  });

  test('are JSON on the command line, with the place of an error', () => {
    const { tiers } = readOptions(['--tiers={"free":{"burst":99}}'], {});
    expect(tiers.free.burst).toBe(99);
    const refused = (text: string) => () => readOptions([`--tiers=${text}`], {});
    expect(refused('{"free":{"burst":0}}')).toThrow(
      '--tiers: free.burst must be a whole number of at least 1',
    );
    expect(refused('{"gold":{}}')).toThrow('--tiers: gold must be one of anonymous, free');
    expect(refused('[]')).toThrow('--tiers must be a table');
  });

  test('files are found from the folder in which the command was given', () => {
    writeFileSync(join(dir, 'list.csv'), '');
    const lists = ['https://lists.example/a', 'file:list.csv'];
    expect(optionsOfFile(`scam-lists = ${JSON.stringify(lists)}`).scamLists).toEqual([
      'https://lists.example/a',
      `file:${join(dir, 'list.csv')}`,
    ]);
  });

  test('secrets are read from files, and never shown', () => {
    writeFileSync(join(dir, 'key'), 'sk_test_0123456789\n');
    const both = 'stripe-key = "file:key"\nstripe-webhook-secret = "whsec_0123456789"';
    expect(optionsOfFile(both).stripeKey).toBe('sk_test_0123456789');
    const wrong = errorOf('stripe-key = "whsec_0123456789"');
    expect(wrong).toBe('millrace.toml:1: stripe-key must be none, sk_... or rk_..., or file:PATH with it');
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
    [
      '[tiers.free]\nburst = 5\nper-minute = "some"',
      /^millrace\.toml:3: tiers\.free\.per-minute must be a number/,
    ],
    ['[tiers.gold]\nburst = 5', /^millrace\.toml:1: tiers\.gold must be one of anonymous, free, /],
    ['[tiers.free]\nbusrt = 5', /^millrace\.toml:2: tiers\.free\.busrt must be one of burst, /],
    ['tiers = 5', /^millrace\.toml:1: tiers must be a table$/],
    ['[endpoints.tokens]\nbase = 5', /^millrace\.toml:1: endpoints\.tokens must be a path prefix/],
    ['[packages.a]\ncredits = 5', /^millrace\.toml:1: packages\.a\.usd must be a number of at least/],
    [
      '[packages.a]\ncredits = 5\nusd = 1\neur = 1',
      /^millrace\.toml:4: packages\.a\.eur must be credits or usd/,
    ],
    ['proxies = ["10.0.0.0/40"]', /^millrace\.toml:1: proxies must be none, or addresses/],
    ['payment-address = "rNobody"', /^millrace\.toml:1: payment-address must be none, or an r-address/],
    ['config = "other.toml"', /^millrace\.toml:1: config is not a setting/],
    ['port = 1\n[tls]\ncert = "/etc/passwd"', /^millrace\.toml:3: tls\.cert needs tls-key$/],
    ['tls-key = "/etc/passwd"', /^millrace\.toml:1: tls-key needs tls-cert$/],
    [
      'port = 1\nstripe-key = "sk_test_0123456789"',
      /^millrace\.toml:2: stripe-key needs stripe-webhook-secret$/,
    ],
    ['[tls]\ncert = "/no/such.pem"', /^millrace\.toml:2: tls\.cert must be none, or an existing file$/],
  ])('%p', (text, message) => {
    expect(errorOf(text)).toMatch(message);
    expect(errorOf(text).length).toBeLessThan(300);
  });

  test.each([
    ['[snadbox]', /^millrace\.toml:1: snadbox is not a setting/],
    ['port = 1\n\n[port]', /^millrace\.toml:3: this is not TOML/],
    ['history = 1\n[port]', /^millrace\.toml:2: port must be a text, a number, /],
    ['"po\\nrt" = 1', /^millrace\.toml:1: "po\\nrt" is not a setting/],
    ['"\\u001b[31m" = 1', /^millrace\.toml:1: "\\u001b\[31m" is not a setting/],
    [`${'x'.repeat(5_000)} = 1`, /^millrace\.toml:1: "x{80}…" is not a setting/],
    [
      '[endpoints."/tokens"]\nbase = 0',
      /^millrace\.toml:2: endpoints\.\/tokens\.base must be a whole number of at least 1$/,
    ],
  ])('a table without settings, and a name that is none: %p', (text, message) => {
    expect(errorOf(text)).toMatch(message);
    expect(errorOf(text)).toMatch(/^[^\p{Cc}]{1,300}$/u);
  });

  test('also in a long file, at once', () => {
    const comments = '# a comment\n'.repeat(20_000);
    const started = performance.now();
    expect(errorOf(`${comments}prot = 1\n${'#\n'.repeat(5_000)}`)).toMatch(/^millrace\.toml:20001: prot is /);
    // A look at each beginning of the file takes half a minute.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('a file that is none is refused by its name', () => {
    writeFileSync(file, Buffer.from('name = "\xe9"', 'latin1'));
    expect(() => optionsOf([], {})).toThrow(/^millrace\.toml is not a text in UTF-8$/);
    writeFileSync(file, Buffer.from('\ufeffport = 1', 'utf16le'));
    expect(() => optionsOf([], {})).toThrow(/^millrace\.toml is not a text in UTF-8$/);
    expect(optionsOfFile('\ufeffport = 1\r\nhistory = 2\r\n')).toMatchObject({ port: 1, history: 2 });
    rmSync(file);
    symlinkSync('nowhere', file);
    expect(() => optionsOf([], {})).toThrow(/^the configuration file millrace\.toml cannot be read: ENOENT/);
    rmSync(file);
    expect(() => optionsOf(['--config=/dev/zero'], {})).toThrow(/^\/dev\/zero is longer than 262144 bytes$/);
    expect(() => optionsOf([`--config=${'x'.repeat(5_000)}`], {})).toThrow(
      /^there is no configuration file .{1,161}$/,
    );
    expect(() => optionsOf(['--config='], {})).toThrow(OptionError);
    expect(() => optionsOf(['--config='], {})).toThrow(/^--config must be a text that is not empty, not ""$/);
  });

  test('a file that is too long is refused', () => {
    expect(errorOf(`# ${'x'.repeat(300_000)}`)).toMatch(/longer than 262144 bytes$/);
  });
});
