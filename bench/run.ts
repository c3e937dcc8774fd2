/**
 * Runs the suites, prints each figure with its alternative, ratio, budget and verdict, and appends one JSON line to
 * history.jsonl. Each suite runs in its own process, so that suites do not influence each other.
 *
 *   npm run bench                   all suites that need no large state, about five minutes
 *   npm run bench -- decode http    only these
 *   npm run bench -- size           those at the main network's size (size-start, size-engine, ...), about an hour
 *
 * How to read it:
 *
 *     holds   replay.reference   96.7 x (54734 tx/s against 566 tx/s)
 *     |       |                  |      `- the two sides, measured one after the other in this run
 *     |       |                  `- the figure: a ratio, or an absolute with its unit
 *     |       `- name in budgets.ts, where `what` and `against` describe what was measured
 *     `- MISSED when the figure is on the wrong side of the budget in the line below
 *
 * A ratio of two sides is valid on a slow machine too; an absolute time is not, and other load on the machine adds to it.
 * So a suite that misses a budget is run once more, and the better figure counts. The load average before each suite is
 * printed; above the number of cores an absolute time says little. So is, after it, what other machines took of the cores
 * (stolen-time.ts): from some percent on stalls and 99th percentiles are theirs. Indented lines are further output of a suite. Exit
 * code 1: a budget was missed, or a suite did not print one of its figures.
 */
import { appendFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { BUDGETS, type Figure, holds } from './budgets.ts';
import { writePageHistory } from './page-history.ts';
import { StolenTime } from './stolen-time.ts';
import { SUITES, type Suite } from './suites.ts';

/**
 * Without figures where the suite prints `skipped: ` and why: the machine lacks something that it needs.
 * @throws Error when the suite fails or a figure is missing
 */
async function runSuite(name: string, { file, budgets }: Suite): Promise<Figure[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, file)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const figures: Figure[] = [];
  let isSkipped = false;
  for (const line of (await new Response(child.stdout).text()).split('\n')) {
    isSkipped ||= line.startsWith('skipped: ');
    if (line.startsWith('figures ')) figures.push(...(JSON.parse(line.slice(8)) as Figure[]));
    else if (line.trim()) console.log(`  ${line}`);
  }
  if ((await child.exited) !== 0) throw new Error(`suite ${name} failed`);
  if (isSkipped) return [];
  const missing = budgets.filter((budget) => !figures.some((figure) => figure.name === budget));
  if (missing.length > 0) throw new Error(`suite ${name} did not measure ${missing.join(', ')}`);
  return figures;
}

/** Runs a suite, and once more if it misses a budget. */
async function measure(name: string, suite: Suite): Promise<Figure[]> {
  const first = await runSuite(name, suite);
  if (first.every(holds)) return first;
  console.log('  a budget is missed: once more');
  const second = await runSuite(name, suite);
  return first.map((one) =>
    better(
      one,
      second.find((other) => other.name === one.name),
    ),
  );
}

function better(one: Figure, other: Figure | undefined): Figure {
  if (!other) return one;
  return other.value > one.value === (BUDGETS[one.name].rule === 'least') ? other : one;
}

function print(figure: Figure): void {
  const budget = BUDGETS[figure.name];
  const sides = figure.ours && figure.other ? ` (${figure.ours} against ${figure.other})` : '';
  const bound = `${budget.rule === 'least' ? 'at least' : 'at most'} ${budget.budget} ${budget.unit}`;
  const verdict = holds(figure) ? 'holds ' : 'MISSED';
  console.log(`${verdict}  ${figure.name.padEnd(18)} ${figure.value.toPrecision(4)} ${budget.unit}${sides}`);
  console.log(`        ${budget.what}; against ${budget.against}; ${bound}`);
}

/** Suites that begin with this need a generated state of the main network's size: they run when they are named. */
const SIZED = 'size';

/** The suites that the arguments name: by their names, or several by the word before the hyphen. */
function chosen(words: readonly string[]): string[] {
  const names = Object.keys(SUITES);
  const meant = (word: string): string[] =>
    names.filter((name) => name === word || name.startsWith(`${word}-`));
  const unknown = words.filter((word) => meant(word).length === 0);
  if (unknown.length > 0) {
    console.error(`no suite named ${unknown.join(', ')}; there are ${names.join(', ')}`);
    process.exit(2);
  }
  if (words.length === 0) return names.filter((name) => !name.startsWith(`${SIZED}-`));
  return names.filter((name) => words.some((word) => meant(word).includes(name)));
}

function stolenText({ share }: StolenTime): string {
  return share === undefined ? '' : `, of which other machines took ${(share * 100).toFixed(1)} %`;
}

const wanted = chosen(process.argv.slice(2));
const figures: Figure[] = [];
const failures: string[] = [];
const load = loadavg()[0];
const stolenInAll = new StolenTime();
for (const name of wanted) {
  const suite = SUITES[name]!;
  const started = performance.now();
  const stolen = new StolenTime();
  console.log(`suite ${name} (load average ${loadavg()[0]!.toFixed(1)} on ${cpus().length} cores)`);
  try {
    const measured = await measure(name, suite);
    measured.forEach(print);
    figures.push(...measured);
  } catch (error) {
    failures.push((error as Error).message);
    console.log(`FAILED  ${(error as Error).message}`);
  }
  const seconds = (performance.now() - started) / 1000;
  console.log(`  ${seconds.toFixed(0)} s${stolenText(stolen)}`);
}
const line = {
  at: new Date().toISOString(),
  bun: Bun.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  load,
  ...(stolenInAll.share !== undefined && { stolen: stolenInAll.share }),
  figures: Object.fromEntries(figures.map(({ name, value }) => [name, value])),
  // What a name measures may change; runs can be compared as long as the unit is the same.
  units: Object.fromEntries(figures.map(({ name }) => [name, BUDGETS[name].unit])),
  ...(failures.length > 0 ? { failures } : {}),
};
appendFileSync(join(import.meta.dir, 'history.jsonl'), `${JSON.stringify(line)}\n`);
writePageHistory();
const missed = figures.filter((figure) => !holds(figure));
console.log(`${figures.length - missed.length} of ${figures.length} budgets hold`);
process.exit(missed.length + failures.length > 0 ? 1 : 0);
