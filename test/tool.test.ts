/** Every command of `npm run tool`, run as a user does: what it prints, what it leaves, and its errors. */
import { afterAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { storedFacts } from '../data/salvage.ts';
import { relaidChain } from '../support/chain.ts';
import { FakeNode } from '../support/fake-node.ts';

const root = resolve(import.meta.dir, '..');
const GOLDEN = join(import.meta.dir, 'golden');
const base = mkdtempSync(join(tmpdir(), 'millrace-tool-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

async function tool(line: string, entry = [process.execPath, join(root, 'service', 'tool.ts')]) {
  const child = Bun.spawn([...entry, ...line.split(' ').filter((word) => word !== '')], {
    cwd: base,
    env: { ...process.env, MILLRACE_CWD: base },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout: stdout.trim(), stderr: stderr.trim(), code };
}

async function done(line: string): Promise<string> {
  const { stdout, stderr, code } = await tool(line);
  if (code !== 0) throw new Error(`${line}: exit code ${code}\n${stderr}`);
  return stdout;
}

describe('commands', () => {
  test('import, replay, digest, backup, compact: the same ledgers all the way', async () => {
    expect(await done(`import --from ${GOLDEN} --to recorded.mlr`)).toMatch(/^\d+ ledgers imported/);
    const replayed = await done('replay --from recorded.mlr --data store --workers 0');
    const digest = /digest (\S+)$/.exec(replayed)![1]!;
    expect(replayed).toMatch(/^\d+ ledgers, \d+ transactions, \d+ transactions a second\n/);
    expect(await done('digest --data store')).toBe(digest);
    expect(await done('replay --from recorded.mlr --data store --workers 1')).toMatch(/^0 ledgers,/);
    expect(await done('backup --data store --to copy')).toBe('backup complete');
    expect(await done('digest --data copy')).toBe(digest);
    const sizes = /^(\d+) bytes before, (\d+) after$/.exec(await done('compact --data store'))!;
    expect(Number(sizes[2])).toBeLessThanOrEqual(Number(sizes[1]));
    expect(statSync(join(base, 'store', 'data.mdb')).size).toBe(Number(sizes[2]));
    expect(await done('digest --data store')).toBe(digest);
  });

  test('record: ledgers of a node into an archive, which replays to the ledgers of the node', async () => {
    const chain = [...relaidChain({ ledgers: 8, transactionsPerLedger: 20 })];
    const node = new FakeNode({ ledgers: chain, closed: 5 });
    // The first ledger asked for says that the recording has found where it begins.
    const closing = setInterval(() => node.requests.ledger && node.advance(), 100);
    const recorded = await done(`record --source ${node.url} --to live.mlr --history 3 --ledgers 2`);
    clearInterval(closing);
    await node.stop();
    const last = chain[6]!.ledgerIndex;
    expect(recorded).toBe(`6 ledgers recorded, the last is ${last}`);
    expect(await done('replay --from live.mlr --data live --workers 0')).toContain(`digest ${last}:`);
  });

  test('the folder of a service in the place of its store: the line names the store', async () => {
    await done(`import --from ${GOLDEN} --to below.mlr`);
    await done('replay --from below.mlr --data service/sandbox/engine --workers 0');
    for (const line of ['check', 'digest', 'compact', 'backup --to never', 'rebuild']) {
      const { stderr, code } = await tool(`${line} --data service`);
      expect([line, code, stderr]).toEqual([
        line,
        2,
        `millrace: --data must be the folder of a store: there is one in ${join(base, 'service', 'sandbox', 'engine')}`,
      ]);
    }
  });

  test('digest of a store of another network than the main one', async () => {
    const replayed = await done('replay --from live.mlr --data other --workers 0 --network 1');
    expect(await done('digest --data other')).toBe(/digest (\S+)$/.exec(replayed)![1]!);
  });

  test('replay of an archive of another network: the line says so, and nothing of it is stored', async () => {
    const { stderr, code } = await tool('replay --from live.mlr --data strange --workers 0 --network 52168');
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/names no network, and this store is of network 52168$/);
  });

  test('record names the network in the archive, which replays into a store of that network, and continues with no other', async () => {
    const chain = [...relaidChain({ ledgers: 8, transactionsPerLedger: 5 })];
    const node = new FakeNode({ ledgers: chain, closed: 5 });
    node.networkId = 7;
    const closing = setInterval(() => node.requests.ledger && node.advance(), 100);
    await done(`record --source ${node.url} --to named.mlr --history 3 --ledgers 1`);
    clearInterval(closing);
    await node.stop();
    await done('replay --from named.mlr --data named --workers 0');
    expect(storedFacts(join(base, 'named')).network).toBe('7');
    const refused = await tool('replay --from named.mlr --data never --workers 0 --network 0');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `millrace: ${join(base, 'named.mlr')}: an archive of network 7, not 0: name it with --network 7, and a folder of its own with --data`,
    ]);
    const doctor = await tool('doctor --port 0 --source file:named.mlr');
    expect(doctor.stdout).toContain('named.mlr is of network 7\n     -> --network 7');
    const other = new FakeNode({ ledgers: chain, closed: 8 });
    other.networkId = 0;
    const { stderr } = await tool(`record --source ${other.url} --to named.mlr --ledgers 1`);
    await other.stop();
    expect(stderr).toContain('of network 7, and these ledgers are of network 0: name another file');
    expect(readdirSync(base)).not.toContain('never');
  });

  test('record stops at once where no node answers', async () => {
    const args = [
      join(root, 'service', 'tool.ts'),
      'record',
      '--source',
      'ws://127.0.0.1:1',
      '--to',
      'none.mlr',
    ];
    const child = Bun.spawn([process.execPath, ...args], { cwd: base, stdout: 'pipe', stderr: 'pipe' });
    const reader = child.stderr.getReader();
    const line = Buffer.from((await reader.read()).value ?? []).toString();
    expect(line).toBe('127.0.0.1:1: nothing answers yet; asking again until it does\n');
    child.kill('SIGTERM');
    expect(await child.exited).toBe(1);
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe(
      'millrace: 127.0.0.1:1: stopped before it answered\n',
    );
    expect(readdirSync(base)).not.toContain('none.mlr');
  });

  test('a network id is of 32 bits, which are up to ten digits', async () => {
    const { stderr } = await tool('replay --from live.mlr --data largest --workers 0 --network 4294967295');
    expect(stderr).toMatch(/names no network, and this store is of network 4294967295$/);
    const refused = await tool('digest --data largest --network 4294967296');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      'millrace: --network must be a whole number from 0 to 4294967295, not "4294967296"',
    ]);
  });

  test('admin: options of its own among those of the service, in both forms', async () => {
    const folder = join(base, 'service', 'new-keys');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'keys.json'), '[]');
    expect(await tool('admin list --data service')).toEqual({
      stdout: '',
      stderr: `no keys have been made for the service with ${join(base, 'service')}: admin key makes one`,
      code: 0,
    });
    for (const line of [
      'admin key --data service --kind browser --name site',
      'admin key --data=service --kind browser --name site',
      'admin key --kind=browser --port=3000 --name=site --data service',
    ])
      expect(await done(line)).toMatch(/^xrpl_/);
    const left = readdirSync(folder).filter((name) => name !== 'keys.json');
    expect(left).toHaveLength(3);
    for (const name of left) {
      const text = readFileSync(join(folder, name), 'utf8');
      expect([text.includes('browser'), text.includes('site')]).toEqual([true, true]);
    }
  });

  test('a command without options of the service: both forms, too', async () => {
    const digest = await done('digest --data store');
    expect(await done('digest --data=store')).toBe(digest);
    expect(await done('backup --data=store --to=both')).toBe('backup complete');
    expect(await done('digest --network 0 --data=both')).toBe(digest);
  });

  test('through npm, from another folder', async () => {
    const { code, stderr } = await tool('tool digest', ['node', join(root, 'setup.mjs')]);
    expect([code, stderr]).toEqual([2, 'millrace: --data is missing']);
  });
});

