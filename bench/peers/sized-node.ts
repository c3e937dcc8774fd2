/**
 * A node on a loopback port that has the ledgers of an archive and closes one on command: `sized-node <archive>`.
 * Lines in: `close [count]`, `sent`. Lines out: `node <url>`, `closed <index> <time>` (ms since the epoch with fractions,
 * when the last of them was announced), `sent <time>` (when the newest ledger was sent to who asked for it).
 *
 * A real node has the ledger that it announces at hand: the answer for one that is closed alone is made before, so that
 * what is measured is the service.
 */
import { createInterface } from 'node:readline';
import { ArchiveReader } from '../../engine/ledger/archive.ts';
import { FakeNode } from '../../support/fake-node.ts';
import { type Connection, StandInNode } from '../../support/stand-in-node.ts';

const now = () => performance.timeOrigin + performance.now();

/** Makes answers without a socket. */
class Answers extends StandInNode {
  readonly url = '';
  #answer = '';
  readonly #socket: Connection = {
    data: { subscribed: false },
    send: (text) => {
      this.#answer = String(text);
    },
    close() {},
    terminate() {},
  };

  protected delayed(): void {}

  /** The answer to a request without id for a whole ledger in binary; without the bracket that ends it. */
  of(index: number): string {
    const request = {
      command: 'ledger',
      ledger_index: index,
      binary: true,
      transactions: true,
      expand: true,
    };
    this.receive(this.#socket, JSON.stringify(request));
    return this.#answer.slice(0, -1);
  }
}

class PreparedNode extends FakeNode {
  /** The newest ledger, and the answer to who asks for it. */
  newest = { index: 0, answer: '' };
  sentAt = 0;

  protected override receive(socket: Connection, text: string): void {
    const { command, id, ledger_index: index, binary, transactions } = JSON.parse(text);
    if (command !== 'ledger' || index !== this.newest.index || !binary || !transactions)
      super.receive(socket, text);
    else {
      socket.send(`${this.newest.answer},"id":${id}}`);
      this.sentAt = now();
    }
  }
}

const reader = ArchiveReader.open(process.argv[2] ?? '');
const ledgers = Array.from(
  { length: reader.last! - reader.first! + 1 },
  (_, i) => reader.read(reader.first! + i)!,
);
reader.close();
const answers = new Answers({ ledgers });
const node = new PreparedNode({ ledgers, closed: 1 });
console.log(`node ${node.url}`);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, count = '1'] = line.split(' ');
  if (word === 'sent') console.log(`sent ${node.sentAt}`);
  if (word !== 'close') continue;
  const index = ledgers[node.closed]?.ledgerIndex;
  if (count === '1' && index !== undefined) node.newest = { index, answer: answers.of(index) };
  const time = now();
  node.advance(Number(count));
  console.log(`closed ${ledgers[node.closed - 1]!.ledgerIndex} ${time}`);
}
