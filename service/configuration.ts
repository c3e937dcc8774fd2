/**
 * The configuration file: every option by the name of its flag, as TOML. What begins alike may be a table:
 *
 *     host = "0.0.0.0"               # --host
 *     proxies = ["10.0.0.0/8"]       # --proxies; a list is what the option separates by commas
 *     [sandbox]
 *     size = "small"                 # --sandbox-size
 *
 * Goal: an error names the file, the line and what may stand there; what is not known is an error, not ignored.
 * Non-goals: settings of its own (`option-table.ts` declares each option once), changes while the service runs.
 * Cost: read once. The line of a value is searched only for an error, by halves of the file.
 */
import { closeSync, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { parse, TomlError } from 'smol-toml';
import { quoted, shortened, userPath } from './option-values.ts';

/** What is read where no other file is named, from the folder in which the command was given. */
const FILE_NAME = 'millrace.toml';
/** Longest file that is read, bytes. */
const FILE_BYTES_MAX = 256 * 1024;

const NO_TEXT = 'must be a text, a number, true, false, or a list of texts';

export class ConfigurationError extends Error {}

/** A value of the file that has no use: where it stands below its option. */
export class SettingError extends Error {
  readonly path: readonly string[];

  constructor(path: readonly string[], message: string) {
    super(message);
    this.path = path;
  }
}

type Table = Readonly<Record<string, unknown>>;

interface Setting {
  readonly text: string;
  readonly path: readonly string[];
}

export class Configuration {
  readonly path: string;
  readonly #text: string;
  /** By name of the option. */
  readonly #settings: ReadonlyMap<string, Setting>;

  /**
   * @param names of options, without dashes before them
   * @param tables those of them whose value is a table
   * @throws ConfigurationError
   */
  constructor(path: string, text: string, names: ReadonlySet<string>, tables: ReadonlySet<string>) {
    this.path = path;
    this.#text = text;
    this.#settings = new Map(
      settingsIn(this.#parsed(), names, tables, (at, reason) => this.fault(at, reason)),
    );
  }

  /** @returns undefined: the file does not have it */
  get(name: string): string | undefined {
    return this.#settings.get(name)?.text;
  }

  /** The error of a setting that the option does not accept. */
  refused(name: string, fault: Error, reason: string): ConfigurationError {
    const { path } = this.#settings.get(name)!;
    const below = fault instanceof SettingError ? fault.path : [];
    return this.fault([...path, ...below], reason);
  }

  fault(path: readonly string[], reason: string): ConfigurationError {
    return new ConfigurationError(`${this.path}:${lineOf(this.#text, path)}: ${nameOf(path)} ${reason}`);
  }

  #parsed(): Table {
    try {
      return parse(this.#text) as Table;
    } catch (fault) {
      if (!(fault instanceof TomlError)) throw fault;
      const [reason = ''] = fault.message.replace(/^Invalid TOML document: /, '').split('\n');
      throw new ConfigurationError(`${this.path}:${fault.line}: this is not TOML: ${reason}`);
    }
  }
}

/**
 * The configuration file of a start. @param named by an option; undefined: `millrace.toml`, if there is one
 * @throws ConfigurationError
 */
export function readConfiguration(
  named: string | undefined,
  names: ReadonlySet<string>,
  tables: ReadonlySet<string>,
): Configuration | undefined {
  const path = userPath(named ?? FILE_NAME);
  const shown = shortened(named ?? FILE_NAME);
  // A link to nothing is a file that cannot be read: its settings were meant.
  if (!isThere(path)) {
    if (named === undefined) return undefined;
    throw new ConfigurationError(`there is no configuration file ${shortened(path)}`);
  }
  return new Configuration(shown, textIn(path, shown), names, tables);
}

function isThere(path: string): boolean {
  try {
    return !path.includes('\0') && lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // As a name that is too long.
    return false;
  }
}

function textIn(path: string, shown: string): string {
  let bytes: Uint8Array;
  try {
    bytes = beginningOf(path);
  } catch (fault) {
    throw new ConfigurationError(
      `the configuration file ${shown} cannot be read: ${(fault as Error).message}`,
    );
  }
  if (bytes.length > FILE_BYTES_MAX)
    throw new ConfigurationError(`${shown} is longer than ${FILE_BYTES_MAX} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ConfigurationError(`${shown} is not a text in UTF-8`);
  }
}

/** One byte more than may be: a device or pipe may have no end. */
function beginningOf(path: string): Uint8Array {
  const bytes = Buffer.alloc(FILE_BYTES_MAX + 1);
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).isDirectory()) throw new Error('it is a folder');
    let length = 0;
    for (let more = -1; more !== 0 && length < bytes.length; length += more)
      more = readSync(file, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** Path of a value as one writes it in TOML, on one line of bounded length. */
function nameOf(path: readonly string[]): string {
  return path.map((key) => (/^[\w/-]{1,80}$/.test(key) ? key : quoted(key))).join('.');
}

type Fault = (path: readonly string[], reason: string) => ConfigurationError;

function settingsIn(
  file: Table,
  names: ReadonlySet<string>,
  tables: ReadonlySet<string>,
  fault: Fault,
): [string, Setting][] {
  const settings: [string, Setting][] = [];
  const take = (name: string, value: unknown, path: readonly string[]) => {
    if (settings.some(([known]) => known === name)) throw fault(path, `is given twice`);
    settings.push([name, { text: textOf(name, value, path, tables, fault), path }]);
  };
  for (const [key, value] of Object.entries(file)) {
    if (names.has(key) && (tables.has(key) || !isTable(value))) take(key, value, [key]);
    else if (!isTable(value)) throw fault([key], unknown(key, names));
    else if (Object.keys(value).length === 0) checkTable(key, names, fault);
    else
      for (const [inner, below] of Object.entries(value)) {
        const name = `${key}-${inner}`;
        if (!names.has(name)) throw fault([key, inner], unknown(name, names));
        take(name, below, [key, inner]);
      }
  }
  return settings;
}

/** @throws ConfigurationError where nothing begins as a table without settings is called */
function checkTable(key: string, names: ReadonlySet<string>, fault: Fault): void {
  if (names.has(key)) throw fault([key], NO_TEXT);
  if (![...names].some((name) => name.startsWith(`${key}-`))) throw fault([key], unknown(key, names));
}

/** What the option would be given as a flag. */
function textOf(
  name: string,
  value: unknown,
  path: readonly string[],
  tables: ReadonlySet<string>,
  fault: Fault,
): string {
  if (tables.has(name)) {
    if (!isTable(value)) throw fault(path, 'must be a table');
    return JSON.stringify(value);
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number'))
    return value.length > 0 ? value.join(',') : 'none';
  throw fault(path, NO_TEXT);
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Names that a mistyped one may stand for begin or end like it. */
function unknown(name: string, names: ReadonlySet<string>): string {
  const close = [...names].filter((one) => one.startsWith(name.slice(0, 4)) || one.endsWith(name.slice(-5)));
  const hint =
    close.length > 0 ? `; there are ${close.slice(0, 5).join(', ')}` : '; --help lists what there is';
  return `is not a setting${hint}`;
}

/**
 * The line on which a value begins: behind the longest beginning of the file that is TOML and does not have it yet. Of a
 * value that is missing, that of its table.
 */
function lineOf(text: string, path: readonly string[]): number {
  if (path.length > 1 && valueIn(text, path) === 'absent') return lineOf(text, path.slice(0, -1));
  const lines = text.split('\n');
  const foundIn = (count: number) => valueIn(lines.slice(0, count).join('\n'), path);
  // The first `before` lines do not have it; beginnings of `end` lines or more do, or end within another value.
  let before = 0;
  let end = lines.length;
  while (end - before > 1) {
    const middle = (before + end) >> 1;
    let count = middle;
    while (count < end && foundIn(count) === 'not TOML') count++;
    if (count < end && foundIn(count) === 'absent') before = count;
    else end = middle;
  }
  return before + 1;
}

function valueIn(text: string, path: readonly string[]): 'present' | 'absent' | 'not TOML' {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    return 'not TOML';
  }
  for (const key of path) {
    if (!isTable(value) || !Object.hasOwn(value, key)) return 'absent';
    value = value[key];
  }
  return 'present';
}
