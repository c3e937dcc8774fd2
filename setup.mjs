/**
 * Sets up a fresh checkout and runs one of its jobs. It needs only Node with npm (or only Bun): the packages come from
 * the lockfile, and Bun itself is one of them, at the exact version that the project is built for.
 *
 *   node setup.mjs start [options]   run the service
 *   node setup.mjs test [filter]     type check, lint, unused code, tests; ends with "N passed, N failed"
 *   node setup.mjs check             the same without the tests, but with the rules about source files: under a minute
 *   node setup.mjs test:long         what takes longer: 200 kills, kills at every third step of a migration, every random test with further seeds
 *   node setup.mjs bench [suite]     run the benchmarks against their budgets
 *   node setup.mjs tool NAME ...     a command of service/tool.ts; tool --help lists them
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import { onNpmEnd } from './npm-parent.mjs';
import { batchesOf, longFiles, newSeed, seededFiles, testCosts, testFiles } from './test-queue.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const modules = join(root, 'node_modules');
const bun = join(modules, 'bun', 'bin', 'bun.exe');
const windows = process.platform === 'win32';
const [job = 'start', ...rest] = process.argv.slice(2);

/** Whether there is a terminal that can hang up. Without one SIGHUP is ignored, because Node does not inherit nohup's setting. */
const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));

/**
 * Runs a command to its end. Its output goes to stderr, because stdout belongs to the job. If this process, or the npm
 * that runs it, is ended meanwhile, the command is ended too and the job does not start.
 */
async function must(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: windows });
  const stop = () => {
    child.kill();
    process.exit(1);
  };
  const stopChecking = onNpmEnd(root, job, stop);
  const signals = { SIGINT: stop, SIGTERM: stop, SIGHUP: () => hasTerminal && stop() };
  for (const [signal, listener] of Object.entries(signals)) process.on(signal, listener);
  const code = await new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.on('close', resolve);
  });
  for (const [signal, listener] of Object.entries(signals)) process.off(signal, listener);
  stopChecking();
  if (code === 0) return;
  console.error(`set-up failed: ${command} ${args.join(' ')}`);
  process.exit(code ?? 1);
}

function bunWorks() {
  if (!existsSync(bun)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.bun;
  return spawnSync(bun, ['--version'], { encoding: 'utf8' }).stdout?.trim() === wanted;
}

/** Installs the packages of the lockfile, once per lockfile. */
async function install() {
  const stamp = join(modules, '.set-up');
  const lock = readFileSync(join(root, 'package-lock.json'));
  const wanted = `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}`;
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    console.error('setting up: installing packages (once)');
    if (process.versions.bun && spawnSync('npm', ['--version'], { shell: windows }).status !== 0) {
      await must(process.execPath, ['install', '--no-save']);
    } else {
      await must('npm', ['ci', '--no-audit', '--no-fund']);
    }
    writeFileSync(stamp, wanted);
  }
  // If install scripts are blocked, the bun package is a stub until its own installer has run.
  if (!bunWorks()) await must(process.execPath, [join(modules, 'bun', 'install.js')]);
  if (!bunWorks()) {
    console.error(`set-up failed: ${bun} does not run on this machine`);
    process.exit(1);
  }
}

/** A stop within 2 s is promised, and the service limits its own stop to less. This limit is for a service that hangs. */
const STOP_LIMIT_MS = 1_900;

/** Signals caused by a fault of the process or of its disk: the store is read through a memory map. */
const DEATHS = ['SIGBUS', 'SIGSEGV', 'SIGILL', 'SIGABRT', 'SIGTRAP'];

function reportDeath(signal) {
  if (!DEATHS.includes(signal)) return;
  console.error(
    `millrace: ended by ${signal}. If it happens again the store may be damaged: npm run tool -- check --data DIR`,
  );
}

/** Runs Bun: signals are passed on to it, and its exit code becomes ours. */
function runBun(args) {
  const child = spawn(bun, args, { cwd: root, stdio: 'inherit', env: bunEnv() });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  onNpmEnd(root, job, () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    reportDeath(signal);
    process.exit(signal ? 1 : (code ?? 1));
  });
}

const bunEnv = () => ({ ...process.env, MILLRACE_CWD: process.cwd() });

/**
 * Runs the service. It stops when this process receives a signal to stop, when the npm that runs this process ends, and,
 * through the IPC channel, when this process ends in any other way.
 */
function runService(args) {
  const child = spawn(bun, [join(root, 'service', 'main.ts'), ...args], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: bunEnv(),
  });
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  process.on('SIGHUP', () => hasTerminal && stop());
  onNpmEnd(root, job, stop);
  child.on('exit', (code, signal) => {
    reportDeath(signal);
    process.exit(signal && !stopping ? 1 : (code ?? 0));
  });
}

