/** Groups of holders that were funded together (engine/traders/holder-clusters.ts), in a worker thread where there is one. */
import type { Engine } from '../engine/engine.ts';
import type { HeavyReads } from '../engine/heavy-reads.ts';
import { type ClusterQuery, type HolderClusters, holderClusters } from '../engine/traders/holder-clusters.ts';
import { atOneVersion } from './at-one-version.ts';

export class HolderClusterViews {
  readonly #engine: Engine;
  readonly #heavy: HeavyReads | undefined;

  constructor(engine: Engine, heavy: HeavyReads | undefined) {
    this.#engine = engine;
    this.#heavy = heavy;
  }

  /** @throws HeavyReadsBusyError */
  async of(query: ClusterQuery): Promise<HolderClusters> {
    if (this.#heavy) return (await this.#heavy.run('clusterHolders', query)).value;
    const { state, traders } = this.#engine;
    return atOneVersion([this.#engine], () => holderClusters(state, traders.funders, query));
  }
}
