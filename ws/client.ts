/** What a stream sees of the socket of one client. */
import type { Identity } from '../requests/identity.ts';
import type { Member } from './channel.ts';

export interface Client extends Member {
  readonly id: number;
  /** Who it is: decides nothing in a stream, admission has done that. */
  readonly identity: Identity;
  /** Sends one frame to this socket only. A reader that is too slow is closed instead. */
  send(text: string): void;
  reply(frame: Readonly<Record<string, unknown>>): void;
  /** An error frame; the connection stays open. */
  sendError(errorCode: number, error: string): void;
}
