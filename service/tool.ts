/** Tools around archives and stores; COMMANDS lists them. */
import { pino } from 'pino';
import { checkExists, hasStore } from '../data/environment.ts';
import { backupStore, checkWhole, compactStore } from '../data/maintenance.ts';
import { storedFacts } from '../data/salvage.ts';
import { openStore } from '../data/store.ts';
import { Counters } from '../engine/counters.ts';
import { Engine } from '../engine/engine.ts';
import { archiveNetwork } from '../engine/ledger/archive.ts';
import type { FollowProgress } from '../engine/ledger/progress.ts';
import { importCorpus, record } from '../engine/ledger/tools.ts';
import { dayText } from '../views/date-text.ts';
import { preparePool } from '../workers/prepare-pool.ts';
import { findings, report } from './doctor.ts';
import { embeddedStoreDir, recordedStoreDir } from './embedded-network.ts';
import { checkHealth } from './health-check.ts';
import { wrapped } from './help-lines.ts';
import { bridge } from './mcp-bridge.ts';
import { leaveNewKey, leaveRevocation, OPERATOR_KINDS, operatorKeys } from './new-keys.ts';
import { rows } from './option-table.ts';
import {
  networkId,
  OTHER_VARIABLES,
  quoted,
  readSource,
  type SourceChoice,
  someWebUrl,
  userPath,
  wholeNumber,
} from './option-values.ts';
import { checkNone, OptionError, optionsOf, takeFlags } from './options.ts';
import { partners } from './partners-tool.ts';
import { rebuildStore } from './rebuild.ts';
import { replayArchive } from './replay.ts';
import { makeSource, openSource, processClock } from './sources.ts';

/** Ledgers between two lines of progress. */
const PROGRESS_LEDGERS = 1000;

/** Each command with its options, and what it does. */
const COMMANDS: readonly (readonly [usage: string, about: string])[] = [
  [
    'record --source SOURCE --to FILE [--history N] [--ledgers N]',
    'ledgers of a source into an archive, from N before its newest one until N after it (without ' +
      '--ledgers until it is stopped); an archive that exists is continued',
  ],
  [
    'replay --from FILE --data DIR [--workers N] [--network ID] [--pace N]',
    'an archive into a store of that network (by default the one that the archive names, else 0, ' +
      'mainnet), at full speed or N times as fast as the ledgers closed',
  ],
  ['import --from DIR --to FILE', 'recorded ledgers (*.json.gz) into an archive'],
  ['backup --data DIR --to DIR', 'a consistent copy of a store, while the service runs'],
  ['compact --data DIR', 'frees unused pages; the service must be stopped'],
  ['check --data DIR', 'checks every page and row; the service must be stopped'],
  [
    'rebuild --data DIR [--source SOURCE] [--snapshot no] [--network ID] [--workers N]',
    'a store from the ledgers it holds: a damaged one, or to compute its figures again; the service ' +
      'must be stopped. The network is that of the store, where it can be read',
  ],
  ['digest --data DIR [--network ID]', 'what the ledgers in a store determine'],
  [
    'doctor [--OPTION VALUE]...',
    'checks disk, memory, limits, certificate, port, nodes and clock for a service with these options ' +
      'of its own (its configuration file and environment are read, too), and says what to change',
  ],
  ['health [--OPTION VALUE]...', 'whether the service with these options answers'],
  [
    'admin key|list|revoke KEY [--kind admin|platform|browser] [--name TEXT] [--OPTION VALUE]...',
    'keys of the operator for a service with these options, which may run meanwhile. key: a new one, ' +
      'shown once. admin: may do anything; platform: makes and cancels sign requests; browser: one that ' +
      'pages of other sites share. list: those that there are, by their beginnings. revoke: by its ' +
      'beginning; it stops working, and a second time is deleted',
  ],
  [
    'partners list|approve WALLET|decline WALLET --reason TEXT|tier WALLET enterprise|partner|none [--key KEY] [--OPTION VALUE]...',
    'requests for the partner tier, and tiers that are given, of the service with these options, which ' +
      'runs; the key is that of the admin (also in MILLRACE_ADMIN_KEY)',
  ],
  [
    'mcp [--url URL]',
    'the tool protocol over stdin and stdout, for a local client; URL is that of a running service, by ' +
      'default http://127.0.0.1:3000/mcp, and MILLRACE_API_KEY in the environment a key for it',
  ],
  ['crash [--rounds N]', 'kill -9 at random moments, and compare'],
];

