/** What people see on a terminal: a screen of our own that keeps lines as a terminal does, and the program on a real one. */
import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Terminal, textLine } from '../../service/terminal.ts';
import { temporaryDir } from '../data/tools.ts';
import { until } from '../engine/ledger/quiet.ts';

const PROGRAM = resolve(import.meta.dir, '../../service/main.ts');

/** The lines that a terminal shows after some output. Only what the service uses: line feed, carriage return, clearing a line. */
function shown(output: string): string[] {
  const lines = [''];
  for (const part of output.replaceAll('\x1b[2K', '\f').split(/(\r\n|[\n\r\f])/)) {
    if (part === '\n' || part === '\r\n') lines.push('');
    else if (part === '\f') lines[lines.length - 1] = '';
    else if (part !== '\r') lines[lines.length - 1] += part;
  }
  return lines;
}

class Screen {
  output = '';
  time = 0;
  width = 100;
  write(text: string): void {
    this.output += text;
  }
  columns(): number {
    return this.width;
  }
  now(): number {
    return this.time;
  }
  get lines(): string[] {
    return shown(this.output);
  }
  get last(): string {
    return this.lines.at(-1)!;
  }
}

const record = (msg: string, fields: object = {}, level = 30) =>
  `${JSON.stringify({ level, time: '2026-01-01T00:00:00.000Z', pid: 1, hostname: 'h', name: 'millrace', ...fields, msg })}\n`;

const PRESENT = { ledger: 12_345, age: 2_100, behind: 0, tokens: 130, sockets: 2, memory: 412e6 };

describe('on a terminal', () => {
  const start = () => {
    const screen = new Screen();
    return { screen, terminal: new Terminal(screen) };
  };

  test('addresses stay, and the last line is one of status that is kept current', () => {
    const { screen, terminal } = start();
    terminal.tick(undefined);
    expect(screen.lines).toEqual(['starting']);
    terminal.record(
      record('listening', { url: 'http://127.0.0.1:3000', reference: 'http://127.0.0.1:3000/reference' }),
    );
    terminal.tick(PRESENT);
    terminal.tick({ ...PRESENT, ledger: 12_346, age: 400, behind: 7 });
    expect(screen.lines.join('\n')).toBe(
      `
Millrace is at      http://127.0.0.1:3000
  its reference     http://127.0.0.1:3000/reference
  how it is         http://127.0.0.1:3000/health
ledger 12,346, closed 0 s ago | 7 behind | 130 tokens | 2 sockets | 412 MB`,
    );
  });

  test('long work has one bar with the time left, by what the record says or by the speed so far', () => {
    const { screen, terminal } = start();
    const history = (made: number, left: number) =>
      terminal.record(record('the embedded network makes its history', { ledger: made, made, left }));
    history(100, 900);
    expect(screen.last).toBe('[##......................] 10 %: the embedded network makes its history');
    screen.time = 10_000;
    history(300, 700);
    expect(screen.last).toBe(
      '[#######.................] 30 %, 35 s left: the embedded network makes its history',
    );
    screen.time = 12_000;
    terminal.tick(PRESENT);
    expect(screen.last).toContain('33 s left');
    terminal.record(record("the embedded network's history is complete", { ledger: 1000, made: 1000 }));
    terminal.tick(PRESENT);
    expect(screen.last).toStartWith('ledger 12,345');
    terminal.record(record('catching up', { done: 50, total: 200, secondsLeft: 4000 }));
    expect(screen.last).toBe('[######..................] 25 %, 1 h 6 min left: catching up');
    expect(screen.lines.length).toBe(1);
    screen.time += 25_001;
    terminal.tick(PRESENT);
    expect(screen.last).toStartWith('ledger 12,345');
  });

  test('warnings stay above the last line, other records are not shown, fatal ones are for stderr', () => {
    const { screen, terminal } = start();
    terminal.tick(PRESENT);
    terminal.record(record('endpoint up', { endpoint: 'a' }));
    terminal.record(record('endpoint down', { endpoint: 'node:51233', tries: 3 }, 40));
    terminal.record(record('cannot go on', {}, 60));
    terminal.tick(PRESENT);
    expect(screen.lines.length).toBe(2);
    expect(screen.lines[0]).toBe('warning: endpoint down (endpoint node:51233, tries 3)');
  });

  test('text from outside cannot move the cursor, and no line is longer than the terminal', () => {
    const { screen, terminal } = start();
    terminal.record(record('endpoint down', { reason: 'a\x1b[2J\r\n\u202eb\u0007' }, 40));
    expect(screen.lines).toEqual(['warning: endpoint down (reason a\ufffd[2J\ufffd\ufffd\ufffdb\ufffd)', '']);
    screen.width = 20;
    terminal.tick(PRESENT);
    expect(screen.last).toBe('ledger 12,345, clos');
    terminal.record('no record at all');
    expect(screen.last).toBe('ledger 12,345, clos');
  });
});

test('where text is asked for without a terminal, each record is a line', () => {
  expect(textLine(record('catching up', { done: 1, total: 2 }))).toBe(
    '2026-01-01T00:00:00.000Z catching up (done 1, total 2)\n',
  );
  expect(textLine(record('cannot go on', {}, 60))).toBe('');
});

describe('the program on a terminal', () => {
  test('shows addresses, a bar while history is made, and ends with a whole line', async () => {
    const { dir, remove } = temporaryDir();
    let output = '';
    const decoder = new TextDecoder();
    const terminal = new Bun.Terminal({
      cols: 120,
      rows: 40,
      data: (_, bytes) => {
        output += decoder.decode(bytes, { stream: true });
      },
    });
    const options = [
      '--port=0',
      '--sandbox-port=0',
      '--sandbox-size=small',
      '--sandbox-days=1',
      `--data=${join(dir, 'data')}`,
    ];
    const child = Bun.spawn([process.execPath, PROGRAM, ...options], { terminal });
    try {
      await until(() => /\[#+\.*\] \d+ %.* left/.test(output), 60_000);
      child.kill('SIGTERM');
      expect(await child.exited).toBe(0);
      const lines = shown(output);
      expect(lines.filter((line) => line.startsWith('Millrace is at'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('embedded network  ws://'))).toHaveLength(1);
      expect(lines.at(-1)).toBe('');
      expect(lines.at(-2)).toContain(' %');
      expect(lines.some((line) => line.startsWith('{'))).toBe(false);
      expect(lines.length).toBeLessThan(20);
    } finally {
      child.kill('SIGKILL');
      await child.exited;
      terminal.close();
      rmSync(join(dir, 'data'), { recursive: true, force: true });
      remove();
    }
  });

  test('--log-format json: records, also on a terminal', async () => {
    const { dir, remove } = temporaryDir();
    let output = '';
    const terminal = new Bun.Terminal({
      data: (_, bytes) => {
        output += new TextDecoder().decode(bytes);
      },
    });
    const options = ['--log-format=json', '--port=0', '--source=file:missing.mlr', `--data=${dir}`];
    const child = Bun.spawn([process.execPath, PROGRAM, ...options], { terminal });
    await child.exited;
    await until(() => output.includes('\n'), 10_000);
    expect(output).toStartWith('{"level":');
    terminal.close();
    remove();
  });
});
