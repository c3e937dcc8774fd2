/** `ping` and `random`. */
import { hexOf } from '../../../engine/codec/bytes.ts';
import type { Command } from './command.ts';

export const ping: Command = {
  name: 'ping',
  // Only a session knows its consumer, and so whether it is unlimited (rippled `Ping.cpp`).
  run: (_params, { admin, session }) => (admin ? { role: 'admin', ...(session && { unlimited: true }) } : {}),
};

export const random: Command = {
  name: 'random',
  run: (_params, { node: { entropy } }) => ({ random: hexOf(entropy()) + hexOf(entropy()) }),
};
