/**
 * A node and a client of the service in one process, so that the same clock measures the announcement and the frame.
 * Arguments: ledgers, transactions per ledger, ledgers closed at the start. Lines in: `open <url>` (a stream of ledgers),
 * `close` (the next ledger). Lines out: `node <url>`, `opened`, `frame <ms>` (from the announcement to the ledger's frame).
 */
import { createInterface } from 'node:readline';
import { relaidChain } from '../../support/chain.ts';
import { FakeNode } from '../../support/fake-node.ts';

const [ledgers = 0, transactionsPerLedger = 0, closed = 0] = process.argv.slice(2).map(Number);
const chain = [...relaidChain({ ledgers, transactionsPerLedger })];
const node = new FakeNode({ ledgers: chain, closed });
console.log(`node ${node.url}`);
let onFrame: (index: number) => void = () => {};
for await (const line of createInterface({ input: process.stdin })) {
  const [word, url = ''] = line.split(' ');
  if (word === 'open') {
    const socket = new WebSocket(url);
    socket.onmessage = ({ data }) => onFrame(JSON.parse(String(data)).ledger_index);
    socket.onopen = () => console.log('opened');
  } else if (word === 'close') {
    const index = chain[node.closed]!.ledgerIndex;
    const began = performance.now();
    onFrame = (seen) => {
      if (seen === index) console.log(`frame ${performance.now() - began}`);
    };
    node.advance();
  }
}
