/** In networks with projects: whales of small tokens, and traders who sell one token straight for another. */

import { CURRENCY_XRP } from '../../../engine/codec/arithmetic/asset.ts';
import { DAY, HOUR } from '../../../engine/ripple-time.ts';
import { Tf } from '../../protocol/flags.ts';
import type { Agent } from '../agents.ts';
import type { Project } from '../projects/project.ts';
import { numberedRoles, type Scenario, ScenarioBuilder, type ScenarioContext } from '../scenario.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { buy, sell } from './market-actions.ts';

/** Projects that exist in these scenarios: launched by then, with a pool, traded in every week. */
const LAUNCHED_BY = 12 * HOUR;
const isLasting = ({ kind, poolXrp, launchAt, quietAt }: Project): boolean =>
  kind === 'token' && poolXrp > 0 && launchAt < LAUNCHED_BY && quietAt === Infinity;

const WHALES = 3;
const WHALES_BEGIN = 2 * DAY + 5 * HOUR;
const WHALE_EVERY = 9 * HOUR;
const BUYS = 5;
const BUY_EVERY = 7;
/** XRP of a purchase in week 0: what passes for a whale's trade on the public network, and some more for the other weeks. */
const BUY_XRP = 1_500;
const BUY_SPAN = 1.3;
/** The first whale sells what it bought after a day, in so many sales. */
const SALES = 3;
const SELLS_AFTER = 1_440;

function whale(context: ScenarioContext, { asset, supply }: Project, n: number): Scenario {
  const agent = context.actors.get(`project-whale:${n}`);
  const clip = context.varied(`project-whale-${n + 1}`, BUY_XRP, BUY_SPAN);
  const builder = new ScenarioBuilder(context, `project-whale-${n + 1}`, WHALES_BEGIN + n * WHALE_EVERY)
    .fund(0, [agent], clip * BUYS + 20)
    .trust(2, [agent], asset, supply);
  for (let k = 0; k < BUYS; k++)
    builder.schedule(5 + k * BUY_EVERY, (step) => buy(step, agent, asset, clip, builder.annotate('buys')));
  const bought = 5 + BUYS * BUY_EVERY;
  builder.fact(bought, 'held', (step) => step.holds(agent.account, asset));
  const sells = n === 0;
  for (let left = sells ? SALES : 0; left > 0; left--)
    builder.schedule(bought + SELLS_AFTER + (SALES - left) * BUY_EVERY, (step) =>
      sell(step, agent, asset, step.holds(agent.account, asset) / left, builder.annotate('sells')),
    );
  return builder.build({
    kind: 'whale',
    about: `One account buys a token again and again within half an hour, against its pool${sells ? ', and sells it a day later' : ''}`,
    accounts: { buyer: agent },
    token: asset,
    minutes: sells ? bought + SELLS_AFTER + SALES * BUY_EVERY : bought,
    expected: { buys: BUYS, xrp: BUYS * clip, sales: sells ? SALES : 0 },
  });
}

const ROTATION_BEGINS = DAY + 7 * HOUR;
const ROTATORS = 4;
const ROTATED = 3;
const ROTATE_EVERY = 600;
const FIRST_XRP = 90;
const MUCH = 1e15;

/** Sells all of one token for another in one payment, through XRP. */
function rotate(
  step: SimulationStep,
  agent: Agent,
  from: Project,
  to: Project,
  builder: ScenarioBuilder,
): void {
  const held = step.holds(agent.account, from.asset);
  if (held === 0) return;
  const more = {
    SendMax: amountOf(from.asset, held),
    Paths: [[{ currency: CURRENCY_XRP }]],
    Flags: Tf.tfPartialPayment,
  };
  step.pay(agent, agent.account, to.asset, MUCH, more, builder.annotate('rotates'));
}

function rotation(context: ScenarioContext, ring: readonly Project[]): Scenario {
  const agents = context.actors.group('project-rotator', ROTATORS);
  const builder = new ScenarioBuilder(context, 'project-rotation', ROTATION_BEGINS).fund(
    0,
    agents,
    FIRST_XRP + 20,
  );
  for (const { asset, supply } of ring) builder.trust(3, agents, asset, supply);
  const last = ring.at(-1)!;
  agents.forEach((agent, n) => {
    const minute = 10 + n * 4;
    builder.schedule(minute, (step) => buy(step, agent, ring[0]!.asset, FIRST_XRP, builder.annotate('buys')));
    for (let k = 1; k < ring.length; k++)
      builder.schedule(minute + k * ROTATE_EVERY, (step) =>
        rotate(step, agent, ring[k - 1]!, ring[k]!, builder),
      );
    builder.schedule(minute + ring.length * ROTATE_EVERY, (step) =>
      sell(step, agent, last.asset, step.holds(agent.account, last.asset), builder.annotate('sells')),
    );
  });
  return builder.build({
    kind: 'token-rotation',
    about: 'Four traders buy a token, sell it for a second and a third, each in one payment, and end in XRP',
    accounts: numberedRoles('trader', agents),
    token: ring[0]!.asset,
    minutes: 10 + ROTATORS * 4 + ring.length * ROTATE_EVERY,
    expected: { traders: ROTATORS, boughtXrpEach: FIRST_XRP, rotationsEach: ring.length - 1 },
  });
}

export function projectTraders(context: ScenarioContext): Scenario[] {
  const lasting = context.projects.filter(isLasting);
  if (lasting.length < WHALES + ROTATED) return [];
  // Whales need deep pools; those who rotate take others, less popular ones, among which they stand out.
  const deep = lasting.toSorted((a, b) => b.poolXrp - a.poolXrp || a.n - b.n).slice(0, WHALES);
  const others = lasting.filter((project) => !deep.includes(project));
  return [...deep.map((project, n) => whale(context, project, n)), rotation(context, others.slice(-ROTATED))];
}
