/**
 * Checks of a machine before the service runs on it, with the options it will have: what is wrong, and what to change.
 *
 * Goals: nothing is changed; each finding is of what was measured now; it ends within seconds. Non-goals: the store's content (`tool check`), how fast it is.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { freeBytes } from '../data/disk.ts';
import { ArchiveReader } from '../engine/ledger/archive.ts';
import { checkHealth } from './health-check.ts';
import { askNode, type NodeFacts } from './node-facts.ts';
import { FILES_BESIDE, fileLimit } from './open-files.ts';
import { userPath } from './option-values.ts';
import type { Options } from './options.ts';
import { daysLeft, hasAdmission, isLoopback, outOfTime, RENEW_DAYS, tlsOf } from './server-settings.ts';
import { unknownVariables } from './unknown-variables.ts';

export interface Finding {
  readonly state: 'ok' | 'warn' | 'bad';
  readonly subject: string;
  readonly text: string;
  /** What to do about it. */
  readonly change?: string;
}

const GB = 1e9;
/** Of the main network: state and candles of a first day, and a week of its ledgers at about 2 GB a day (README, "Disk"). */
const DISK_LEAST = { sandbox: 2 * GB, nodes: 40 * GB };
const DISK_FEW_DAYS = 100 * GB;
/** Columns of the main network's state, and as much for pages of the store (README, "Memory"). */
const MEMORY_LEAST = { sandbox: 2 * GB, nodes: 8 * GB };
/** A node's clock and ours may differ by this much, ms: close times are rounded to 10 s, signatures are valid for minutes. */
const CLOCK_WARN_MS = 2_000;
const CLOCK_BAD_MS = 30_000;
const isMain = ({ source }: Options) => source.kind === 'nodes';

/** @param env the environment that the options are read from */
export async function findings(
  options: Options,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<readonly Finding[]> {
  const found = await Promise.all([
    ...variables(env),
    disk(options),
    memory(options, totalmem()),
    openFiles(options, fileLimit()),
    ...certificate(options, Date.now()),
    access(options),
    port(options),
    sandboxPort(options),
    ...secrets(options),
    ...archive(options),
    ...nodes(options),
  ]);
  return found.flat();
}

/** One line a finding, and below it what to change. */
export function report(found: readonly Finding[]): string {
  return found
    .map(({ state, subject, text, change }) => {
      const line = `${state.padEnd(4)} ${subject}: ${text}`;
      return change === undefined ? line : `${line}\n     -> ${change}`;
    })
    .join('\n');
}

/** The folder itself, or the nearest one above it that exists. */
function existing(path: string): string {
  return existsSync(path) ? path : existing(dirname(path));
}

export function disk(options: Options, free = freeBytes): Finding {
  const subject = 'disk';
  const dir = userPath(options.data);
  const at = existing(dir);
  const isFolder = statSync(at).isDirectory();
  try {
    accessSync(at, constants.W_OK | constants.X_OK);
    if (!isFolder) throw new Error('it is a file');
  } catch {
    const change = 'choose another folder with --data, or let the user that runs the service write there';
    return { state: 'bad', subject, text: `${at} is not a folder that this user can write to`, change };
  }
  const bytes = free(at);
  const least = isMain(options) ? DISK_LEAST.nodes : DISK_LEAST.sandbox;
  const text = `${inGB(bytes)} free for ${dir}`;
  if (bytes < least)
    return {
      state: 'bad',
      subject,
      text,
      change: `${inGB(least)} are needed: free space, or choose another disk`,
    };
  if (isMain(options) && options.keep === undefined && bytes < DISK_FEW_DAYS)
    return {
      state: 'warn',
      subject,
      text,
      change: 'ledgers take about 2 GB a day: --keep 14days bounds them',
    };
  return { state: 'ok', subject, text };
}

export function memory(options: Options, bytes: number): Finding {
  const least = isMain(options) ? MEMORY_LEAST.nodes : MEMORY_LEAST.sandbox;
  const found = { subject: 'memory', text: `${inGB(bytes)} in this machine` };
  if (bytes >= least) return { state: 'ok', ...found };
  return {
    state: 'warn',
    ...found,
    change: `${inGB(least)} or more keep the state of the network in memory`,
  };
}

export function openFiles({ sockets }: Pick<Options, 'sockets'>, limit: number | undefined): Finding {
  const subject = 'open files';
  const needed = sockets + FILES_BESIDE;
  if (limit === undefined)
    return { state: 'ok', subject, text: 'this system does not say how many are allowed' };
  const text = `at most ${limit}, for up to ${sockets} WebSockets`;
  if (limit >= needed) return { state: 'ok', subject, text };
  const change = `ulimit -n ${needed} (LimitNOFILE= of a systemd unit), or --sockets ${Math.max(1, limit - FILES_BESIDE)}`;
  return { state: limit < FILES_BESIDE ? 'bad' : 'warn', subject, text, change };
}

/** @param now Unix ms */
export function certificate(options: Options, now: number): Finding[] {
  const subject = 'certificate';
  try {
    const tls = tlsOf(options);
    if (!tls) return [];
    const { own } = tls;
    const left = daysLeft(own, now);
    const name = own.subjectAltName?.replaceAll('DNS:', '') ?? own.subject;
    const change = 'renew it: a service that runs takes the new one within a minute';
    const refused = outOfTime(own, now);
    if (refused) return [{ state: 'bad', subject, text: `for ${name}, ${refused}`, change }];
    const text = `for ${name}, valid for ${left} days`;
    return [left < RENEW_DAYS ? { state: 'warn', subject, text, change } : { state: 'ok', subject, text }];
  } catch (fault) {
    return [{ state: 'bad', subject, text: (fault as Error).message, change: 'give both as PEM files' }];
  }
}

export function access(options: Options): Finding {
  const subject = 'access';
  const { host, tlsCert } = options;
  if (!hasAdmission(options)) {
    const text = `anybody who reaches ${host} is answered, without limits`;
    if (isLoopback(host)) return { state: 'ok', subject, text: `${text}: programs of this machine` };
    return {
      state: 'warn',
      subject,
      text,
      change: '--admission keys, unless the network itself keeps others out',
    };
  }
  if (isLoopback(host) && options.proxies.length === 0) {
    const text = 'by key and tier, and every client counts as one: whatever is before the service';
    return {
      state: 'warn',
      subject,
      text,
      change: '--proxies 127.0.0.1, where a proxy of this machine is before it',
    };
  }
  if (tlsCert !== undefined || options.proxies.length > 0)
    return { state: 'ok', subject, text: 'by key and tier' };
  const change =
    '--tls-cert and --tls-key, or --host 127.0.0.1 behind a proxy that has them (deploy/nginx.conf)';
  return { state: 'warn', subject, text: 'keys would cross the network without encryption', change };
}

/** Why the port cannot be opened; undefined: it can. */
async function closedFor(hostname: string, port: number): Promise<string | undefined> {
  try {
    await Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() }).stop(true);
    return undefined;
  } catch (fault) {
    return (fault as { code?: string }).code ?? String(fault);
  }
}

