/** The alternative: `ws` on Node, the same frames sent to every client in a loop. Lines as in fanout-hub.ts. */
import { createInterface } from 'node:readline';
import { WebSocketServer } from 'ws';

const frame = Buffer.from(JSON.stringify({ pad: 'x'.repeat(Number(process.argv[2]) - 10) }));
const server = new WebSocketServer({ port: 0, host: '127.0.0.1', backlog: 4096 });
let bytesSent = 0;
server.on('connection', (socket) => socket.send('{"type":"initial"}'));
server.on('listening', () => console.log(`port ${server.address().port} /`));

for await (const line of createInterface({ input: process.stdin })) {
  const [word, count] = line.split(' ');
  for (let i = 0; word === 'publish' && i < Number(count); i++) {
    for (const client of server.clients) client.send(frame, { binary: false });
    bytesSent += frame.length * server.clients.size;
  }
  const { user, system } = process.cpuUsage();
  if (word === 'cpu') console.log(`cpu ${user} ${system} ${bytesSent}`);
}