const checks = [
  ['types', [join(modules, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', root]],
  ['types of the pages', [join(modules, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', join(root, 'web')]],
  ['lint', [join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', root]],
  ['unused code', [join(modules, 'knip', 'bin', 'knip.js')]],
];

/** Longest first: the others run beside them. Not named *.test.ts, so that only this list runs them. */
const longTests = [
  './test/long/sized-kills.ts',
  './test/long/migration.ts',
  './test/long/truth.ts',
  './test/long/mcp-python.ts',
  './test/long/kills.ts',
];

/** Ends only tests that hang: machines may be slow or shared, and the long run has more cases. */
const testLimitMs = () => (process.env.THOROUGH === undefined ? '180000' : '600000');

/**
 * The compiler for the hottest code begins later than usual: a test process ends before its work has paid for itself, which
 * saves an eighth of the CPU time. Memory that is freed is not handed back to the kernel, which saves a fifth of the kernel's
 * time. The long tests run as the service does.
 */
const testEnv = () =>
  process.env.THOROUGH === undefined
    ? {
        BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '1000000',
        MIMALLOC_PURGE_DELAY: '-1',
        ...process.env,
      }
    : process.env;

/**
 * Processes at a time: one more than two cores, since tests also wait for timers, disks and other processes, where the memory is
 * enough for three of the largest.
 */
const AT_ONCE = availableParallelism() < 2 ? 1 : totalmem() < 12 * 2 ** 30 ? 2 : 3;

/** Failed tests in more files than this are a fault of the program: they are not run again. */
const RERUN_LIMIT = 3;

/** Of the processes that took longest, so that what makes a run long is seen in its output. */
const LONGEST_SHOWN = 20;

/** The counts of all processes, and the failed tests as "file: name". */
const newTotals = () => ({ pass: 0, fail: 0, skip: 0, failures: [] });

/** Runs the checks, each counted as one test, and then Bun's test runner. */
async function test(filters) {
  const totals = newTotals();
  if (filters.length === 0) {
    const batches = batchesOf(testFiles(root), testCosts(root)).map((args) => ({ args }));
    await runProcesses(batches, totals, () => runChecks(totals));
    await runFailedAlone(totals);
  } else {
    await runTests(filters, totals);
  }
  finish(totals);
}

/**
 * ms from the start of the long tests after which no file begins that `npm test` has run, too, with a seed of its own.
 * They come in a random order, so that those which one run leaves out are in others. One that has begun takes up to ten minutes:
 * with `npm test` before it, all of it is to end within 45.
 */
const FURTHER_SEEDS_UNTIL_MS = 10 * 60_000;

async function longTest() {
  process.env.THOROUGH = '1'; // see test/cases.ts; for failed files that run once more, too
  const until = performance.now() + FURTHER_SEEDS_UNTIL_MS;
  const totals = newTotals();
  const seeded = seededFiles(root)
    .map((file) => ({ file, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => ({ args: [file], seed: newSeed(), until }));
  const processes = [
    ...longTests.map((file) => ({ args: [file] })),
    ...longFiles(root).map((file) => ({ args: [file], seed: newSeed() })),
    ...seeded,
  ];
  const leftOut = await runProcesses(processes, totals);
  if (leftOut.length > 0) console.log(`no time was left for further seeds in: ${leftOut.join(' ')}`);
  await runFailedAlone(totals);
  for (const { file, seed } of totals.failures)
    if (file !== undefined)
      console.log(`again: THOROUGH=1${seed === undefined ? '' : ` SEED=${seed}`} npm test -- ./${file}`);
  finish(totals);
}

/**
 * Runs the files of failed tests once more, with the seeds that they printed and nothing beside them: a machine shared with
 * others may hold a test up for as long as it likes. If all of them pass, the run has, and they are named for whoever is to
 * mend them.
 */
async function runFailedAlone(totals) {
  const files = [...new Set(totals.failures.map(({ file }) => file))];
  if (files.length === 0 || files.length > RERUN_LIMIT || files.includes(undefined)) return;
  const alone = newTotals();
  for (const file of files) {
    const seeds = totals.failures.filter((failure) => failure.file === file).map(({ seed }) => seed);
    await runTests([`./${file}`], alone, { seed: seeds.find((seed) => seed !== undefined) });
  }
  if (alone.fail > 0) return;
  for (const failure of totals.failures)
    console.log(`unsteady: failed beside others, passed alone: ${nameOf(failure)}`);
  totals.pass += totals.fail;
  totals.fail = 0;
  totals.failures = [];
}

const nameOf = ({ file, name }) => `${file ?? 'a test process'}: ${name}`;

/**
 * @param processes what each is to run: files, and the seed that they draw from; one with `until` does not begin later
 * @param before what the first of the runners does before it takes one
 * @returns the files of those that did not begin
 */
async function runProcesses(processes, totals, before = async () => {}) {
  const screen = {};
  const left = [...processes];
  const leftOut = [];
  const took = [];
  const runLeft = async () => {
    while (left.length > 0) {
      const { args, seed, until = Infinity } = left.shift();
      const begun = performance.now();
      if (begun > until) {
        leftOut.push(...args);
        continue;
      }
      await runTests(args, totals, { screen, seed });
      took.push({ args, s: Math.round((performance.now() - begun) / 1000) });
    }
  };
  const others = Array.from({ length: AT_ONCE - 1 }, runLeft);
  await Promise.all([before().then(runLeft), ...others]);
  const longest = took.sort((a, b) => b.s - a.s).slice(0, LONGEST_SHOWN);
  console.log(
    `longest: ${longest.map(({ args: [first, ...rest], s }) => `${s} s ${first}${rest.length > 0 ? ` and ${rest.length} more` : ''}`).join(', ')}`,
  );
  return leftOut;
}

/** The checks, and the tests that read the source files: what a change needs before its own tests. */
async function check() {
  const totals = newTotals();
  await runChecks(totals);
  await runTests(['./test/tidy.test.ts'], totals);
  finish(totals);
}

function finish(totals) {
  for (const failure of totals.failures) console.log(`failed: ${nameOf(failure)}`);
  console.log(
    `${totals.pass} passed, ${totals.fail} failed${totals.skip > 0 ? `, ${totals.skip} skipped` : ''}`,
  );
  process.exit(totals.fail > 0 ? 1 : 0);
}

async function runChecks(totals) {
  for (const [name, args] of checks) {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    const passed = (await new Promise((resolve) => child.on('close', resolve))) === 0;
    totals[passed ? 'pass' : 'fail']++;
    if (!passed) totals.failures.push({ name });
    console.log(`${passed ? '(pass)' : '(fail)'} ${name}`);
    if (!passed) console.log(Buffer.concat(chunks).toString());
  }
}

/**
 * Failed tests in the output of Bun's test runner, each once: a line with the file, then one for each of its tests; at the end
 * the failed ones again. A file that draws from a seed prints it.
 */
function failuresIn(text) {
  const failures = new Map();
  let file;
  let seed;
  for (const line of text.split('\n')) {
    const next = /^(test\/\S+\.ts):$/.exec(line)?.[1];
    if (next !== undefined) [file, seed] = [next, undefined];
    seed ??= /\bseed[ =]+(\d+)\b/i.exec(line)?.[1];
    const name = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/.exec(line)?.[1];
    if (name !== undefined && !failures.has(name)) failures.set(name, { file, name, seed });
  }
  return [...failures.values()];
}

/**
 * Runs Bun's test runner and adds the counts of its summary, which is read from its output.
 * @param options `screen.shown` is the process whose output is shown as it comes; that of another one is shown when it has
 * ended. `seed` is what its random tests draw from; they choose where it is absent
 */
async function runTests(args, totals, { screen = {}, seed } = {}) {
  const child = spawn(bun, ['test', '--timeout', testLimitMs(), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: seed === undefined ? testEnv() : { ...testEnv(), SEED: seed },
  });
  screen.shown ??= child;
  const chunks = [];
  const held = [];
  const read = (chunk) => {
    if (screen.shown === child) process.stdout.write(chunk);
    else held.push(chunk);
    chunks.push(chunk);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (screen.shown === child) screen.shown = undefined;
  for (const chunk of held) process.stdout.write(chunk);
  const text = Buffer.concat(chunks).toString();
  const countOf = (kind) =>
    Number([...text.slice(-4000).matchAll(new RegExp(`^\\s*(\\d+) ${kind}\\b`, 'gm'))].pop()?.[1] ?? 0);
  for (const kind of ['pass', 'fail', 'skip']) totals[kind] += countOf(kind);
  totals.failures.push(...failuresIn(text));
  if (code === 0 || countOf('fail') > 0) return;
  totals.fail++; // the runner itself failed
  totals.failures.push({ name: `${args.join(' ')}: exit code ${code}` });
}

const jobs = {
  start: () => runService(rest),
  test: () => test(rest),
  check,
  'test:long': longTest,
  bench: () => runBun([join(root, 'bench', 'run.ts'), ...rest]),
  tool: () => runBun([join(root, 'service', 'tool.ts'), ...rest]),
};
if (!(job in jobs)) {
  console.error(`unknown job "${job}": one of ${Object.keys(jobs).join(', ')}`);
  process.exit(2);
}
await install();
jobs[job]();
