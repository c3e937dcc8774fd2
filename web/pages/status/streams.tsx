/** Open sockets by stream, and what was sent. */
import * as format from '../../format.ts';
import { figureOf, type Metrics } from '../../net/metrics-text.ts';

const TOTALS = {
  stream_frames_sent_total: 'Frames sent since the start',
  stream_slow_readers_total: 'Sockets closed as too slow',
  stream_refused_total: 'Sockets refused',
  stream_queued_bytes: 'Bytes that wait for readers',
} as const;

export function Streams({ metrics }: { readonly metrics: Metrics }) {
  const open = metrics.get('stream_connections') ?? [];
  return (
    <table aria-label="Streams">
      <tbody>
        {open.map(({ labels: { stream = '' }, value }) => (
          <tr key={stream}>
            <th scope="row">
              <code>{stream}</code>
            </th>
            <td class="number">{format.whole(value)}</td>
          </tr>
        ))}
        {Object.entries(TOTALS).map(([name, words]) => (
          <tr key={name}>
            <th scope="row">{words}</th>
            <td class="number">{format.whole(figureOf(metrics, name))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
