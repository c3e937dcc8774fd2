/** Child of archive.test.ts: copies one archive into another until it is killed or done. */
import { ArchiveReader } from '../../../engine/ledger/archive.ts';
import { ArchiveWriter } from '../../../engine/ledger/archive-writer.ts';

const [, , from, to] = process.argv;
const reader = ArchiveReader.open(from!);
const writer = ArchiveWriter.open(to!);
for (const { first, last } of reader.ranges())
  for (let index = Math.max(first, (writer.last ?? 0) + 1); index <= last; index++)
    writer.append(reader.read(index)!);
