/**
 * Detects when the npm that runs a job has ended. npm passes SIGTERM to the shell between it and the job; the shell ends
 * without passing it on. npm passes SIGHUP and SIGKILL to no process at all. So a job must check for itself.
 *
 *     npm ──► sh -c "node setup.mjs start" ──► node setup.mjs start        the shell may be absent: some exec the command
 *
 * When the parent of a process ends, the process gets another parent. So npm has ended as soon as our parent, or with a
 * shell between us the shell's parent, is another process. This does not depend on process ids, which can be reused, and
 * it detects an npm that has ended but is still a zombie.
 *
 * If the job was started without npm (manually, nohup, systemd, process 1 of a container), nothing is checked: the end of
 * the parent then means nothing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Short enough for a user who starts it again immediately, long enough to cost nothing. */
const CHECK_EVERY_MS = 200;

/**
 * Calls `ended` once, when the npm that runs this process as its script `job` has ended.
 * @returns a function that stops the checks.
 * @param root folder of the package whose script it is.
 * @param job name of the script.
 */
export function onNpmEnd(root, job, ended) {
  if (!isRunByNpm(root, job) || process.platform === 'win32') return () => {};
  const parent = process.ppid;
  const above = isShell(parent) ? parentOf(parent) : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (above === undefined || isStillBelow(parent, above))) return;
    clearInterval(timer);
    ended();
  }, CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** npm's variables are inherited by everything that a script starts, so they must name this very script. */
function isRunByNpm(root, job) {
  const { npm_lifecycle_event: event, npm_package_json: manifest } = process.env;
  if (event !== job) return false;
  if (manifest === undefined) return true; // not every script runner sets it
  const own = join(root, 'package.json');
  return existsSync(manifest) && realpathSync(manifest) === realpathSync(own);
}

const hasProc = existsSync('/proc/self/stat');

/** Whether a process is a shell that runs one command line. */
function isShell(pid) {
  if (hasProc) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === '-c';
  return /^\S+ -c /.test(askPs('command', pid));
}

/** The parent's process id; undefined if the process has ended. */
function parentOf(pid) {
  if (!hasProc) return Number(askPs('ppid', pid)) || undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses, which may itself contain spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Without /proc, reading the parent needs a new process each time: there we check npm's own process id instead. */
function isStillBelow(pid, above) {
  if (hasProc) return parentOf(pid) === above;
  try {
    process.kill(above, 0);
    return true;
  } catch {
    return false;
  }
}

function askPs(field, pid) {
  return spawnSync('ps', ['-o', `${field}=`, '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
