/**
 * The service's entry: reads the options, starts, and stops on SIGTERM or SIGINT.
 * Exit codes: 0 stopped as asked, 1 could not start or go on, 2 an option cannot be used.
 */
import { isatty } from 'node:tty';
import { pino } from 'pino';
import { checkFileLimit } from './open-files.ts';
import { helpText, OptionError, type Options, optionsOf } from './options.ts';
import { RestartingService } from './restarting.ts';
import { networksOf, type Service } from './service.ts';
import { type Present, Terminal, textLine } from './terminal.ts';
import { unknownVariables } from './unknown-variables.ts';

/**
 * A stop that takes longer than this is cut short: every byte that was acknowledged is already durable. 2 s are promised;
 * the rest is for a timer that comes late and for the end of the process itself.
 */
const STOP_LIMIT_MS = 1_500;
const STATUS_EVERY_MS = 1_000;

const args = process.argv.slice(2);
if (args.includes('--help') || args.includes('-h')) {
  process.stdout.write(helpText());
  process.exit(0);
}

function optionsOrExit(): Options {
  try {
    return optionsOf(args, process.env);
  } catch (fault) {
    if (!(fault instanceof OptionError)) throw fault;
    console.error(`millrace: ${fault.message}`);
    process.exit(2);
  }
}

const options = optionsOrExit();
const isTerminal = isatty(1);
const asText = options.logFormat === 'text' || (options.logFormat === 'auto' && isTerminal);
const screen = { write, columns: () => process.stdout.columns ?? 80, now: Date.now };
const terminal = asText && isTerminal ? new Terminal(screen) : undefined;
const log = pino(
  { name: 'millrace', level: options.logLevel, timestamp: pino.stdTimeFunctions.isoTime },
  { write: (line) => (terminal ? terminal.record(line) : write(asText ? textLine(line) : line)) },
);
// The reader of the log may end, or its disk may be full: that ends the log, not the service.
process.stdout.on('error', () => {});

function write(text: string): void {
  try {
    process.stdout.write(text);
  } catch {
    // A closed pipe throws here, before any 'error' event.
  }
}

function fail(fault: unknown): never {
  terminal?.end();
  const message = fault instanceof Error ? fault.message : String(fault);
  if (fault instanceof OptionError) {
    console.error(`millrace: ${message}`);
    process.exit(2);
  }
  log.fatal({ err: fault }, message);
  console.error(`millrace: ${message}`);
  process.exit(1);
}

/** Before it listens there is nothing to close: what is stored is consistent at every moment. */
function stopOnSignal(): { service: RestartingService | undefined } {
  const running: { service: RestartingService | undefined } = { service: undefined };
  let stopping = false;
  const stop = (cause: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal: cause }, 'stopping');
    if (!running.service) process.exit(0);
    setTimeout(() => process.exit(0), STOP_LIMIT_MS).unref();
    running.service.stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Without a terminal it is ignored, as with nohup.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  process.on('SIGHUP', () => hasTerminal && stop('SIGHUP'));
  // setup.mjs holds the other end: it has ended, for whatever reason.
  process.on('disconnect', () => stop('the end of setup.mjs'));
  return running;
}

function presentOf(service: Service | undefined): Present | undefined {
  const network = service?.networks[0]?.open.network;
  const head = network?.engine.head;
  if (!service || !head) return undefined;
  return {
    ledger: head.index,
    age: Math.max(0, Date.now() - head.closeTimeMs),
    behind: network.behind,
    tokens: network.engine.state.tokens.count - 1,
    sockets: service.sockets,
    memory: process.memoryUsage.rss(),
  };
}

process.on('unhandledRejection', fail);
// As a timer's, where what it reads is gone.
process.on('uncaughtException', fail);
for (const text of unknownVariables(process.env)) log.warn(text);
try {
  checkFileLimit();
  const running = stopOnSignal();
  const restarting = new RestartingService({
    options,
    networks: networksOf(options),
    log,
    onFault: fail,
    // The first to look shall not wait for it. Without pages the service still serves.
    onOpened: ({ pages }) =>
      pages.prepare().catch((fault) => log.error({ err: fault }, 'the pages cannot be bundled')),
  });
  running.service = restarting;
  if (terminal) setInterval(() => terminal.tick(presentOf(restarting.service)), STATUS_EVERY_MS).unref();
} catch (fault) {
  fail(fault);
}
