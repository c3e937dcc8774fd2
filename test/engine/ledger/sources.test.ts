import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PackedLedger } from '../../../engine/codec/packed.ts';
import { ArchiveSource } from '../../../engine/ledger/archive-source.ts';
import { ArchiveWriter } from '../../../engine/ledger/archive-writer.ts';
import type { NodeSockets } from '../../../engine/ledger/endpoint.ts';
import { NodeSource } from '../../../engine/ledger/node-source.ts';
import { FakeNode } from '../../../support/fake-node.ts';
import type { Shape } from '../../../support/stand-in-node.ts';
import { NodeSocketThread } from '../../../workers/node-sockets.ts';
import { makeChain, recordedLedgers, recordedRun } from '../../ledgers.ts';
import { quietLog, seeded, testClock } from './quiet.ts';
import { type SourceCase, sourceContract } from './source-contract.ts';

function archiveCase(ledgers: readonly PackedLedger[]): SourceCase {
  const dir = mkdtempSync(join(tmpdir(), 'archive-'));
  const path = join(dir, 'ledgers.mlr');
  const writer = ArchiveWriter.open(path);
  for (const ledger of ledgers) writer.append(ledger);
  writer.close();
  return { source: new ArchiveSource(path), ledgers, end: () => rmSync(dir, { recursive: true }) };
}

function nodeCase(ledgers: readonly PackedLedger[], shape: Shape, sockets?: NodeSockets): SourceCase {
  const closed = ledgers.length - 1;
  const node = new FakeNode({ ledgers, closed, shape });
  const source = new NodeSource({
    urls: [node.url],
    clock: testClock,
    random: seeded(1),
    log: quietLog,
    ...(sockets && { sockets }),
  });
  return {
    source,
    ledgers: ledgers.slice(0, closed),
    advance: () => {
      node.advance();
      return ledgers[closed]!;
    },
    end: () => node.stop(),
  };
}

sourceContract('archive of generated ledgers', () => archiveCase(makeChain({ count: 20 })));
for (const shape of ['v1', 'v2', 'clio', 'json'] as const) {
  const ledgers = makeChain({ count: 20 });
  sourceContract(`node, ${shape}`, () => nodeCase(ledgers, shape));
  sourceContract(`node, ${shape}, sockets in a thread`, () =>
    nodeCase(ledgers, shape, new NodeSocketThread()),
  );
}

const recorded = recordedLedgers();
if (recorded.length > 0) {
  sourceContract('archive of recorded ledgers, with gaps', () => archiveCase(recorded));
  sourceContract('node with recorded ledgers', () => nodeCase(recordedRun(), 'v1'));
}
