/**
 * What readers reach of one network: its engine and the views made of it. A process may hold several; nothing of one is
 * shared with another. A request, a stream or a tool gets the network it is about and reads nothing beside it.
 */
import type { Engine } from '../engine/engine.ts';
import type { Forms } from './forms.ts';
import { Views } from './views.ts';

export interface NetworkParts {
  readonly engine: Engine;
  /** Forms of rows; those of the contract unless given. */
  readonly forms?: Forms | undefined;
}

export class Network {
  readonly engine: Engine;
  readonly views: Views;

  constructor({ engine, forms }: NetworkParts) {
    this.engine = engine;
    this.views = new Views(engine, forms);
  }
}