export async function port(options: Options): Promise<Finding> {
  const subject = 'port';
  const { host, port } = options;
  const where = `${host}, port ${port}`;
  const code = await closedFor(host, port);
  if (code === undefined) return { state: 'ok', subject, text: `${where} is free` };
  if (code === 'EADDRINUSE') return ownOrOther(options, where);
  const change =
    code === 'EACCES' ? '--port of 1024 or more, behind a proxy' : 'choose another with --port or --host';
  return { state: 'bad', subject, text: `${where} cannot be opened (${code})`, change };
}

/** Of the embedded network, where one was chosen. */
async function sandboxPort({ source, testnet, sandboxPort }: Options): Promise<Finding[]> {
  if (source.kind !== 'sandbox' && testnet?.kind !== 'sandbox') return [];
  if (sandboxPort.orFreePort || sandboxPort.port === 0) return [];
  const subject = 'port of the embedded network';
  const code = await closedFor('127.0.0.1', sandboxPort.port);
  if (code === undefined) return [{ state: 'ok', subject, text: `${sandboxPort.port} is free` }];
  const change = '--sandbox-port auto takes a free one; while this service runs, it is its own';
  return [{ state: 'warn', subject, text: `${sandboxPort.port} cannot be opened (${code})`, change }];
}

function variables(env: Readonly<Record<string, string | undefined>>): Finding[] {
  const change = 'name it as --help does, or remove it';
  return unknownVariables(env).map((text) => ({ state: 'warn', subject: 'environment', text, change }));
}

/** Files that only the user of the service should read. */
function secrets({ tlsKey }: Options): Finding[] {
  if (tlsKey === undefined) return [];
  const subject = 'key of the certificate';
  const isOpen = (statSync(tlsKey).mode & 0o044) !== 0;
  const text = `${tlsKey} can be read by ${isOpen ? 'other users' : 'its owner alone'}`;
  return [
    isOpen ? { state: 'warn', subject, text, change: `chmod 600 ${tlsKey}` } : { state: 'ok', subject, text },
  ];
}

