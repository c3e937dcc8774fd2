/** The tools of one mount: those of the rows whose routes are in the table, as clients list and call them. */
import { isJsonObject } from '../../engine/codec/values.ts';
import { TimeSlice } from '../../engine/event-loop.ts';
import { unixMs } from '../../engine/ripple-time.ts';
import { type ApiError, notOpen } from '../../requests/errors.ts';
import type { Identity } from '../../requests/identity.ts';
import type { Values } from '../../requests/param-reader.ts';
import type { ApiParts } from '../compile-route.ts';
import type { Route } from '../route.ts';
import { Jobs } from './jobs.ts';
import type { JsonObject } from './json-rpc.ts';
import { pausedCalls } from './paused-calls.ts';
import { RouteCalls } from './route-calls.ts';
import { type Tool, type ToolContext, type ToolRow, toolOf } from './tool.ts';

/** How long a tool reads pages before other requests are served. */
const SLICE_MS = 4;

export class Catalogue {
  readonly tools: readonly Tool[];
  readonly calls: RouteCalls;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #parts: ApiParts;
  readonly #jobs = new Jobs();

  /** @param rows in the order in which they are listed */
  constructor(parts: ApiParts, rows: readonly ToolRow[]) {
    this.#parts = parts;
    this.calls = new RouteCalls(parts);
    this.tools = rows
      .map((row) => toolOf(row, (key) => this.calls.row(key)))
      .filter((tool) => tool !== undefined);
    this.#byName = new Map(this.tools.map((tool) => [tool.name, tool]));
  }

  /** undefined: it is not listed */
  find(name: string): Tool | undefined {
    return this.#byName.get(name);
  }

  /** The route that this call is for, which decides what it costs; undefined: it is the same for all calls. */
  routeBehind({ row }: Tool, sent: unknown): Route | undefined {
    return isJsonObject(sent) ? row.routeFor?.(sent, this.calls) : undefined;
  }

  /**
   * Answers with a job that gives the answer later.
   * @param publicly what the caller is told of an error @throws ApiError 503 for too many
   */
  start(tool: Tool, input: Values, identity: Identity, publicly: (error: unknown) => ApiError): JsonObject {
    const run = async (check: () => void) => this.run(tool, input, identity, check);
    const job = this.#jobs.start(identity, tool.name, run, publicly);
    return { job, state: 'running', next: `get_job {"job":"${job}"}` };
  }

  /**
   * The answer of a tool, as it comes from its routes.
   * @param check is called before each route: throws where the call has been cancelled @throws ApiError
   */
  run(
    tool: Tool,
    input: Values,
    identity: Identity,
    check: () => void = () => undefined,
  ): Promise<JsonObject> | JsonObject {
    const { calls } = this;
    const { mount, service } = this.#parts;
    const slice = new TimeSlice(SLICE_MS, () => performance.now());
    const context: ToolContext = {
      call: pausedCalls((key, values, fields) => {
        check();
        return calls.call(key, values, identity, fields);
      }, slice),
      sharing: {
        pause: () => slice.pause(),
        get version() {
          return mount.version;
        },
      },
      calls,
      jobs: this.#jobs,
      identity,
      listed: () => this.tools,
      service,
      get network() {
        if (!mount.network) throw notOpen(mount.reason);
        return mount.network;
      },
      closeTime: closeTimeOf(this.#parts),
    };
    return tool.run(input, context);
  }
}

function closeTimeOf({ mount }: ApiParts): number {
  const head = mount.network?.engine.head;
  return head ? unixMs(head.closeTime) : 0;
}

/** A note is written over by another one of its name. */
const OF_WRITES = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };

/** A tool as `tools/list` shows it. Nothing here writes to the ledger, and only notes of the caller's own are written at all. */
export function listing({ row, name, inputSchema, outputSchema, isOpen }: Tool): JsonObject {
  const { title } = row;
  return {
    name,
    title,
    description: row.about,
    inputSchema,
    outputSchema,
    annotations: { title, ...(row.writes ? OF_WRITES : { readOnlyHint: true }), openWorldHint: isOpen },
  };
}
