/** Units of an MPT project go from its creator to the accounts that have opted in, and between these. */

import * as keylets from '../../protocol/keylets.ts';
import type { Agent } from '../agents.ts';
import type { RandomStream } from '../random.ts';
import { amountOf, type SimulationStep } from '../simulation-step.ts';
import { issuanceOf } from './opening.ts';
import type { Project } from './project.ts';

/** An account, and what it holds of a project's token. */
export interface Holding {
  readonly agent: Agent;
  readonly held: number;
}

/** Share of the supply that a new holder gets, at most. */
const FIRST_SHARE = 0.004;
/** More than a transfer fee adds to an amount (at most 1 %). */
const FEE = 1.02;

/** An account opts in, gets its first units, or pays some of them to a holder. */
export function payUnits(step: SimulationStep, project: Project, agent: Agent, random: RandomStream): void {
  const id = issuanceOf(step, project);
  const { creator } = project;
  if (id === undefined) return;
  if (step.view.read(keylets.mptoken(id, agent.account)) === undefined) {
    step.send(agent, { TransactionType: 'MPTokenAuthorize', MPTokenIssuanceID: id });
    return;
  }
  const held = step.holds(agent.account, id);
  if (held < 100) {
    const units = project.supply * 10 ** project.assetScale * FIRST_SHARE * random.between(0.05, 1);
    if (agent !== creator && step.holds(creator.account, id) > units * FEE)
      step.pay(creator, agent.account, id, units, { SendMax: amountOf(id, units * FEE) });
    return;
  }
  const to = project.holder(random.below(project.holders));
  if (to === agent || step.view.read(keylets.mptoken(id, to.account)) === undefined) return;
  const units = Math.floor(held * random.between(0.02, 0.3));
  step.pay(agent, to.account, id, units, { SendMax: amountOf(id, Math.ceil(units * FEE)) });
}
