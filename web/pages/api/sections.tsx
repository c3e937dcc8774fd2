/** The routes by section; each opens to show its parameters and a line to try. */
import { addressOf } from '../../net/rest.ts';
import { bySection, type Operation } from './operations.ts';

export function Sections({ operations }: { readonly operations: readonly Operation[] }) {
  if (operations.length === 0) return <p class="quiet">No route has these words.</p>;
  return (
    <>
      {[...bySection(operations)].map(([section, rows]) => (
        <section key={section} class="card routes">
          <h2>{section}</h2>
          {rows.map((row) => (
            <Route key={`${row.method} ${row.path}`} row={row} />
          ))}
        </section>
      ))}
    </>
  );
}

function Route({ row: { method, path, summary, parameters } }: { readonly row: Operation }) {
  return (
    <details>
      <summary>
        <span class="method">{method}</span> <code>{path}</code> <span class="quiet">{summary}</span>
      </summary>
      {parameters.length > 0 && (
        <dl class="parameters">
          {parameters.map(({ name, about, isRequired }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
                {isRequired && ' (needed)'}
              </dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
      )}
      {method === 'GET' && (
        <p>
          <code>{`curl '${addressOf('')}${path}'`}</code>
        </p>
      )}
    </details>
  );
}
