/**
 * A client that asks for quotes at a fixed rate, whether answers come or not: latency is counted from when a request was due,
 * so that a service that falls behind shows it. Line in: `load <url> <requests a second> <ms> <account> <token> ...`; line
 * out: `loaded <JSON of Load>`.
 */
import { createInterface } from 'node:readline';

/** Requests that may be on their way: past that the service is so far behind that the run says nothing. */
const IN_FLIGHT_MAX = 4_000;

export interface Load {
  /** ms of each answer with a quote. */
  readonly times: number[];
  /** Answers without one: nothing can be had. */
  readonly without: number;
}

async function load(url: string, rate: number, ms: number, account: string, tokens: string[]): Promise<Load> {
  const times: number[] = [];
  const pending = new Set<Promise<void>>();
  let without = 0;
  const ask = async (i: number, due: number): Promise<void> => {
    const token = tokens[i % tokens.length]!;
    // Another amount each time: no answer is one that was kept. Half of them lead from token to token.
    const value = String(1 + (i % 997) / 100 + i / 1e6);
    const other = i % 2 === 0 ? {} : { source_token: tokens[(i * 7 + 1) % tokens.length]! };
    const body = JSON.stringify({
      source_account: account,
      destination_token: token,
      destination_value: value,
      ...other,
    });
    const response = await fetch(`${url}/v1/dex/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await response.arrayBuffer();
    if (response.status === 200) times.push(performance.now() - due);
    else if (response.status === 404) without++;
    else throw new Error(`a quote: ${response.status}`);
  };
  const started = performance.now();
  for (let i = 0; ; ) {
    const now = performance.now() - started;
    if (now >= ms) break;
    for (; i < (now / 1000) * rate; i++) {
      if (pending.size >= IN_FLIGHT_MAX) throw new Error(`${pending.size} quotes on their way`);
      const one = ask(i, started + (i / rate) * 1000).finally(() => pending.delete(one));
      pending.add(one);
    }
    await Bun.sleep(1);
  }
  await Promise.all(pending);
  return { times, without };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, url, rate, ms, account, ...tokens] = line.split(' ');
  if (word !== 'load') continue;
  console.log(`loaded ${JSON.stringify(await load(url!, Number(rate), Number(ms), account!, tokens))}`);
}