/** The file of ledgers that is to be followed. */
function archive({ source, network }: Options): Finding[] {
  if (source.kind !== 'file') return [];
  const subject = 'archive';
  const path = userPath(source.path);
  try {
    const reader = ArchiveReader.open(path);
    const { isCutOff } = reader;
    const ranges = reader.ranges();
    reader.close();
    const [first, last] = [ranges[0]?.first, ranges.at(-1)?.last];
    if (first === undefined) {
      const change = 'record ledgers into it: npm run tool -- record';
      return [{ state: 'bad', subject, text: `${path} has no ledgers`, change }];
    }
    if (reader.network !== undefined && reader.network !== network)
      return [
        {
          state: 'bad',
          subject,
          text: `${path} is of network ${reader.network}`,
          change: `--network ${reader.network}, and a folder of its own with --data`,
        },
      ];
    const gaps = ranges.length > 1 ? `, in ${ranges.length} pieces` : '';
    const text = `${path} has ledgers ${first} to ${last}${gaps}`;
    if (!isCutOff) return [{ state: 'ok', subject, text }];
    const change = 'its end was cut off: copy it again, unless it is being recorded';
    return [{ state: 'warn', subject, text, change }];
  } catch (fault) {
    const change = 'name the file of an archive: --source file:PATH';
    return [{ state: 'bad', subject, text: (fault as Error).message, change }];
  }
}

async function ownOrOther(options: Options, where: string): Promise<Finding> {
  const subject = 'port';
  try {
    return { state: 'ok', subject, text: `${where} is this service, which is ${await checkHealth(options)}` };
  } catch {
    const change = 'end the program that listens there, or choose another with --port';
    return { state: 'bad', subject, text: `${where} is taken`, change };
  }
}

/** Reachability, network and clock: of each node that the options name. */
function nodes({ source, network, testnet, testnetNetwork }: Options): Promise<Finding | Finding[]>[] {
  const ofSource = (one: Options['testnet'], id: number, flag: string) =>
    (one?.kind === 'nodes' ? one.urls : []).map(async (url) => {
      const facts = await askNode(url).catch((fault: Error) => fault.message);
      return nodeFindings(url, id, facts, Date.now(), flag);
    });
  return [
    ...ofSource(source, network, '--network'),
    ...ofSource(testnet, testnetNetwork, '--testnet-network'),
  ];
}

/** @param facts a text: why there are none. @param now Unix ms. @param flag of the option that names the network */
export function nodeFindings(
  url: string,
  network: number,
  facts: NodeFacts | string,
  now: number,
  flag = '--network',
): Finding[] {
  const subject = `node ${url}`;
  if (typeof facts === 'string') {
    const change = 'check the address, and that a firewall lets this machine out to it; name a second node';
    return [{ state: 'bad', subject, text: facts, change }];
  }
  const { networkId, ledgers, build, time, tookMs } = facts;
  const text = `answers in ${Math.round(tookMs)} ms (${build}), has ledgers ${ledgers}`;
  const found: Finding[] = [];
  if (networkId !== network)
    found.push({
      state: 'bad',
      subject,
      text: `is of network ${networkId}`,
      change: `${flag} ${networkId}`,
    });
  else if (ledgers === 'empty')
    found.push({ state: 'warn', subject, text, change: 'it is catching up itself: name a second node' });
  else found.push({ state: 'ok', subject, text });
  if (time !== undefined) found.push(clock(now - time));
  return found;
}

/** @param offset ours less the node's, ms */
function clock(offset: number): Finding {
  const subject = 'clock';
  const seconds = (Math.abs(offset) / 1000).toFixed(1);
  const text = `${seconds} s ${offset < 0 ? 'behind' : 'ahead of'} the node's`;
  const change = 'let the system keep it: timedatectl set-ntp true, or chrony';
  if (Math.abs(offset) >= CLOCK_BAD_MS) return { state: 'bad', subject, text, change };
  if (Math.abs(offset) >= CLOCK_WARN_MS) return { state: 'warn', subject, text, change };
  return { state: 'ok', subject, text };
}

const inGB = (bytes: number): string =>
  bytes === Number.POSITIVE_INFINITY ? 'any' : `${(bytes / GB).toFixed(1)} GB`;
