/** What --help prints, and what a value that cannot be used is answered with. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helpText, OptionError, readOptions } from '../service/options.ts';
import { unknownVariables } from '../service/unknown-variables.ts';

const flags = [...helpText().matchAll(/^ {2}(--[\w-]+) (\S+)$/gm)].map(([, flag, value]) => ({
  flag: flag!,
  value: value!,
}));

describe('--help', () => {
  test('has lines of at most 100 columns, and one line for each option', () => {
    for (const line of helpText().split('\n')) expect(line.length).toBeLessThanOrEqual(100);
    expect(flags.length).toBeGreaterThan(15);
    expect(flags.map(({ flag }) => flag)).toEqual([...new Set(flags.map(({ flag }) => flag))]);
  });

  test('describes every option with its variable and its default, and accepts the default', () => {
    for (const part of helpText()
      .split(/\n(?= {2}--)/)
      .slice(1, -1)) {
      const [head = '', ...rest] = part.trim().split('\n');
      const text = rest.map((line) => line.trim()).join(' ');
      const [, about, variable, byDefault] = /^(.+) \((MILLRACE_\w+); default (.+)\)$/.exec(text) ?? [];
      expect(about?.length, head).toBeGreaterThan(10);
      expect(readOptions([head.split(' ')[0]!, byDefault!], {})).toEqual(readOptions([], {}));
      expect(() => readOptions([], { [variable!]: byDefault })).not.toThrow();
    }
  });

  test('columns do not run into each other', () =>
    expect(helpText()).not.toMatch(/[A-Z\]][A-Z\]]+[a-z]{3,}/));
});

test('variables of the environment that no option has are named, with the nearest one', () => {
  const near = {
    MILLRACE_PROT: 'MILLRACE_PORT',
    MILLRACE_SOURCES: 'MILLRACE_SOURCE',
    MILLRACE_log_level: 'MILLRACE_LOG_LEVEL',
    MILLRACE_DATA_DIR: 'MILLRACE_DATA',
    MILLRACE_ADMINKEY: 'MILLRACE_ADMIN_KEY',
  };
  const others = {
    MILLRACE_CWD: '.',
    MILLRACE_PORT: '1',
    MILLRACE_API_KEY: 'k',
    MILLRACE_ADMIN_KEY: 'k',
    PORT: 'x',
  };
  const said = unknownVariables({ ...others, ...near, MILLRACE_WHOLLY_ELSE: 'secret' });
  const known = Object.entries({ ...near, MILLRACE_WHOLLY_ELSE: undefined }).sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  expect(said).toHaveLength(known.length);
  for (const [i, [name, there]] of known.entries())
    expect(said[i]).toBe(
      `the environment variable "${name}" is not known and has no effect; ` +
        (there === undefined ? '--help lists those that there are' : `there is ${there}`),
    );
  expect(unknownVariables({ [`MILLRACE_${'X'.repeat(10_000)}`]: '' })[0]!.length).toBeLessThan(250);
});

describe('a file that an option names', () => {
  const dir = mkdtempSync(join(tmpdir(), 'millrace-options-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const noText = join(dir, 'no-text');
  writeFileSync(noText, '\u001b[31m\u0000AMM');

  const refusal = (flag: string, path: string) => {
    try {
      readOptions([`${flag}=file:${path}`], {});
    } catch (fault) {
      return (fault as Error).message;
    }
    throw new Error(`${flag} took ${path}`);
  };

  test.each([
    ['--sandbox-amendments', ''],
    ['--stripe-key', 'none, sk_... or rk_..., or '],
    ['--stripe-webhook-secret', 'none, whsec_..., or '],
  ])('%s: what is wrong with it is said in words', (flag, others) => {
    const said = (path: string, reason: string) =>
      expect(refusal(flag, path)).toBe(
        `${flag} must be ${others}file:PATH of a file that can be read (${reason}), not ${JSON.stringify(`file:${path}`)}`,
      );
    said(dir, `${dir} is not a file`);
    said(join(dir, 'none'), `there is no ${join(dir, 'none')}`);
    if (process.getuid?.() === 0) return;
    const closed = join(dir, `closed${flag}`);
    writeFileSync(closed, 'x', { mode: 0 });
    said(closed, `this user may not read ${closed}`);
  });

  test('with control characters: the terminal gets none of them', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(refusal('--sandbox-amendments', noText)).not.toMatch(/[\u0000-\u001f]/);
  });
});

const values = [
  '',
  ' ',
  '-1',
  '1.5',
  '1e9',
  '99999999999',
  'x',
  'no\nend',
  '\u0000',
  'ws://',
  'file:',
  'y'.repeat(5_000),
];

describe.each(flags)('$flag', ({ flag }) => {
  test('takes a value, or one short line says which values it takes', () => {
    let refused = 0;
    for (const value of values) {
      try {
        readOptions([`${flag}=${value}`], {});
      } catch (fault) {
        expect(fault).toBeInstanceOf(OptionError);
        const { message } = fault as OptionError;
        // What may be a secret is not repeated.
        const repeated = flag.startsWith('--stripe-') && flag !== '--stripe-url' ? '' : ', not ".*"';
        expect(message).toMatch(new RegExp(`^${flag} must be .+${repeated}$`));
        if (repeated === '' && value.length > 5) expect(message).not.toContain(value);
        expect(message.length).toBeLessThan(300);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(0);
  });

  test('given last and without a value: the error says so, unless it needs none', () => {
    try {
      readOptions([flag], {});
      expect(flag).toBe('--sandbox-reset');
    } catch (fault) {
      expect((fault as Error).message).toBe(`${flag} needs a value`);
    }
  });
});
