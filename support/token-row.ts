/** A token's row as clients read it. */
import type { Views } from '../views/views.ts';

export function tokenRow(views: Views, token: number): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(views.tokens.row(token)));
}