const NOTES =
  "DIR is the folder of a store: that of the service's --data for a public network, sandbox/engine in " +
  'it for the embedded one (whose own ledgers are in sandbox/network: copy that after the other), ' +
  'recorded in it for recorded ledgers. --OPTION is any of those that npm start -- --help lists. All ' +
  'can be given as --data DIR and as --data=DIR.';

/** Columns before what a command does, and before what is left of a long list of options. */
const ABOUT_INDENT = 6;
const OPTIONS_INDENT = 10;

function helpText(): string {
  const lines = COMMANDS.flatMap(([usage, about]) => [
    ...wrapped(usage, OPTIONS_INDENT, 2),
    ...wrapped(about, ABOUT_INDENT),
  ]);
  return ['npm run tool -- NAME [options]', '', ...lines, '', ...wrapped(NOTES, 0)].join('\n');
}

/** What `--help` shows of one command. */
function helpOf(name: string): string {
  const [usage, about] = COMMANDS.find(([one]) => one.split(' ', 1)[0] === name)!;
  const command = wrapped(`npm run tool -- ${usage}`, OPTIONS_INDENT, 0);
  return [...command, ...wrapped(about, ABOUT_INDENT), '', ...wrapped(NOTES, 0)].join('\n');
}

const COUNT = wholeNumber(0, 999_999_999);

const log = pino({ name: 'millrace', level: 'warn' });

/** Flags of a command that takes none of the service's. */
class Flags {
  readonly #values: ReadonlyMap<string, string>;

  /** @param allowed without the `--`, as in all methods */
  constructor(args: readonly string[], allowed: readonly string[]) {
    const { values, others } = takeFlags(
      args,
      allowed.map((name) => `--${name}`),
    );
    checkNone(others);
    this.#values = values;
  }

  text(name: string, otherwise?: string): string {
    const value = this.#values.get(`--${name}`) ?? otherwise;
    if (value === undefined) throw new OptionError(`--${name} is missing`);
    return value;
  }

  has(name: string): boolean {
    return this.#values.has(`--${name}`);
  }

  path(name: string): string {
    return userPath(this.text(name));
  }

  /** Folder of a store. @throws OptionError that names it, where `--data` is that of a service which has it further down */
  store(): string {
    const data = this.path('data');
    const below = [embeddedStoreDir({ data }), recordedStoreDir({ data })].filter(hasStore);
    if (hasStore(data) || below.length === 0) return data;
    throw new OptionError(`--data must be the folder of a store: there is one in ${below.join(' and ')}`);
  }

  /** @param read a reader of option-values.ts */
  value<T>(name: string, read: (text: string) => T): T {
    const text = this.text(name);
    try {
      return read(text);
    } catch (fault) {
      throw new OptionError(`--${name} must be ${(fault as Error).message}, not ${quoted(text)}`);
    }
  }

  count(name: string, otherwise: number): number {
    return this.has(name) ? this.value(name, COUNT) : otherwise;
  }

  /** undefined: it is not given */
  network(): number | undefined {
    return this.has('network') ? this.value('network', networkId) : undefined;
  }

  workers(): number {
    return this.has('workers') ? this.value('workers', rows.workers.read) : 1;
  }

  source(): SourceChoice {
    return this.value('source', readSource);
  }
}

function progressLine({ done, total, rate, eta }: FollowProgress): void {
  const left = eta === undefined ? 'unknown' : `${Math.ceil(eta)} s`;
  console.error(`${done} of ${total} ledgers, ${Math.round(rate)} a second, time left ${left}`);
}

/** Ends what a command does at SIGINT or SIGTERM; a second one ends the process. */
function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error('stopped')));
  return stop.signal;
}

async function runRecord(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['source', 'to', 'history', 'ledgers']);
  const signal = stopOnSignal();
  const counters = new Counters();
  const source = makeSource(flags.source(), { dir: '.', workers: 1, log, counters });
  const preparer = preparePool(1);
  try {
    await openSource(source, signal, (line) => console.error(line));
    const ledgers = flags.count('ledgers', 0);
    const newest = source.latest()?.index ?? 0;
    const end = await record({
      source,
      preparer,
      path: flags.path('to'),
      history: flags.count('history', 0),
      ...(ledgers > 0 ? { to: newest + ledgers } : {}),
      log,
      counters,
      clock: processClock,
      random: Math.random,
      signal,
      onProgress: progressLine,
    });
    console.log(`${end.done} ledgers recorded, the last is ${end.last ?? 'none'}`);
  } finally {
    await source.close();
    await preparer.close();
  }
}

