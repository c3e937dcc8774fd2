/** What a node says of itself, asked once over a socket of its own. Its answer is not trusted: each field is checked. */

export interface NodeFacts {
  readonly networkId: number;
  /** `complete_ledgers`: `32570-99000000`, or `empty`. */
  readonly ledgers: string;
  readonly build: string;
  /** Unix ms, at the middle of the request; undefined where it does not say. */
  readonly time: number | undefined;
  /** From opening the connection to the answer, ms. */
  readonly tookMs: number;
}

const WAIT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const TEXT_MAX = 60;

/** @throws Error that says why there is no answer */
export function askNode(url: string): Promise<NodeFacts> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    let sent = 0;
    const socket = new WebSocket(url);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.onclose = null;
      socket.close();
      settle();
    };
    const timer = setTimeout(
      () => end(() => reject(new Error(`does not answer within ${WAIT_MS / 1000} s`))),
      WAIT_MS,
    );
    socket.onopen = () => {
      sent = performance.now();
      socket.send(JSON.stringify({ id: 1, command: 'server_info' }));
    };
    socket.onclose = () => end(() => reject(new Error('refuses the connection')));
    socket.onmessage = ({ data }) => {
      const now = performance.now();
      end(() => {
        try {
          resolve({ ...readInfo(String(data)), tookMs: now - started, ...timed(String(data), now - sent) });
        } catch (fault) {
          reject(fault);
        }
      });
    };
  });
}

type Json = Readonly<Record<string, unknown>>;

function infoOf(text: string): Json {
  if (text.length > ANSWER_BYTES_MAX) throw new Error('answers at too great a length');
  const info = ((JSON.parse(text) as Json | null)?.result as Json | undefined)?.info;
  if (typeof info !== 'object' || info === null) throw new Error('answers without server_info');
  return info as Json;
}

function readInfo(text: string): Pick<NodeFacts, 'networkId' | 'ledgers' | 'build'> {
  let info: Json;
  try {
    info = infoOf(text);
  } catch (fault) {
    throw fault instanceof SyntaxError ? new Error('does not answer in JSON') : fault;
  }
  const { network_id: id } = info;
  // Nodes of the main network leave it out.
  const networkId = typeof id === 'number' && Number.isSafeInteger(id) ? id : 0;
  return { networkId, ledgers: shown(info.complete_ledgers), build: shown(info.build_version) };
}

/** @param tookMs between request and answer */
function timed(text: string, tookMs: number): Pick<NodeFacts, 'time'> {
  const { time } = infoOf(text);
  // `2026-Nov-23 10:33:46.123456 UTC`
  const at = typeof time === 'string' ? Date.parse(time.replace(/\.(\d{3})\d*/, '.$1')) : Number.NaN;
  return { time: Number.isNaN(at) ? undefined : at + tookMs / 2 };
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value.replace(/[^\x20-\x7e]/g, '?') : '';
  return text === '' ? 'unknown' : text.slice(0, TEXT_MAX);
}
