/**
 * The read transaction of the platform's store: it sees the last commit and is kept until the next one.
 *
 * By default, lmdb opens it and renews it when its timer fires. A transaction that reads an older snapshot would overwrite
 * what was committed since: so the snapshot is chosen here, as in reads.ts, and checked against the number of commits.
 */
import type { Transaction } from 'lmdb';
import type { Environment } from './environment.ts';
import { StoreError } from './errors.ts';
import { readMeta } from './meta.ts';
import { COMMITS_KEY } from './platform-keys.ts';
import { readCommits } from './platform-write.ts';

export class PlatformSnapshot {
  readonly environment: Environment;
  #transaction: Transaction | undefined;

  constructor(environment: Environment) {
    this.environment = environment;
    this.#renew();
  }

  get dir(): string {
    return this.environment.dir;
  }

  /** Options of each read. @throws StoreError closed */
  get in(): { transaction: Transaction } {
    if (!this.#transaction) throw new StoreError('closed', `${this.dir}: the store is closed`);
    return { transaction: this.#transaction };
  }

  /** Groups committed up to this snapshot. */
  get commits(): number {
    return readCommits(this.meta(COMMITS_KEY));
  }

  /** @throws StoreError corrupt */
  meta(key: Buffer): Uint8Array | undefined {
    return readMeta(this.environment, key, this.in);
  }

  /** Moves to the newest commit. @throws StoreError io when it is not the one expected */
  refresh(commits: number): void {
    this.#renew();
    if (this.commits !== commits)
      throw new StoreError(
        'io',
        `${this.dir}: commit ${commits} is not what is read (${this.commits}). Start again: every transaction that has ` +
          'resolved is safe',
      );
  }

  /** Moves to the newest commit. @returns groups committed up to it */
  newest(): number {
    this.#renew();
    return this.commits;
  }

  /** Ends the snapshot; every later read throws. */
  end(): void {
    this.#transaction?.done();
    this.#transaction = undefined;
  }

  #renew(): void {
    const { root } = this.environment;
    root.resetReadTxn();
    const before = this.#transaction;
    this.#transaction = root.useReadTransaction();
    before?.done();
  }
}
