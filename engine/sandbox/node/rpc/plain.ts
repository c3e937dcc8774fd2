/** `ping` and `random`. */
import { hexOf } from '../../../codec/bytes.ts';
import type { Command } from './command.ts';

export const ping: Command = {
  name: 'ping',
  run: (_params, { admin }) => (admin ? { role: 'admin' } : {}),
};

export const random: Command = {
  name: 'random',
  run: () => ({ random: hexOf(crypto.getRandomValues(new Uint8Array(32))) }),
};
