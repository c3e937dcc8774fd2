/** A node looks for content for minutes and says nothing meanwhile: longer than the runtime waits for a silent server. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';

/** The runtime's own limit is set to a second here; it acts within eight. */
const IDLE_SECONDS = '1';
const SILENT_MS = 12_000;

const driver = join(import.meta.dir, '../../outside/ipfs-node.ts');
const ask = `
  const { IpfsNode } = await import(${JSON.stringify(driver)});
  await new IpfsNode(process.argv[1]).pin('QmSilent');
`;

test('a pin is waited for as long as is said, whatever the runtime waits for', async () => {
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch() {
      await Bun.sleep(SILENT_MS);
      return Response.json({ Pins: ['QmSilent'] });
    },
  });
  const child = Bun.spawn([process.execPath, '-e', ask, server.url.origin], {
    env: { ...process.env, BUN_CONFIG_HTTP_IDLE_TIMEOUT: IDLE_SECONDS },
    stderr: 'pipe',
  });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, '']);
}, 40_000);
