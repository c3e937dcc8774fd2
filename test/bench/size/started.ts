/** The start of the service on a generated store, in this process. */
import { onCore } from '../../../bench/stall-meter.ts';
import { readOptions } from '../../../service/options.ts';
import { networksOf, serve } from '../../../service/service.ts';
import { quiet } from '../../live-rig.ts';
import type { MadeStore } from './sized.ts';
import { coreBetweenTimers } from './yielding.ts';

const ASK_EVERY_MS = 5;

export interface Start {
  /** Milliseconds on a core until /health has answered that it is not ready. */
  readonly listening: number;
  /** The longest slice from then on, ms on a core. */
  readonly longest: number;
  /** Until /health says ready, ms on a core. */
  readonly total: number;
  /** Answers of /health that it is not ready. */
  readonly answers: number;
}

/** Starts, waits until /health says ready, and stops. @throws Error when /health does not answer */
export async function startOf({ store, archive }: MadeStore): Promise<Start> {
  const options = readOptions([`--data=${store}`, `--source=file:${archive}`, '--port=0', '--workers=0'], {});
  let fault: unknown;
  const began = onCore();
  const service = serve({
    options,
    networks: networksOf(options),
    log: quiet,
    onFault: (reason) => {
      fault ??= reason;
    },
  });
  const isReady = async (): Promise<boolean> => {
    const response = await fetch(`${service.url}/health`);
    if (response.status !== 200) throw new Error(`/health answers ${response.status}`);
    return ((await response.json()) as { ready: boolean }).ready;
  };
  try {
    let answers = (await isReady()) ? 0 : 1;
    const listening = onCore() - began;
    const { longest } = await coreBetweenTimers(async () => {
      while (!(await isReady())) {
        if (fault) throw fault;
        answers++;
        await Bun.sleep(ASK_EVERY_MS);
      }
    });
    return { listening, longest, total: onCore() - began, answers };
  } finally {
    await service.stop();
  }
}
