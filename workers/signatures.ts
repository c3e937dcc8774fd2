/**
 * The thread that verifies signatures of wallets: 0.4 ms each, which the main thread must not wait for. It is started with
 * the first. Its callers hand over batches, one at a time (api/gate/wallet-proofs.ts).
 */
import { Piscina } from 'piscina';
import type { SignedText, VerifyTexts } from '../engine/codec/signatures.ts';

export class SignatureThread {
  #pool: Piscina<readonly SignedText[], boolean[]> | undefined;
  #closed = false;

  readonly verify: VerifyTexts = (texts) => {
    if (this.#closed) return Promise.reject(new Error('the service is stopping'));
    this.#pool ??= new Piscina({
      filename: new URL('./signatures.worker.ts', import.meta.url).href,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    return this.#pool.run(texts);
  };

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool?.destroy();
  }
}
