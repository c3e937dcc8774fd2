/** The rules about source files: which folder may import which, how long a file may be, what it may not contain. */
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dir, '..');
const folders = [
  'service',
  'engine',
  'explain',
  'platform',
  'views',
  'requests',
  'sandbox',
  'workers',
  'data',
  'api',
  'ws',
  'web',
  'outside',
  'bench',
  'support',
  'test',
];

function walk(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : walk(path);
    // Types that a program wrote.
    const isWritten = path.endsWith('.d.ts');
    return (path.endsWith('.ts') || path.endsWith('.tsx')) && !isWritten ? [path] : [];
  });
}

const sources = folders.flatMap(walk);
const top = readdirSync(root).filter((name) => name.endsWith('.ts') || name.endsWith('.mjs'));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** What each folder may import, beside itself and packages: folders or files. '.': the files at the top. */
const mayImport: Record<string, readonly string[]> = {
  '.': [],
  service: [
    'engine',
    'platform',
    'views',
    'requests',
    'sandbox',
    'workers',
    'data',
    'api',
    'ws',
    'outside',
    'support',
  ],
  engine: [],
  // Read by the pages as well: it stands alone.
  explain: [],
  platform: ['engine'],
  views: ['engine', 'explain', 'platform'],
  sandbox: [
    'engine/codec',
    'engine/ledger/proof.ts',
    'engine/ledger/clock.ts',
    'engine/ripple-time.ts',
    'engine/event-loop.ts',
    'engine/log.ts',
  ],
  workers: ['engine', 'platform', 'data', 'sandbox'],
  data: ['engine', 'platform', 'sandbox'],
  requests: [],
  api: ['engine', 'explain', 'platform', 'views', 'requests'],
  ws: ['engine', 'views', 'requests'],
  // A client like any other: it knows the service by its routes and streams. What transactions say in words is shared.
  web: ['explain'],
  outside: ['engine', 'platform'],
  bench: [
    'service',
    'engine',
    'platform',
    'requests',
    'views',
    'sandbox',
    'workers',
    'data',
    'api',
    'ws',
    'outside',
    'support',
  ],
  // What tests, benchmarks and `tool crash` share.
  support: ['engine', 'views', 'ws'],
  test: [
    'service',
    'engine',
    'explain',
    'platform',
    'views',
    'sandbox',
    'workers',
    'data',
    'requests',
    'api',
    'ws',
    'web',
    'outside',
    'bench',
    'support',
    '.',
  ],
};

/** The files of the project that a file imports, those of which it uses only types included. */
function importsOf(path: string): string[] {
  const named = /^\s*(?:import|export)\b[^;]*?from\s+'(\.[^']+)'/gms;
  const bare = /\bimport\s*\(?\s*'(\.[^']+)'/g;
  return [named, bare]
    .flatMap((pattern) => [...read(path).matchAll(pattern)])
    .map((match) => relative(root, resolve(root, path, '..', match[1]!)));
}

const files = [...sources, ...top];
const folderOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '.');
const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Whether a file may import another one of the project. */
function isAllowed(path: string, target: string): boolean {
  const from = folderOf(path);
  const to = folderOf(target);
  return (
    from === to || mayImport[from]!.some((place) => (place === '.' ? to === '.' : isBelow(target, place)))
  );
}

