/** The budgets' history that the pages show is that of the recorded runs. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { PAGE_HISTORY, pageHistory } from '../../bench/page-history.ts';

test('web/pages/status/history.json is what the last run of the benchmark wrote', () => {
  const now = JSON.parse(pageHistory());
  const kept = JSON.parse(readFileSync(PAGE_HISTORY, 'utf8'));
  expect(kept, 'run: bun -e "import(\'./bench/page-history.ts\').then((m) => m.writePageHistory())"').toEqual(
    now,
  );
  expect(now.budgets.length).toBeGreaterThan(10);
});

test('a budget has its figures in the order of the runs; those of runs without it are not made up', () => {
  const run = (at: string, figures: object) => JSON.stringify({ at, cores: 2, figures });
  const lines = [
    run('1', { 'decode.json': 41.234567 }),
    run('2', {}),
    run('3', { 'decode.json': 39, gone: 1 }),
  ];
  const { budgets } = JSON.parse(pageHistory(`${lines.join('\n')}\n`));
  expect(budgets).toMatchObject([
    {
      name: 'decode.json',
      rule: 'least',
      budget: 40,
      figures: [
        { at: '1', cores: 2, value: 41.23 },
        { at: '3', cores: 2, value: 39 },
      ],
    },
  ]);
});
