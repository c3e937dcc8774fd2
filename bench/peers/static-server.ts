/**
 * The reference server for HTTP: a `Bun.serve` whose handler finds prepared bytes by the request's address and sends them
 * with the same headers as the service. Lines in: `copy <origin> <path> ...` (copies these answers), `cpu`. Lines
 * out: `port <n>`, `copied <answers> <bytes>`, `cpu <user us> <system us>`.
 */
import { createInterface } from 'node:readline';

interface Answer {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** Written by whatever serves. */
const OF_THE_TRANSPORT = ['content-length', 'date', 'connection', 'transfer-encoding'];
const answers = new Map<string, Answer>();

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) => {
    const answer = answers.get(url.slice(url.indexOf('/', 8)));
    return answer ? new Response(answer.body, answer) : new Response(null, { status: 404 });
  },
});

/** @param place a path, or `path#base64`: the answer to a POST of that JSON */
async function copy(origin: string, place: string): Promise<number> {
  const [path = '', base64] = place.split('#');
  const post = base64 === undefined ? {} : { method: 'POST', body: Buffer.from(base64, 'base64') };
  const response = await fetch(origin + path, { headers: { 'Accept-Encoding': 'identity' }, ...post });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  const headers = new Headers(response.headers);
  for (const name of OF_THE_TRANSPORT) headers.delete(name);
  const body = new Uint8Array(await response.arrayBuffer());
  answers.set(path, { body, headers });
  return body.length;
}

console.log(`port ${server.port}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, origin = '', ...paths] = line.split(' ');
  if (word === 'copy') {
    let bytes = 0;
    for (const path of paths) bytes += await copy(origin, path);
    console.log(`copied ${paths.length} ${bytes}`);
  }
  const { user, system } = process.cpuUsage();
  if (word === 'cpu') console.log(`cpu ${user} ${system}`);
}