async function runReplay(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['from', 'data', 'workers', 'network', 'pace']);
  const archive = flags.path('from');
  const given = {
    archive,
    dir: flags.path('data'),
    workers: flags.workers(),
    ...(flags.count('pace', 0) > 0 ? { pace: flags.count('pace', 0) } : {}),
  };
  const network = flags.network() ?? archiveNetwork(archive) ?? 0;
  const end = await replayArchive({ ...given, network, log, onProgress: progressLine });
  const rate = Math.round(end.transactions / end.seconds);
  console.log(`${end.ledgers} ledgers, ${end.transactions} transactions, ${rate} transactions a second`);
  console.log(`digest ${end.digest}`);
}

function runImport(args: readonly string[]): void {
  const flags = new Flags(args, ['from', 'to']);
  const { imported, refused } = importCorpus(flags.path('from'), flags.path('to'));
  console.log(`${imported} ledgers imported`);
  for (const [reason, names] of refused) console.log(`${names.length} refused: ${reason}`);
}

async function runBackup(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['data', 'to']);
  await backupStore(flags.store(), flags.path('to'), stopOnSignal());
  console.log('backup complete');
}

async function runCompact(args: readonly string[]): Promise<void> {
  const { before, after } = await compactStore(new Flags(args, ['data']).store());
  console.log(`${before} bytes before, ${after} after`);
}

function runCheck(args: readonly string[]): void {
  checkWhole(new Flags(args, ['data']).store());
  console.log('the store is whole');
}

async function runRebuild(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['data', 'source', 'snapshot', 'network', 'workers']);
  const workers = flags.workers();
  const parts = { dir: '.', workers, log, counters: new Counters() };
  const source = flags.has('source') ? makeSource(flags.source(), parts) : undefined;
  if (!['yes', 'no'].includes(flags.text('snapshot', 'yes')))
    throw new OptionError('--snapshot must be yes or no');
  const preparer = preparePool(workers);
  try {
    const end = await rebuildStore({
      dir: flags.store(),
      network: flags.network(),
      source,
      withoutSnapshot: flags.text('snapshot', 'yes') === 'no',
      preparer,
      log,
      signal: stopOnSignal(),
      onWait: (line) => console.error(line),
      onProgress: (done, total) => {
        if (done % PROGRESS_LEDGERS === 0) console.error(`${done} of ${total} ledgers`);
      },
    });
    console.log(`${end.ledgers} ledgers rebuilt, ${end.first} to ${end.last}`);
    if (end.lostFrom !== undefined)
      console.log(
        `trades, candles and account history of ledgers ${end.lostFrom} to ${end.first - 1}, which were pruned, are not in it`,
      );
    if (end.left > 0)
      console.log(
        `ledger ${end.last + 1} cannot be read: the ${end.left} behind it will be fetched when the service starts`,
      );
    console.log(`digest ${end.digest}`);
    console.log(`the ${end.wasDamaged ? 'damaged' : 'earlier'} file is kept as ${end.kept}`);
  } finally {
    await source?.close();
    await preparer.close();
  }
}

async function runDigest(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['data', 'network']);
  const dir = flags.store();
  // This command must not create a store.
  checkExists(dir);
  const network = flags.network() ?? storedFacts(dir).network ?? 0;
  const store = await openStore({ dir, network });
  const engine = new Engine({ store, log });
  engine.restore();
  await store.checked;
  console.log(await engine.digestWithHistory());
  await store.close();
}

async function runCrash(args: readonly string[]): Promise<void> {
  const { crashRounds } = await import('./crash.ts');
  const rounds = new Flags(args, ['rounds']).count('rounds', 200);
  const report = await crashRounds(rounds, (line) => console.log(line));
  console.log(`${report.kills} kills, every digest as without kills; final digest ${report.digest}`);
}

async function runDoctor(args: readonly string[]): Promise<void> {
  const found = await findings(optionsOf(args, process.env), process.env);
  console.log(report(found));
  if (found.some(({ state }) => state === 'bad')) process.exitCode = 1;
}

async function runHealth(args: readonly string[]): Promise<void> {
  console.log(await checkHealth(optionsOf(args, process.env)));
}

