/** The WebSocket streams, as the service describes them at /ws/info. */
import { getStreams } from '../../net/rest.ts';
import { useRepeated } from '../../net/use-repeated.ts';
import { Unanswered } from '../../parts/unanswered.tsx';

export function Streams() {
  const [shown] = useRepeated('/ws/info', 'once', getStreams);
  return (
    <section class="card routes">
      <h2>Streams</h2>
      <p class="quiet">
        WebSockets. Every frame has a number, so that a reader sees a gap, and can ask for what it missed.
      </p>
      {!shown.value && <Unanswered shown={shown} what="The list of streams" />}
      {shown.value?.streams.map(({ path, summary, frames }) => (
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
