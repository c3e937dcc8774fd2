/**
 * Calls of tools in the form that clients write: with nothing but name and arguments, and a whole number as id.
 *
 *     {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{...}}      id and params are cut out, nothing is parsed:
 *     {"method":"tools/call","params":{...},"jsonrpc":"2.0","id":7}      params is the key of the kept answer
 *
 * A call whose params are not the text of a kept answer, or that is written otherwise, is read as JSON (endpoint.ts) and
 * answered the same. What is no JSON cannot match: the keys are whole JSON texts, and all around them is compared.
 */
import { RESULT_END, resultHead } from './json-rpc.ts';

export interface UsualCall {
  readonly id: number;
  /** Text of the parameters. */
  readonly params: string;
}

const ID_FIRST = '{"jsonrpc":"2.0","id":';
const THEN_CALL = ',"method":"tools/call","params":';
const CALL_FIRST = '{"method":"tools/call","params":';
const THEN_ID = ',"jsonrpc":"2.0","id":';
const ID = /^(?:0|[1-9][0-9]{0,14})$/;

/** undefined: it is something else, or written otherwise. */
export function usualCall(text: string): UsualCall | undefined {
  if (!text.endsWith('}')) return undefined;
  if (text.startsWith(ID_FIRST)) {
    const end = text.indexOf(',', ID_FIRST.length);
    if (end < 0 || !text.startsWith(THEN_CALL, end)) return undefined;
    return callOf(text.slice(ID_FIRST.length, end), text.slice(end + THEN_CALL.length, -1));
  }
  const at = text.startsWith(CALL_FIRST) ? text.lastIndexOf(THEN_ID) : -1;
  if (at < 0) return undefined;
  return callOf(text.slice(at + THEN_ID.length, -1), text.slice(CALL_FIRST.length, at));
}

const callOf = (id: string, params: string): UsualCall | undefined =>
  ID.test(id) ? { id: Number(id), params } : undefined;

const OPEN = 123;
const CLOSE = 125;
const FIRST_BYTES = 64 * 1024;

/** Where an answer is put together, again and again: a Response copies its bytes. Memory of its own for each costs twice as much. */
export class AnswerScratch {
  #bytes = new Uint8Array(FIRST_BYTES);

  /** Valid until the next one. @param members of the result, JSON without braces */
  answer(id: number, members: Uint8Array): Uint8Array<ArrayBuffer> {
    const head = resultHead(id);
    const length = head.length + members.length + 2 + RESULT_END.length;
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(2 * length);
    const bytes = this.#bytes;
    // The head is ASCII.
    for (let at = 0; at < head.length; at++) bytes[at] = head.charCodeAt(at);
    bytes[head.length] = OPEN;
    bytes.set(members, head.length + 1);
    bytes.fill(CLOSE, length - 1 - RESULT_END.length, length);
    return bytes.subarray(0, length);
  }
}
