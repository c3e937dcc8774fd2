/** What axe-core finds wrong with a page for people who do not see it, or use no mouse. */
import { readFileSync } from 'node:fs';
import type { Result } from 'axe-core';
import type { Tab } from './browser.ts';

const AXE = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

/** One line for each violated rule, with the first places where it is. Contrast is that of the colours shown now. */
export async function violationsOf(tab: Tab): Promise<string[]> {
  // By the debugger, so that the page's own rules about scripts stay as they are.
  await tab.evaluate(`${AXE}; undefined`);
  const violations = await tab.evaluate<Result[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((found) => found.violations)',
  );
  return violations.map(({ id, help, nodes }) => {
    const places = nodes.slice(0, 3).map(({ target, failureSummary }) => `${target}: ${failureSummary}`);
    return `${id} (${help}) at ${nodes.length}: ${places.join('; ').replace(/\s+/g, ' ')}`;
  });
}
