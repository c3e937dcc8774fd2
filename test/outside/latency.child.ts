/** Asks one address again and again, and prints how long answers took: `latency.child.ts URL MS`. */
const [url = '', ms = '1000'] = process.argv.slice(2);
const taken: number[] = [];
const end = performance.now() + Number(ms);
while (performance.now() < end) {
  const started = performance.now();
  const answer = await fetch(url);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  taken.push(performance.now() - started);
  await Bun.sleep(1);
}
taken.sort((a, b) => a - b);
const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))];
console.log(JSON.stringify({ count: taken.length, p50: at(0.5), p99: at(0.99) }));

export {};