test('a service that dies of a signal: npm start says which, and how to look the store over', async () => {
  const setup = join(root, 'setup.mjs');
  const child = Bun.spawn(
    ['node', setup, 'start', '--port=0', `--data=${join(base, 'dies')}`, '--source=ws://127.0.0.1:1'],
    { stdout: 'pipe', stderr: 'pipe' },
  );
  let log = '';
  for await (const part of child.stdout) {
    log += Buffer.from(part).toString();
    if (!log.includes('listening on')) continue;
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    process.kill(Number(children), 'SIGABRT');
    break;
  }
  const stderr = await new Response(child.stderr).text();
  expect(await child.exited).toBe(1);
  expect(stderr).toContain('ended by SIGABRT. If it happens again the store may be damaged');
});

test('--help lists every command', async () => {
  const help = await done('--help');
  const { stderr } = await tool('');
  const names = /-- (\S+) \[options\]/.exec(stderr)![1]!.split('|');
  expect([...help.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]!)).toEqual(names);
  expect(await done('-h')).toBe(help);
  expect(await done('help')).toBe(help);
  expect(help.split('\n').filter((line) => line.length > 100)).toEqual([]);
});

describe('--help of a command says what it does, and does nothing', () => {
  test.each([
    ['record --help', /^npm run tool -- record --source SOURCE --to FILE/],
    ['digest --data nowhere -h', /^npm run tool -- digest --data DIR \[--network ID\]\n/],
    ['doctor --help', /--OPTION is any of those that npm start -- --help lists/],
    ['admin key --help', /^npm run tool -- admin key\|list\|revoke KEY/],
    ['partners --help', /^npm run tool -- partners list\|.*\n {10,}\S.*\n {6}\w/],
    ['crash --help', /^npm run tool -- crash \[--rounds N\]\n {6}kill -9/],
  ])('%p', async (line, expected) => {
    const text = await done(line);
    expect(text).toMatch(expected);
    expect(text.match(/^ {2}\w/gm)).toBeNull();
    expect(text.split('\n').filter((row) => row.length > 100)).toEqual([]);
    expect(readdirSync(base)).not.toContain('data-store');
  });
});

