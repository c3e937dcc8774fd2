/** README.md and CONTRIBUTING.md name only files, commands, options, routes and suites that exist. */
import { describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { routes } from '../api/routes/index.ts';
import { SUITES } from '../bench/suites.ts';
import { FAUCET_PER_ADDRESS, FAUCET_TOTAL } from '../sandbox/node/faucet-limit.ts';
import { helpText } from '../service/options.ts';
import { streams } from '../ws/streams/index.ts';

const root = resolve(import.meta.dir, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const exists = (path: string) => existsSync(join(root, path));
const FLAG = /--[a-z][a-z-]+/g;

/** What the groups of a pattern match in a text, each once. */
function named(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? match[0]))];
}

describe.each(['README.md', 'CONTRIBUTING.md'])('%s', (name) => {
  const text = read(name);

  test('files and folders', () => {
    const paths = named(text, /`((?:[a-z][\w-]*\/)+[\w.-]*)`/g);
    expect(paths.length).toBeGreaterThan(5);
    // The description of the embedded network is about `sandbox/`.
    expect(paths.filter((path) => !exists(path) && !exists(join('sandbox', path)))).toEqual([]);
  });

  test('commands', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const used = [...named(text, /npm run ([\w:]+)/g), ...named(text, /(?:^|`)npm (start|test)\b/gm)];
    expect(used.length).toBeGreaterThan(2);
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
    const suites = named(text, /npm run bench -- (\w+)/g);
    const isSuite = (suite: string) =>
      Object.keys(SUITES).some((one) => one === suite || one.startsWith(`${suite}-`));
    expect(suites.filter((suite) => !isSuite(suite))).toEqual([]);
    const tools = named(text, /npm run tool -- ([a-z]+)/g);
    const known = named(read('service/tool.ts'), /^ {2}(\w+): run\w+,/gm);
    expect(known.length).toBeGreaterThan(10);
    expect(tools.filter((tool) => !known.includes(tool))).toEqual([]);
  });

  test('options', () => {
    const sources = [helpText(), read('service/tool.ts'), read('bench/run.ts'), read('bench/size/rig.ts')];
    const known = [...sources.flatMap((source) => named(source, FLAG)), '--help', '--write'];
    expect(named(text, FLAG).filter((flag) => !known.includes(flag))).toEqual([]);
  });

  test('routes and streams', () => {
    const known = [...routes, ...streams].map(({ path }) => path);
    const paths = named(text, /`(?:GET |POST )?(?:\/v1)?(\/[a-z][\w/-]*)`/g);
    // The example of a route and of a stream that are not part of the service.
    const examples = ['/stats/fees', '/ws/stats', '/ws/info'];
    const beside = ['/mcp'];
    expect(paths.filter((path) => ![...known, ...examples, ...beside].includes(path))).toEqual([]);
  });
});

test('README.md and --help say the same of the sizes of the embedded network, and of its faucet what holds', () => {
  const sizes = /some [\d,]+, [\d,]+ or [\d,]+/;
  const readme = read('README.md');
  expect(sizes.exec(helpText().replace(/\s+/g, ' '))?.[0]).toBe(sizes.exec(readme.replace(/\s+/g, ' '))![0]);
  expect(readme.replace(/\s+/g, ' ')).toContain(
    `pays an address ${FAUCET_PER_ADDRESS} times a minute, and all of them ${FAUCET_TOTAL} times;`,
  );
});

test('the map of the house', () => {
  const map = /## Map of the house\n\n```\n([\s\S]+?)```/.exec(read('README.md'))![1]!;
  const missing: string[] = [];
  let folder = '';
  let files = 0;
  for (const line of map.split('\n')) {
    folder = /^(\w+)\//.exec(line)?.[1] ?? folder;
    for (const file of named(line, /([\w-]+\.(?:ts|mjs))/g)) {
      files++;
      if (!exists(join(folder, file)) && !exists(file)) missing.push(join(folder, file));
    }
    const inner = /^ {2}(\w+)\//.exec(line)?.[1];
    if (inner && !exists(join(folder, inner))) missing.push(join(folder, inner));
  }
  expect(files).toBeGreaterThan(10);
  expect(missing).toEqual([]);
  // The folder that a newcomer opens first is there file by file, and every folder is.
  const own = readdirSync(join(root, 'service')).filter((file) => !file.endsWith('.child.ts'));
  expect(own.filter((file) => !map.includes(file))).toEqual([]);
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[a-z]+$/.test(entry.name))
    .map((entry) => `${entry.name}/`);
  expect(folders.filter((folder) => !map.includes(folder))).toEqual([]);
});
