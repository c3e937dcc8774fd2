/**
 * Encodes images again, each in a process of its own.
 *
 *     encode(file) --> wait for a place (bounded) --> process: decode, shrink, encode --> checked answer
 *                                                        `- killed at the deadline, ends by itself above its memory
 *
 * Goals: a file that crashes, hangs or fills the memory of a decoder costs one process and nothing else; a caller waits
 * for a bounded time. A thread would not do: the runtime decodes on threads that it shares with everything else, and
 * cannot interrupt them. Non-goals: speed (an image of a token is written once in 3 s at most), animations.
 *
 * Cost: 0.1 s of another core for each image, most of it encoding.
 */
import { type EncodedImage, IMAGE_BYTES_MAX, type ImageEncoder, ImageError } from '../platform/images.ts';
import { ANSWER_MAX, readAnswer } from './image-answer.ts';

export interface ImageLimits {
  /** Processes at a time. */
  readonly processes: number;
  /** Images that may wait for one. */
  readonly waiting: number;
  /** From its start to its end, ms. */
  readonly deadline: number;
  /** Largest file that is decoded. */
  readonly bytes: number;
  /** Resident memory of a process, bytes: 50 MB of runtime, the pixels twice, and what decoder and encoder take. */
  readonly memory: number;
}

const IMAGE_LIMITS: ImageLimits = {
  processes: 1,
  waiting: 16,
  deadline: 5000,
  bytes: IMAGE_BYTES_MAX,
  memory: 384 * 1024 * 1024,
};

const PROGRAM = new URL('./image.child.ts', import.meta.url).pathname;

export class ProcessImageEncoder implements ImageEncoder {
  readonly #limits: ImageLimits;
  readonly #program: string;
  readonly #waiting: (() => void)[] = [];
  readonly #stopping = new AbortController();
  #running = 0;

  /** @param program what each process runs */
  constructor(limits: Partial<ImageLimits> = {}, program = PROGRAM) {
    this.#limits = { ...IMAGE_LIMITS, ...limits };
    this.#program = program;
  }

  async encode(sent: Uint8Array): Promise<EncodedImage> {
    const { bytes } = this.#limits;
    if (sent.length > bytes) throw new ImageError('refused', `it has more than ${bytes} bytes`);
    await this.#place();
    try {
      return await this.#run(sent);
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }

  /** Ends what runs. */
  close(): void {
    this.#stopping.abort();
    for (const proceed of this.#waiting.splice(0)) proceed();
  }

  async #place(): Promise<void> {
    if (this.#running >= this.#limits.processes) {
      if (this.#waiting.length >= this.#limits.waiting)
        throw new ImageError('busy', 'too many images are waiting');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running++;
  }

  async #run(sent: Uint8Array): Promise<EncodedImage> {
    const { signal } = this.#stopping;
    if (signal.aborted) throw new ImageError('busy', 'the service is stopping');
    const child = Bun.spawn([process.execPath, this.#program, String(this.#limits.memory)], {
      stdin: sent,
      stdout: 'pipe',
      stderr: 'ignore',
      // Nothing of the service's own settings reaches it.
      env: {},
      timeout: this.#limits.deadline,
      maxBuffer: ANSWER_MAX,
      killSignal: 'SIGKILL',
      signal,
    });
    const bytes = Buffer.from(await new Response(child.stdout).arrayBuffer());
    const code = await child.exited;
    if (signal.aborted) throw new ImageError('busy', 'the service is stopping');
    const answer = code === 0 ? readAnswer(bytes) : undefined;
    if (answer === undefined) throw new ImageError('refused', 'it cannot be decoded within its limits');
    if (typeof answer === 'string') throw new ImageError('refused', answer);
    return answer;
  }
}
