/** What the values of options may be: each reader takes the text and throws a sentence that says what it should be. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Keep, LEDGERS_MIN } from '../data/pruning.ts';
import { accountBytes } from '../engine/codec/base58.ts';
import { DAY } from '../engine/ripple-time.ts';
import { RATE_DRIVERS } from '../outside/rate-drivers.ts';
import type { RateDriver } from '../outside/rate-feed.ts';
import { SCAM_LISTS_MAX } from '../platform/scam-lists.ts';
import { Proxies } from '../requests/client-address.ts';
import { type AmendmentChoice, chosenAmendments } from '../sandbox/protocol/amendment-choice.ts';

export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`a whole number from ${min} to ${max}`);
    return value;
  };
}

export function oneOf<const T extends readonly string[]>(...values: T) {
  return (text: string): T[number] => {
    if (!values.includes(text)) throw new Error(`one of ${values.join(', ')}`);
    return text;
  };
}

export function filled(text: string): string {
  if (text.trim() === '') throw new Error('a text that is not empty');
  return text;
}

/** Where ledgers come from: the embedded network, the recorded ledgers beside the checkout, nodes, or an archive. */
export type SourceChoice =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'recorded' }
  | {
      readonly kind: 'nodes';
      readonly urls: readonly string[];
      /** How long they may announce no new ledger, ms; without it as long as public nodes. */
      readonly silence?: number;
    }
  | { readonly kind: 'file'; readonly path: string };

/** @throws Error that names the accepted forms. */
export function readSource(text: string): SourceChoice {
  if (text === 'sandbox' || text === 'recorded') return { kind: text };
  if (text.startsWith('file:') && text.length > 5) return { kind: 'file', path: text.slice(5) };
  const urls = text.split(',').map((url) => url.trim());
  if (urls.every((url) => /^wss?:\/\/[^/\s]/.test(url) && URL.canParse(url))) return { kind: 'nodes', urls };
  throw new Error('sandbox, recorded, file:PATH, or ws:// or wss:// addresses separated by commas');
}

/** The same of a test network beside the main one; undefined for none. @throws Error that names the accepted forms */
export function readTestNetwork(text: string): SourceChoice | undefined {
  if (text === 'none') return undefined;
  if (text === 'sandbox' || /^wss?:/.test(text)) return readSource(text);
  throw new Error('none, sandbox, or ws:// or wss:// addresses separated by commas');
}

/** The embedded network's port unless another one is chosen. */
export const SANDBOX_PORT = 6006;

export const portNumber = wholeNumber(0, 65_535);

/** Of a network: the ledgers name it in 32 bits. */
export const networkId = wholeNumber(0, 4_294_967_295);

/** @throws Error that names the accepted forms. */
export function sandboxPort(text: string): { readonly port: number; readonly orFreePort: boolean } {
  if (text === 'auto') return { port: SANDBOX_PORT, orFreePort: true };
  try {
    return { port: portNumber(text), orFreePort: false };
  } catch (fault) {
    throw new Error(`auto or ${(fault as Error).message}`);
  }
}

export const RATE_FEEDS = ['none', ...RATE_DRIVERS.map(({ name }) => name)].join(', ');

/** Undefined for none. @throws Error that names the accepted forms. */
export function rateFeed(text: string): { readonly driver: RateDriver; readonly url?: string } | undefined {
  if (text === 'none') return undefined;
  const [name, ...rest] = text.split(':');
  const driver = RATE_DRIVERS.find((one) => one.name === name);
  const url = rest.join(':');
  if (driver && rest.length === 0) return { driver };
  if (driver && /^https?:/.test(url) && URL.canParse(url)) return { driver, url };
  throw new Error(`${RATE_FEEDS} or NAME:http(s)://…`);
}

/** Addresses and files, these by their whole path. @throws Error that names the accepted forms. */
export function scamLists(text: string): readonly string[] {
  if (text === 'none') return [];
  const lists = text.split(',').map((one) => wholeList(one.trim()));
  const isFile = (one: string) => {
    const path = one.slice('file:'.length);
    return one.startsWith('file:') && existsSync(path) && statSync(path).isFile();
  };
  const isAddress = (one: string) => /^https?:\/\//.test(one) && URL.canParse(one);
  if (lists.length > SCAM_LISTS_MAX || !lists.every((one) => isFile(one) || isAddress(one)))
    throw new Error(`none, or at most ${SCAM_LISTS_MAX} of http(s)://… and file:PATH, separated by commas`);
  return lists;
}

function wholeList(list: string): string {
  const path = list.startsWith('file:') ? list.slice('file:'.length) : '';
  return path === '' || path.includes('\0') ? list : `file:${userPath(path)}`;
}

/** @throws Error that names the accepted form. */
export function adminWallets(text: string): ReadonlySet<string> {
  if (text === 'none') return new Set();
  const wallets = text.split(',').map((wallet) => wallet.trim());
  if (!wallets.every((wallet) => accountBytes(wallet)))
    throw new Error('none, or r-addresses separated by commas');
  return new Set(wallets);
}

/** Addresses and networks, or none. @throws Error that names the accepted form */
export function addressList(text: string): readonly string[] {
  if (text === 'none') return [];
  const networks = text.split(',').map((one) => one.trim());
  try {
    new Proxies(networks);
  } catch {
    throw new Error('none, or addresses or networks (10.0.0.0/8) separated by commas');
  }
  return networks;
}

