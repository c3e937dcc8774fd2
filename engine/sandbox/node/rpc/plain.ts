/** `ping` and `random`. */
import { hexOf } from '../../../codec/bytes.ts';
import type { Command } from './command.ts';

export const ping: Command = {
  name: 'ping',
  run: (_params, { admin }) => (admin ? { role: 'admin' } : {}),
};

export const random: Command = {
  name: 'random',
  run: (_params, { node: { entropy } }) => ({ random: hexOf(entropy()) + hexOf(entropy()) }),
};
