/**
 * Runs the suites, prints each figure with its alternative, ratio, budget and verdict, and appends one JSON line to
 * history.jsonl. Each suite runs in a process of its own so that one cannot warm or burden the next.
 *
 *   npm run bench             all suites
 *   npm run bench -- decode   those named
 */
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { BUDGETS, type Figure, holds } from './budgets.ts';

/** Suites by name; each file prints its figures as one JSON line that starts with `figures `. */
const SUITES = ['decode', 'state', 'replay', 'http', 'fanout', 'latency', 'stall', 'restart'] as const;

async function runSuite(suite: string): Promise<Figure[]> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${suite}.ts`)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const figures: Figure[] = [];
  for (const line of (await new Response(child.stdout).text()).split('\n')) {
    if (line.startsWith('figures ')) figures.push(...(JSON.parse(line.slice(8)) as Figure[]));
    else if (line.trim()) console.log(`  ${line}`);
  }
  if ((await child.exited) !== 0) throw new Error(`suite ${suite} failed`);
  return figures;
}

function print(figure: Figure): void {
  const budget = BUDGETS[figure.name];
  const sides = figure.ours && figure.other ? ` (${figure.ours} against ${figure.other})` : '';
  const bound = `${budget.rule === 'least' ? 'at least' : 'at most'} ${budget.budget} ${budget.unit}`;
  console.log(
    `${holds(figure) ? 'holds ' : 'MISSED'}  ${figure.name.padEnd(18)} ${figure.value.toPrecision(4)} ${budget.unit}${sides}`,
  );
  console.log(`        ${budget.what}; against ${budget.against}; ${bound}`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(SUITES as readonly string[]).includes(name));
if (unknown.length > 0) {
  console.error(`no suite named ${unknown.join(', ')}; there are ${SUITES.join(', ')}`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const suite of SUITES.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`suite ${suite}`);
  const measured = await runSuite(suite);
  measured.forEach(print);
  figures.push(...measured);
}
const line = {
  at: new Date().toISOString(),
  bun: Bun.version,
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  figures: Object.fromEntries(figures.map(({ name, value }) => [name, value])),
};
appendFileSync(join(import.meta.dir, 'history.jsonl'), `${JSON.stringify(line)}\n`);
const missed = figures.filter((figure) => !holds(figure));
console.log(`${figures.length - missed.length} of ${figures.length} budgets hold`);
process.exit(missed.length > 0 ? 1 : 0);