/** Undefined for none. @throws Error that names the accepted form */
export function paymentAddress(text: string): string | undefined {
  if (text === 'none') return undefined;
  if (!accountBytes(text)) throw new Error('none, or an r-address');
  return text;
}

/**
 * @param value `file:PATH`
 * @param others values that may be given in its place
 * @throws Error that says what the value must be, and why this one is not
 */
function textOfFile(value: string, others = ''): string {
  const path = userPath(value.slice('file:'.length));
  try {
    if (!statSync(path).isFile()) throw new Error(`${path} is not a file`);
    return readFileSync(path, 'utf8');
  } catch (fault) {
    throw new Error(`${others}file:PATH of a file that can be read (${unreadable(path, fault as Error)})`);
  }
}

function unreadable(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `there is no ${path}`;
  if (code === 'EACCES') return `this user may not read ${path}`;
  return message;
}

/** A secret, or the file that has it; undefined for none. No error repeats it. */
export function secret(form: RegExp, name: string) {
  return (text: string): string | undefined => {
    if (text === 'none') return undefined;
    if (!text.startsWith('file:')) {
      if (!form.test(text)) throw new SecretError(`none, ${name}, or file:PATH with it`);
      return text;
    }
    const found = textOfFile(text, `none, ${name}, or `).trim();
    if (!form.test(found)) throw new SecretError(`none, ${name}, or file:PATH of a file with one`);
    return found;
  };
}

/** The value of an option that must not be shown is not what it should be. */
export class SecretError extends Error {}

/** Path of a file with a certificate or key; undefined for none. @throws Error that names the accepted form */
export function pemFile(text: string): string | undefined {
  if (text === 'none') return undefined;
  const path = userPath(filled(text));
  if (text.includes('\0') || !existsSync(path)) throw new Error('none, or an existing file');
  return path;
}

const WEB_URL = 'an http or https address without a query';

/** @throws Error that names the accepted form. */
export function someWebUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username + url.password === '')
    return url.href.replace(/\/+$/, '');
  throw new Error(WEB_URL);
}

/** '' for none. @throws Error that names the accepted forms. */
export function webUrl(text: string): string {
  if (text === 'none') return '';
  try {
    return someWebUrl(text);
  } catch {
    throw new Error(`none, or ${WEB_URL}`);
  }
}

/** Some of them, or none. */
export function webUrls(text: string): readonly string[] {
  const urls = text.split(',').map((one) => one.trim());
  try {
    return urls.map(webUrl).filter((url) => url !== '');
  } catch {
    throw new Error('none, or http or https addresses without a query, separated by commas');
  }
}

/** Undefined where nothing is chosen. @throws Error that names what is not known */
export function readAmendments(text: string): AmendmentChoice | undefined {
  if (text === 'default') return undefined;
  if (!text.startsWith('file:')) return chosenAmendments(text);
  return chosenAmendments(textOfFile(text));
}

/** What an amount of `--keep` may be followed by, and what one of it is of the unit. */
const KEEP_UNITS: Readonly<Record<string, Keep & { readonly min: number; readonly max: number }>> = {
  ledgers: { unit: 'ledgers', amount: 1, min: LEDGERS_MIN, max: 1e9 },
  days: { unit: 'seconds', amount: DAY, min: 1, max: 10_000 },
  MB: { unit: 'bytes', amount: 1e6, min: 100, max: 1e9 },
  GB: { unit: 'bytes', amount: 1e9, min: 1, max: 1e6 },
  TB: { unit: 'bytes', amount: 1e12, min: 1, max: 1e3 },
};

/** Fewest days of trades: volumes of pools are read from those of seven (views/pool-volumes.ts). */
const TRADE_DAYS_MIN = 8;

/** Undefined for all. @throws Error that names the accepted forms. */
export function readKeep(text: string): Keep | undefined {
  if (text === 'all') return undefined;
  const [, digits = '', name = ''] = /^(\d{1,10}) ?([a-zA-Z]+)$/.exec(text) ?? [];
  const form = KEEP_UNITS[name === 'ledger' || name === 'day' ? `${name}s` : name];
  const count = Number(digits);
  if (!form || count < form.min || count > form.max)
    throw new Error(`all, or how much: ${LEDGERS_MIN}ledgers or more, 30days, 40GB (also MB from 100, TB)`);
  return { unit: form.unit, amount: count * form.amount };
}

/** Undefined for all. @throws Error that names the accepted forms. */
export function readKeepTrades(text: string): number | undefined {
  if (text === 'all') return undefined;
  const [, days = ''] = /^(\d{1,5}) ?days$/.exec(text) ?? [];
  if (Number(days) < TRADE_DAYS_MIN) throw new Error(`all, or ${TRADE_DAYS_MIN}days or more`);
  return Number(days) * DAY;
}

/** Resolves a path from the folder in which the user gave the command, which set-up passes on. */
export function userPath(...parts: readonly string[]): string {
  return resolve(process.env[OTHER_VARIABLES.folder] ?? '.', ...parts);
}

/** Variables of the environment that are no options: the folder of the command, and keys that commands of service/tool.ts send. */
export const OTHER_VARIABLES = {
  folder: 'MILLRACE_CWD',
  key: 'MILLRACE_API_KEY',
  adminKey: 'MILLRACE_ADMIN_KEY',
} as const;

/** What a user wrote, on one line of bounded length. */
export const quoted = (text: string): string => JSON.stringify(shortened(text, 80));

/** A reason may repeat the value, which may be long. */
export const shortened = (text: string, most = 160): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
