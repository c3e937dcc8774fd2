/**
 * What people see of the running service on a terminal, made of its log records and of what it reports each second.
 *
 *     record: addresses, warnings, faults -----> lines that stay
 *     record: how far long work has come ------> one bar with the time left  \  the last line of the terminal,
 *     each second: newest ledger, sockets -----> one line of status          /  written again and again
 *
 * Goals: a start that says where to look and how long it takes; nothing of what scrolls by is lost to the last line; no
 * text from outside can move the cursor. Non-goals: colours, keys, more than one line that moves. Where stdout is no
 * terminal, records are JSON lines, or with `--log-format text` a line of text each (`textLine`).
 *
 * Cost: one write of a line a second.
 */
import { DAY, HOUR, MINUTE } from '../engine/ripple-time.ts';

/** Levels of pino. */
const WARN = 40;
const ERROR = 50;
const FATAL = 60;
/** Progress that is older is over: records come every ten seconds or less while it goes on. */
const PROGRESS_MS = 25_000;
const BAR_WIDTH = 24;
/** Members of every record, which say nothing to people. */
const COMMON = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err']);
const CLEAR_LINE = '\r\x1b[2K';

export interface Screen {
  write(text: string): void;
  /** Characters of a line; asked for at each line, since windows change. */
  columns(): number;
  /** ms */
  now(): number;
}

/** What the service shows at this moment. */
export interface Present {
  /** Index of the newest ledger applied. */
  readonly ledger: number;
  /** ms since its close. */
  readonly age: number;
  /** Ledgers that the source knows and that are not applied yet. */
  readonly behind: number;
  readonly tokens: number;
  readonly sockets: number;
  /** Bytes of memory of the process. */
  readonly memory: number;
}

interface LogRecord {
  readonly level: number;
  readonly msg: string;
  readonly [field: string]: unknown;
}

interface Progress {
  readonly what: string;
  /** 0 to 1 */
  readonly share: number;
  /** When this work was first reported, and its share then. */
  readonly since: number;
  readonly from: number;
  readonly at: number;
  /** As the record says. */
  readonly secondsLeft: number | undefined;
}

export class Terminal {
  readonly #screen: Screen;
  #progress: Progress | undefined;
  #hasLast = false;
  #hasEnded = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** @param line a record as pino writes it */
  record(line: string): void {
    const record = recordOf(line);
    if (!record) return;
    // A fatal one is written to stderr, too.
    if (record.level >= WARN && record.level < FATAL) this.#keep([messageOf(record)]);
    this.#keep(addressLines(record));
    if (record.msg === 'stopping') this.end();
    const share = shareOf(record);
    if (share === undefined) {
      if (isComplete(record)) this.#progress = undefined;
      return;
    }
    this.#note(record, share);
    this.#last(barOf(this.#progress!, this.#screen.now()));
  }

  /** Writes the last line again. @param present undefined: nothing is shown yet */
  tick(present: Present | undefined): void {
    const now = this.#screen.now();
    if (this.#progress && now - this.#progress.at > PROGRESS_MS) this.#progress = undefined;
    if (this.#progress) this.#last(barOf(this.#progress, now));
    else this.#last(present ? statusOf(present) : 'starting');
  }

  /** The last line stays as it is, and what follows begins a new one: there is no other last line. */
  end(): void {
    if (this.#hasLast) this.#screen.write('\n');
    this.#hasLast = false;
    this.#hasEnded = true;
  }

  #note({ msg, secondsLeft }: LogRecord, share: number): void {
    const now = this.#screen.now();
    const before = this.#progress?.what === msg && this.#progress.share <= share ? this.#progress : undefined;
    this.#progress = {
      what: msg,
      share,
      since: before?.since ?? now,
      from: before?.from ?? share,
      at: now,
      secondsLeft: typeof secondsLeft === 'number' ? secondsLeft : undefined,
    };
  }

  #keep(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#screen.write(`${this.#hasLast ? CLEAR_LINE : ''}${lines.map(plain).join('\n')}\n`);
    this.#hasLast = false;
  }

  #last(text: string): void {
    if (this.#hasEnded) return;
    this.#screen.write(CLEAR_LINE + plain(text).slice(0, Math.max(0, this.#screen.columns() - 1)));
    this.#hasLast = true;
  }
}

/** A record as one line of text, without moving the cursor. @param line a record as pino writes it */
export function textLine(line: string): string {
  const record = recordOf(line);
  if (!record || record.level >= FATAL) return '';
  return `${plain(`${record.time} ${messageOf(record)}`)}\n`;
}

function recordOf(line: string): LogRecord | undefined {
  try {
    return JSON.parse(line) as LogRecord;
  } catch {
    return undefined;
  }
}

/** Without characters that move the cursor or hide text: names of nodes and what they say come from outside. */
function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '\ufffd');
}

function messageOf(record: LogRecord): string {
  const kind = record.level >= ERROR ? 'error: ' : record.level >= WARN ? 'warning: ' : '';
  const fields = Object.entries(record).filter(([name]) => !COMMON.has(name));
  const about = fields.map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return `${kind}${record.msg}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}

/** What to open, when a record says that something listens. */
function addressLines({ url, reference, jsonRpc, faucet }: LogRecord): string[] {
  if (typeof reference === 'string')
    return [
      '',
      `Millrace is at      ${url}`,
      `  its reference     ${reference}`,
      `  how it is         ${url}/health`,
    ];
  if (typeof jsonRpc !== 'string') return [];
  return [`  embedded network  ${url} and ${jsonRpc}`, `  its faucet        POST ${faucet}`, ''];
}

/** How far long work has come, 0 to 1; undefined where the record says nothing of it. */
function shareOf({ percent, done, total, made, left }: LogRecord): number | undefined {
  if (typeof percent === 'number') return percent / 100;
  if (typeof done === 'number' && typeof total === 'number' && total > 0) return done / total;
  if (typeof made === 'number' && typeof left === 'number') return made / Math.max(1, made + left);
  return undefined;
}

const isComplete = ({ msg }: LogRecord): boolean => /is complete\b/.test(msg);

/** Time left by the speed so far, where the record names none. */
function secondsLeftOf({ share, since, from, at, secondsLeft }: Progress): number | undefined {
  if (secondsLeft !== undefined) return secondsLeft;
  return share > from ? ((at - since) / 1000) * ((1 - share) / (share - from)) : undefined;
}

function barOf(progress: Progress, now: number): string {
  const { what, share, at } = progress;
  const full = Math.round(share * BAR_WIDTH);
  const bar = '#'.repeat(full).padEnd(BAR_WIDTH, '.');
  const left = secondsLeftOf(progress);
  const text = left === undefined ? '' : `, ${durationText(Math.max(0, left - (now - at) / 1000))} left`;
  return `[${bar}] ${Math.floor(share * 100)} %${text}: ${what}`;
}

function statusOf({ ledger, age, behind, tokens, sockets, memory }: Present): string {
  const whole = (value: number) => value.toLocaleString('en-US');
  return [
    `ledger ${whole(ledger)}, closed ${durationText(age / 1000)} ago`,
    ...(behind > 1 ? [`${whole(behind)} behind`] : []),
    `${whole(tokens)} tokens`,
    `${whole(sockets)} sockets`,
    `${whole(Math.round(memory / 1e6))} MB`,
  ].join(' | ');
}

/** @param seconds not below 0 */
function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
  return `${Math.floor(whole / DAY)} days`;
}
