/** The WebSocket streams, as the service describes them at /ws/info. */
import { useEffect, useState } from 'preact/hooks';
import { getStreams, type StreamInfo } from '../../net/rest.ts';

export function Streams() {
  const [streams, setStreams] = useState<readonly StreamInfo[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    void getStreams(abort.signal).then(({ value }) => value && setStreams(value.streams));
    return () => abort.abort();
  }, []);
  return (
    <section class="card routes">
      <h2>Streams</h2>
      <p class="quiet">
        WebSockets. Every frame has a number, so that a reader sees a gap, and can ask for what it missed.
      </p>
      {streams.map(({ path, summary, frames }) => (
        <details key={path}>
          <summary>
            <span class="method">WS</span> <code>{path}</code> <span class="quiet">{summary}</span>
          </summary>
          <dl class="parameters">
            {frames.map(({ name, about }) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{about}</dd>
              </div>
            ))}
          </dl>
        </details>
      ))}
    </section>
  );
}
