/** The makers of projects' books: funded when the project is complete, then visited at fixed intervals. */

import { XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { MINUTE } from '../../../engine/ripple-time.ts';
import { quoteBook } from '../makers.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import type { Project } from './project.ts';

/** Budget of a maker on each side, in lots: its five levels take 11.5. */
const LOTS = 15;
/** XRP of a maker beside its budget. */
const SPARE_XRP = 10;
/** Fractions of the budget below which a side is refilled and above which the excess is returned. */
const LOW = 0.35;
const HIGH = 2.2;
/** Offers placed or cancelled at a visit. */
const CHANGES_MAX = 3;
/** Least time between two visits of a book, and time for each book there is, seconds: so many are visited in a minute at most. */
const VISIT_EVERY = 60 * MINUTE;
const VISIT_EACH = 20;

/** Visits the books whose time has come. @param books projects with a book that are complete */
export function makeBooks(step: SimulationStep, books: readonly Project[]): void {
  const every = Math.max(VISIT_EVERY, books.length * VISIT_EACH);
  const slot = (time: number, n: number): number => Math.floor((time - step.epoch + n * MINUTE) / every);
  for (const project of books)
    if (slot(step.now, project.n) !== slot(step.parent.header.parentCloseTime, project.n))
      visit(step, project);
}

function visit(step: SimulationStep, project: Project): void {
  const { maker, creator, asset, book, supply } = project;
  const { lot, spread, levels } = book!;
  const budget = lot * LOTS;
  const treasury = step.agents.get('treasury');
  const own = step.xrp(maker);
  if (step.accountRoot(maker) === undefined || own < budget * LOW) {
    step.pay(treasury, maker.account, XRP, budget + SPARE_XRP - own);
    return;
  }
  if (own > budget * HIGH + SPARE_XRP) step.pay(maker, treasury.account, XRP, own - budget - SPARE_XRP);
  if (step.line(maker.account, asset) === undefined) {
    step.trust(maker, asset, supply);
    return;
  }
  const worth = project.worth(step.closeTime - step.epoch);
  const [wanted, held] = [budget / worth, step.holds(maker.account, asset)];
  const SendMax = (amount: number) => ({ SendMax: amountOf(asset, amount * 1.02) });
  if (held < wanted * LOW) {
    const refill = Math.min(wanted - held, step.holds(creator.account, asset) * 0.9);
    if (refill > 0) step.pay(creator, maker.account, asset, refill, SendMax(refill));
    if (held === 0) return;
  } else if (held > wanted * HIGH)
    step.pay(maker, creator.account, asset, held - wanted, SendMax(held - wanted));
  // Quiet tokens keep the offers they have.
  if (!project.isTraded(step.now - step.epoch)) return;
  const name = `project:${project.n}`;
  quoteBook(
    step,
    { name, base: asset, quote: XRP, maker, price: worth, worth, spread, lot, levels },
    CHANGES_MAX,
  );
}
