/** How a write is answered that came too soon after the one before it. */
import { CooldownError, WRITE_COOLDOWN_MS } from '../platform/written-texts.ts';
import { rateLimited } from '../requests/errors.ts';

/** @param bucket path of the row. @throws ApiError 429 */
export async function writing<T>(bucket: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof CooldownError)) throw error;
    throw rateLimited({
      bucket,
      limit: 1,
      remaining: 0,
      windowSeconds: WRITE_COOLDOWN_MS / 1000,
      resetSeconds: error.waitMs / 1000,
    });
  }
}