test('--help names every option that a command takes', async () => {
  const help = await done('--help');
  const source = readFileSync(join(root, 'service', 'tool.ts'), 'utf8');
  const taken = /async function run(\w+)|function run(\w+)|new Flags\([^[]*\[([^\]]*)\]\)/g;
  let command = '';
  const missing: string[] = [];
  for (const [, first, second, list] of source.matchAll(taken)) {
    command = first ?? second ?? command;
    const own = new RegExp(`^ {2}${command.toLowerCase()} .*`, 'm').exec(help)?.[0] ?? '';
    for (const [, flag] of (list ?? '').matchAll(/'(\w+)'/g))
      if (!own.includes(`--${flag} `)) missing.push(`${command} --${flag}`);
  }
  expect(missing).toEqual([]);
});

describe('mistakes are one clear line', () => {
  test.each([
    [
      '',
      2,
      /^usage: npm run tool -- record\|replay\|import\|backup\|compact\|check\|rebuild\|[a-z|]+ \[options\]; --help describes them$/,
    ],
    ['shred', 2, /^there is no command "shred"; usage:/],
    ['partners', 2, /partners list, partners approve WALLET/],
    ['partners decline rX', 2, /--reason is missing/],
    ['digest', 2, /--data is missing/],
    ['digest --date x', 2, /unknown option "--date"; --help lists them/],
    ['digest data store', 2, /unknown option "data"/],
    ['digest --data', 2, /--data needs a value/],
    ['digest --data a --data=b', 2, /^millrace: --data is given twice$/],
    ['replay --from a --data b --workers 65', 2, /--workers must be a whole number from 0 to 64, not "65"$/],
    ['replay --from a --data b --workers many', 2, /--workers must be a whole number/],
    ['replay --from nowhere.mlr --data b', 1, /there is no file .*nowhere\.mlr$/],
    ['backup --data nowhere --to c', 1, /there is no store here/],
    ['compact --data nowhere', 1, /there is no store here/],
    ['check --data nowhere', 1, /there is no store here/],
    ['rebuild --data nowhere', 1, /there is no store here/],
    ['rebuild --data nowhere --snapshot maybe', 2, /--snapshot must be yes or no/],
    ['digest --data nowhere', 1, /there is no store here/],
    ['import --from nowhere --to d.mlr', 1, /there is no folder .*nowhere$/],
    ['record --source http://x --to e.mlr', 2, /sandbox, recorded, file:PATH, or ws/],
    ['import --from folder --to d.mlr', 1, /there is no recorded ledger \(\*\.json\.gz\) in .*folder$/],
    [
      `import --from ${GOLDEN} --to folder`,
      1,
      /folder: the archive cannot be opened \(EISDIR.*\)\. Name another file$/,
    ],
    ['replay --from plain --data f', 1, /plain: this is not an archive: npm run tool -- record makes one$/],
    ['mcp --url localhost:3000', 2, /--url must be an http or https address/],
  ])('%p', async (line, expected, message) => {
    writeFileSync(
      join(base, 'plain'),
      'no archive, but longer than the head of one, which has its size and place'.repeat(2),
    );
    mkdirSync(join(base, 'folder'), { recursive: true });
    const { code, stderr, stdout } = await tool(line);
    expect(stderr).toMatch(message);
    expect(stderr.split('\n')).toHaveLength(1);
    expect([code, stdout]).toEqual([expected, '']);
    for (const name of ['b', 'd.mlr', 'f']) expect(readdirSync(base)).not.toContain(name);
  });
});

describe('doctor and health', () => {
  test('name what is wrong with the options of a service, and with exit code 1', async () => {
    const { stdout, stderr, code } = await tool('doctor --port 0 --source ws://127.0.0.1:1 --sockets 1');
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('bad  node ws://127.0.0.1:1: refuses the connection\n     -> ');
    expect((await tool('doctor --nonsense 1')).code).toBe(2);
    const health = await tool('health --port 1');
    expect([health.code, health.stderr]).toEqual([
      1,
      expect.stringContaining('nothing answers at http://127.0.0.1:1'),
    ]);
  });
});