/** Files that lie on a circle of imports, or between two: what is left after all ends have been taken off. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph);
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [path, targets] of left)
      if (!imported.has(path) || !targets.some((target) => left.has(target))) left.delete(path);
  }
  return [...left.keys()].sort();
}

describe('imports point one way', () => {
  for (const folder of ['.', ...folders]) {
    test(folder === '.' ? 'files at the top' : folder, () => {
      const wrong = files
        .filter((path) => folderOf(path) === folder)
        .flatMap((path) => importsOf(path).map((target) => ({ path, target })))
        .filter(({ path, target }) => !isAllowed(path, target));
      expect(wrong).toEqual([]);
    });
  }

  test('what the rule refuses: upwards, what is not of the codec or the proof, test, and out of a file at the top', () => {
    const wrong = [
      ['engine/engine.ts', 'views/views.ts'],
      ['views/views.ts', 'api/app.ts'],
      ['api/app.ts', 'service/service.ts'],
      ['explain/text.ts', 'engine/codec/json.ts'],
      ['ws/hub.ts', 'data/store.ts'],
      ['sandbox/node/network.ts', 'engine/state/state.ts'],
      ['bench/run.ts', 'test/ledgers.ts'],
      ['service/tool.ts', 'test/ledgers.ts'],
      ['setup.mjs', 'service/main.ts'],
      ['engine/engine.ts', 'setup.mjs'],
    ] as const;
    expect(wrong.filter(([path, target]) => isAllowed(path, target))).toEqual([]);
    expect(isAllowed('sandbox/node/network.ts', 'engine/codec/bytes.ts')).toBe(true);
    expect(isAllowed('setup.mjs', 'npm-parent.mjs')).toBe(true);
  });
});

test('the codec imports nothing else of the project', () => {
  const wrong = files
    .filter((path) => isBelow(path, 'engine/codec'))
    .flatMap((path) => importsOf(path).filter((target) => !isBelow(target, 'engine/codec')));
  expect(wrong).toEqual([]);
});

describe('no circle of imports', () => {
  test('among all files, those of types included', () => {
    expect(circlesIn(new Map(files.map((path) => [path, importsOf(path)])))).toEqual([]);
  });

  test('circles are found, and what only leads to or from one is not taken for a part', () => {
    const graph = new Map([
      ['start', ['a', 'end']],
      ['a', ['b']],
      ['b', ['c', 'end']],
      ['c', ['a']],
      ['end', []],
    ]);
    expect(circlesIn(graph)).toEqual(['a', 'b', 'c']);
    expect(
      circlesIn(
        new Map([
          ['a', ['b']],
          ['b', []],
        ]),
      ),
    ).toEqual([]);
  });
});

describe('the engine is pure', () => {
  const engine = sources.filter((path) => /^(engine|explain|platform|views|sandbox)\//.test(path));

  test('no clock and no randomness of its own', () => {
    const wrong = engine.filter((path) =>
      /\b(Date\.now|performance\.now|Math\.random|new Date\(\))/.test(withoutComments(read(path))),
    );
    expect(wrong).toEqual([]);
  });

  test('only the sources of ledgers and the archive touch files and sockets', () => {
    const wrong = engine.filter(
      (path) =>
        !path.startsWith('engine/ledger/') &&
        /from '(node:)?(fs|net|http|https|worker_threads)/.test(read(path)),
    );
    expect(wrong).toEqual([]);
  });

  test('no module-level mutable state', () => {
    const wrong = files
      .filter((path) => !/^(test|bench)\//.test(path))
      .filter((path) => /^(export )?let /m.test(read(path)));
    expect(wrong).toEqual([]);
  });
});

describe('the event loop', () => {
  test('is yielded to by one helper', () => {
    const wrong = sources
      .filter((path) => !/^test\//.test(path) && path !== 'engine/event-loop.ts')
      .filter((path) => /\bsetImmediate\b/.test(withoutComments(read(path))));
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  test('are of one subject: at most 500 lines', () => {
    const long = files.map((path) => ({ path, lines: read(path).split('\n').length }));
    expect(long.filter(({ lines }) => lines > 501)).toEqual([]);
  });

  test('name no machine path and no registry', () => {
    const texts = [
      ...sources,
      ...top,
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'package.json',
      'package-lock.json',
      '.npmrc',
    ];
    const wrong = texts.filter((path) =>
      /(^|[^A-Za-z0-9_.])\/(work|tmp|home|root)\/|https?:\/\/registry\./m.test(withoutPatterns(read(path))),
    );
    expect(wrong).toEqual([]);
  });

  test('the lockfile records no address a package came from', () => {
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });

  test('the lockfile names the platform packages of every machine, not only of the one that wrote it', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.values(packages)
      .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
      .filter((name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)));
    expect(missing).toEqual([]);
  });

  test('every package has an exact version', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version as string),
    );
    expect(loose).toEqual([]);
  });
});

describe('worker entries', () => {
  test('are short: under 50 lines each', () => {
    const wrong = sources
      .filter((path) => path.startsWith('workers/') && path.endsWith('.worker.ts'))
      .map((path) => ({ path, lines: read(path).split('\n').length }));
    expect(wrong.filter(({ lines }) => lines > 51)).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/** The rule above must not find itself. */
function withoutPatterns(text: string): string {
  return text.replace(/^.*const wrong = texts.*$/gm, '');
}
