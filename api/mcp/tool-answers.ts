/**
 * Calls of tools: arguments read, the answer cut and written, errors with what to do next.
 *
 * Answers that follow from arguments and ledger are kept as bytes until the views change, by the text of the parameters, so
 * that a repeated call costs a map lookup; in the usual form (usual-call.ts) it is not even read. An error of a tool is an
 * answer with `isError`: the model that called can do something about it.
 */

import { isJsonObject } from '../../engine/codec/values.ts';
import type { Guarded } from '../../requests/admission.ts';
import type { ApiError } from '../../requests/errors.ts';
import type { Values } from '../../requests/param-reader.ts';
import { type ApiParts, publicError } from '../compile-route.ts';
import { answerText, type Part } from './answer-text.ts';
import type { Catalogue } from './catalogue.ts';
import { cleanText, cleanValue } from './clean-text.ts';
import { type Fitted, fitted } from './fitted.ts';
import { type JsonObject, RPC, RpcError } from './json-rpc.ts';
import type { RunningCalls, RunningRequest } from './running-calls.ts';
import type { Tool } from './tool.ts';

/** Bytes of kept answers of a mount; beyond it all are dropped. */
const KEPT_MAX = 8 * 1024 * 1024;

/** A call as it was admitted. */
export interface AdmittedCall extends RunningRequest {
  readonly tool: Tool;
  readonly guard: Guarded;
  /** The arguments. */
  readonly sent: unknown;
}

export interface KeptCall {
  /** What each caller must be admitted to. */
  readonly guard: Guarded;
  readonly members: Uint8Array;
}

export class ToolAnswers {
  readonly #parts: ApiParts;
  readonly #catalogue: Catalogue;
  readonly #running: RunningCalls;
  /** By the text of `params`, with name and arguments alone. */
  readonly #kept = new Map<string, KeptCall>();
  #keptSize = 0;
  #version = -1;

  constructor(parts: ApiParts, catalogue: Catalogue, running: RunningCalls) {
    this.#parts = parts;
    this.#catalogue = catalogue;
    this.#running = running;
  }

  /** @param params JSON as JSON.stringify writes it */
  kept(params: string): KeptCall | undefined {
    return this.#version === this.#parts.mount.version ? this.#kept.get(params) : undefined;
  }

  /**
   * The members of the result, JSON without braces.
   * @throws RpcError for arguments that are none, and for a call that was cancelled
   */
  answer(call: AdmittedCall): Uint8Array | Promise<string> {
    const { tool, sent } = call;
    if (sent !== undefined && !isJsonObject(sent))
      throw new RpcError(RPC.invalidParams, 'arguments is an object');
    const isKept = tool.isKept && sent?.background === undefined;
    const key = isKept ? JSON.stringify({ name: tool.name, arguments: sent }) : '';
    const kept = isKept ? this.kept(key) : undefined;
    return kept?.members ?? this.#made(call, sent ?? {}, key);
  }

  async #made(call: AdmittedCall, sent: JsonObject, key: string): Promise<string> {
    const { tool, guard, identity, request } = call;
    const publicly = (error: unknown) =>
      publicError(error, request, this.#parts.ids.of(request), this.#parts.log);
    try {
      const { version } = this.#parts.mount;
      const input = tool.read(sent);
      const found =
        input.background === true
          ? this.#catalogue.start(tool, input, identity, publicly)
          : await this.#running.during(
              call,
              (check) => this.#catalogue.run(tool, input, identity, check),
              tool.row.writes === true,
            );
      const clamped = tool.clamped(sent, input);
      const answer = clamped ? { clamped, ...found } : found;
      const { value, cuts } = withoutSkips(fitted(cleanValue(answer) as JsonObject));
      const text = answerText({
        value,
        cuts,
        counts: tool.row.counts,
        units: tool.row.units,
        skipped: typeof input.offset === 'number' ? input.offset : 0,
        more: (part) =>
          `more: ${nextCall(tool, sent, input, part) ?? 'ask for less, no call gives the rest'}`,
      });
      const members = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${JSON.stringify(value)}`;
      if (key !== '' && version === this.#parts.mount.version)
        this.#keep(key, { guard, members: Buffer.from(members) }, version);
      return members;
    } catch (error) {
      if (error instanceof RpcError) throw error;
      return failure(tool, publicly(error));
    }
  }

  #keep(key: string, call: KeptCall, version: number): void {
    const size = key.length + call.members.length;
    if (this.#version !== version || this.#keptSize + size > KEPT_MAX) {
      this.#kept.clear();
      this.#keptSize = 0;
      this.#version = version;
    }
    this.#kept.set(key, call);
    this.#keptSize += size;
  }
}

/** A marker continues after the last row of a page: where the page was cut, it would skip what was cut off. */
function withoutSkips({ value, cuts }: Fitted): Fitted {
  if (cuts.length === 0 || value.marker === undefined) return { value, cuts };
  const { marker: _, ...rest } = value;
  return { value: rest, cuts };
}

/** The call that continues a list; undefined: there is none. */
function nextCall(tool: Tool, sent: JsonObject, input: Values, part: Part): string | undefined {
  const call = (values: JsonObject) => `${tool.name} ${cleanText(JSON.stringify({ ...sent, ...values }))}`;
  const { shown, of, isTooLong } = part;
  const { takes, limitMax } = tool;
  if (takes.includes('offset')) return call({ offset: (input.offset as number) + shown });
  const limit = input.limit as number | undefined;
  if (!isTooLong && limit !== undefined && limit < limitMax) return call({ limit: Math.min(of, limitMax) });
  // The shorter page has the marker of what follows.
  if (takes.includes('marker') && shown < (limit ?? of)) return call({ limit: shown });
  const path = tool.restPath(input, shown);
  return path === undefined ? undefined : `api_get ${cleanText(JSON.stringify({ path }), 2000)}`;
}

/** What finds the identifiers that tools take, by parameter. */
const FINDERS: Readonly<Record<string, string>> = {
  id: 'search_tokens finds ids',
  source_token: 'search_tokens finds ids',
  a: 'search_tokens finds ids',
  hash: 'get_account_transactions shows hashes',
};

/** A model is told what it can do next, whatever went wrong. */
function failure(tool: Tool, { message, status, details }: ApiError): string {
  const { row, takes } = tool;
  const finder = row.ifNone ?? FINDERS[takes[0] ?? ''];
  const hint = details.hint === message ? undefined : details.hint;
  const next =
    status >= 500
      ? ((status === 500 ? undefined : hint) ?? 'Try again later')
      : status === 404
        ? (finder ?? hint)
        : (hint ?? finder);
  const sentences = [message, next ?? `It takes ${takes.join(', ')}`];
  const text = cleanText(sentences.map((one) => one.replace(/\.?$/, '.')).join(' '));
  return `"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true`;
}
