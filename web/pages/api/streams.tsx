/** The WebSocket streams, as the service describes them at /ws/info. */
import { useEffect, useState } from 'preact/hooks';
import { Repeated } from '../../net/repeated.ts';
import { getStreams, type StreamInfo } from '../../net/rest.ts';

export function Streams() {
  const [streams, setStreams] = useState<readonly StreamInfo[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    const repeated = new Repeated('once', async () => {
      const { value, failure } = await getStreams(abort.signal);
      if (value) setStreams(value.streams);
      return failure;
    });
    return () => {
      abort.abort();
      repeated.end();
    };
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
