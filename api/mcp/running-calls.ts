/**
 * Calls that run, so that what nobody waits for any more ends at its next check.
 *
 *     client closes the connection        its request is cancelled: nobody can be sent the answer
 *     notifications/cancelled, requestId  the handshake era alone; later clients close the connection instead
 *
 * Goal: a cancelled call asks no further route. Non-goals: sessions. Without them a notification names a request by what both
 * bring along: key or address, program and id. Programs count their ids from 0 on, so where several of these requests run it
 * is not known which one is meant, and none is ended, as the specification allows. Before the stateless era a lost connection
 * was no cancellation, since an answer could be sent again; here none can. So reads end, and only what is written is written.
 */
import type { Identity } from '../../requests/identity.ts';
import type { Era } from './eras.ts';
import { ownerOf } from './jobs.ts';
import { RPC, RpcError, type RpcId } from './json-rpc.ts';

/** A request whose answer is being made. */
export interface RunningRequest {
  readonly id: RpcId;
  readonly era: Era;
  readonly identity: Identity;
  readonly request: Request;
}

interface Run {
  isCancelled: boolean;
}

export class RunningCalls {
  /** Those of the handshake era, by what a notification knows of them. */
  readonly #runs = new Map<string, Set<Run>>();

  /**
   * @param work gets a function that throws once the request has been cancelled
   * @param writes it is not given up where the connection is lost
   */
  async during<T>(
    running: RunningRequest,
    work: (check: () => void) => Promise<T> | T,
    writes = false,
  ): Promise<T> {
    const { signal } = running.request;
    const run: Run = { isCancelled: false };
    const name = running.era === 'handshake' ? nameOf(running, running.id) : undefined;
    if (name !== undefined) this.#add(name, run);
    try {
      return await work(() => {
        if (run.isCancelled || (signal.aborted && !writes)) throw cancelled();
      });
    } finally {
      if (name !== undefined) this.#remove(name, run);
    }
  }

  /** Ends the one request that is meant; nothing where none runs, or several do. */
  cancel(by: Pick<RunningRequest, 'identity' | 'request'>, id: RpcId): void {
    const runs = this.#runs.get(nameOf(by, id));
    if (runs?.size === 1) for (const run of runs) run.isCancelled = true;
  }

  #add(name: string, run: Run): void {
    const runs = this.#runs.get(name);
    if (runs) runs.add(run);
    else this.#runs.set(name, new Set([run]));
  }

  #remove(name: string, run: Run): void {
    const runs = this.#runs.get(name)!;
    runs.delete(run);
    if (runs.size === 0) this.#runs.delete(name);
  }
}

function nameOf({ identity, request }: Pick<RunningRequest, 'identity' | 'request'>, id: RpcId): string {
  return JSON.stringify([ownerOf(identity), identity.ip, request.headers.get('user-agent'), id]);
}

const cancelled = () => new RpcError(RPC.refused, 'The request was cancelled');
