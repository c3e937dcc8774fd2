/**
 * Tells when the npm that runs a job has ended. npm hands SIGTERM to the shell between it and the job, which dies of it
 * and hands it to nobody; SIGHUP and SIGKILL it hands to no one at all. Whoever runs a job must look for itself.
 *
 *     npm ──► sh -c "node setup.mjs start" ──► node setup.mjs start        the shell may be absent: some replace themselves
 *
 * A process whose parent ends gets another parent: so npm has ended as soon as our parent is another one, or, with the
 * shell between us, as soon as the shell's parent is. That needs no process id that may be used again, and sees an npm
 * that has ended and that nobody has collected yet.
 *
 * Started without npm (by hand, nohup, systemd, as process 1 of a container) nothing is looked at: there a parent may end
 * as it likes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Often enough for whoever starts it again at once, too seldom to be seen. */
const LOOK_EVERY_MS = 200;

/**
 * Calls `ended` once, when the npm that runs this process as its script `job` has ended.
 * @returns a function that stops looking.
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
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The variables are handed on to everything that a script starts: they must be those of this very script. */
function isRunByNpm(root, job) {
  const { npm_lifecycle_event: event, npm_package_json: manifest } = process.env;
  if (event !== job) return false;
  if (manifest === undefined) return true; // not every runner of scripts names it
  const own = join(root, 'package.json');
  return existsSync(manifest) && realpathSync(manifest) === realpathSync(own);
}

const hasProc = existsSync('/proc/self/stat');

/** Whether a process is a shell that runs one command line. */
function isShell(pid) {
  if (hasProc) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === '-c';
  return /^\S+ -c /.test(askPs('command', pid));
}

/** undefined: it has ended. */
function parentOf(pid) {
  if (!hasProc) return Number(askPs('ppid', pid)) || undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may itself hold spaces and parentheses.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** Without /proc asking for a parent costs a process each time: there it is npm itself that is looked for. */
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
