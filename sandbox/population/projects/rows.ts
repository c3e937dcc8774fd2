/** The projects that have been launched, as the fixtures list them. */

import { assetJson } from '../../../engine/codec/arithmetic/amount.ts';
import type { JsonObject } from '../../../engine/codec/json.ts';
import { RIPPLE_EPOCH } from '../../../engine/ripple-time.ts';
import type { SimulationStep } from '../simulation-step.ts';
import { issuanceOf } from './opening.ts';
import type { Project } from './project.ts';
import type { Projects } from './projects.ts';

function rowOf(step: SimulationStep, project: Project): JsonObject {
  const { kind, name, issuer, creator, platform, domain, toml, launchAt, quietAt } = project;
  const unixOf = (offset: number): number => step.epoch + offset + RIPPLE_EPOCH;
  const id = kind === 'mpt' ? issuanceOf(step, project) : project.asset;
  return {
    name: name.name,
    kind,
    ...(id === undefined ? {} : (assetJson(id) as JsonObject)),
    issuer: issuer.address,
    creator: creator.address,
    source_tag: platform ?? null,
    domain: domain ?? null,
    toml,
    launched_at: unixOf(launchAt),
    quiet_at: quietAt === Infinity ? null : unixOf(quietAt),
  };
}

/** Times are Unix seconds. */
export const projectRows = (step: SimulationStep, { all }: Projects): JsonObject[] =>
  all.filter(({ launchAt }) => launchAt <= step.now - step.epoch).map((project) => rowOf(step, project));
