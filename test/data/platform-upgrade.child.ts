/** Started by platform-upgrade.test.ts: upgrades in small steps and kills itself behind some of its commits. */
import { openEnvironment } from '../../data/environment.ts';
import { PLATFORM_FAMILY_NAMES } from '../../data/platform-keys.ts';
import { PlatformSnapshot } from '../../data/platform-snapshot.ts';
import { openPlatformStore } from '../../data/platform-store.ts';
import { notes3 } from './platform-notes-3.ts';

const dir = process.argv[2]!;
const last = commitsIn() + Number(process.argv[3]);

function commitsIn(): number {
  const environment = openEnvironment(dir, { readOnly: true, families: PLATFORM_FAMILY_NAMES });
  const snapshot = new PlatformSnapshot(environment);
  const { commits } = snapshot;
  snapshot.end();
  void environment.root.close();
  return commits;
}

const upgrades = notes3.upgrades.map((upgrade) => (value: unknown) => {
  if (commitsIn() >= last) process.kill(process.pid, 'SIGKILL');
  return upgrade(value);
});
await openPlatformStore({
  dir,
  network: 'test',
  collections: [{ ...notes3, upgrades }],
  upgradeStepBytes: 1500,
});