/** Options of the command's own; the others are the service's. @param own their flags */
function splitFlags(args: readonly string[], own: readonly string[]) {
  const { values, others } = takeFlags(args, own);
  return { values, options: optionsOf(others, process.env) };
}

function runAdmin([what, ...args]: readonly string[]): void {
  if (what === 'key') makeAdminKey(args);
  else if (what === 'list') listAdminKeys(args);
  else if (what === 'revoke') revokeAdminKey(args);
  else throw new OptionError('admin key, admin list, or admin revoke KEY');
}

function listAdminKeys(args: readonly string[]): void {
  const { data } = optionsOf(args, process.env);
  const keys = operatorKeys(data);
  if (keys.length === 0)
    console.error(`no keys have been made for the service with ${userPath(data)}: admin key makes one`);
  for (const { keyPrefix, kind, createdAt, revokedAt, name } of keys)
    console.log(
      [
        `${keyPrefix}…`,
        kind,
        dayText(createdAt),
        revokedAt ? `revoked ${dayText(revokedAt)}` : 'works',
        name,
      ].join('  '),
    );
}

function revokeAdminKey([beginning, ...args]: readonly string[]): void {
  if (beginning === undefined || beginning.startsWith('--'))
    throw new OptionError('admin revoke KEY: its beginning, as admin list shows it');
  const { keyPrefix, kind, revokedAt } = leaveRevocation(optionsOf(args, process.env).data, beginning);
  const done = revokedAt === undefined ? 'stops working' : 'is deleted';
  console.log(
    `${kind} key ${keyPrefix}… ${done} as soon as the service has read this, which takes a second.`,
  );
}

function makeAdminKey(args: readonly string[]): void {
  const { values, options } = splitFlags(args, ['--kind', '--name']);
  const kind = values.get('--kind') ?? 'admin';
  const found = OPERATOR_KINDS.find((one) => one === kind);
  if (!found) throw new OptionError(`--kind must be one of ${OPERATOR_KINDS.join(', ')}`);
  console.log(leaveNewKey(options.data, found, values.get('--name') ?? kind, Date.now()));
  console.error(
    `Shown once: keep it. Send it as ${found === 'admin' ? 'X-Admin-Key' : 'X-Api-Key'}. It works as soon as the service has read it, which takes a second.`,
  );
}

async function runPartners(args: readonly string[]): Promise<void> {
  const first = args.findIndex((arg) => arg.startsWith('--'));
  const words = first < 0 ? args : args.slice(0, first);
  const { values, options } = splitFlags(args.slice(words.length), ['--reason', '--key']);
  const key = values.get('--key') ?? process.env[OTHER_VARIABLES.adminKey];
  console.log(await partners(options, words, values.get('--reason'), key));
}

async function runMcp(args: readonly string[]): Promise<void> {
  const flags = new Flags(args, ['url']);
  await bridge({
    url: flags.has('url') ? flags.value('url', someWebUrl) : 'http://127.0.0.1:3000/mcp',
    key: process.env[OTHER_VARIABLES.key],
    input: process.stdin,
    write: (line) => void process.stdout.write(`${line}\n`),
  });
}

const commands: Record<string, (args: readonly string[]) => Promise<void> | void> = {
  record: runRecord,
  replay: runReplay,
  import: runImport,
  backup: runBackup,
  compact: runCompact,
  check: runCheck,
  rebuild: runRebuild,
  digest: runDigest,
  doctor: runDoctor,
  health: runHealth,
  admin: runAdmin,
  partners: runPartners,
  mcp: runMcp,
  crash: runCrash,
};

const isHelp = (word: string) => word === '--help' || word === '-h';

const [name = '', ...rest] = process.argv.slice(2);
const command = commands[name];
if (isHelp(name) || name === 'help') {
  console.log(helpText());
  process.exit(0);
}
if (!command) {
  const unknown = name === '' ? '' : `there is no command ${JSON.stringify(name.slice(0, 80))}; `;
  console.error(
    `${unknown}usage: npm run tool -- ${Object.keys(commands).join('|')} [options]; --help describes them`,
  );
  process.exit(2);
}
if (rest.some(isHelp)) {
  console.log(helpOf(name));
  process.exit(0);
}
try {
  await command(rest);
} catch (fault) {
  console.error(`millrace: ${fault instanceof Error ? fault.message : fault}`);
  process.exit(fault instanceof OptionError ? 2 : 1);
}
