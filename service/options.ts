/**
 * Reads the service's options (`option-table.ts`). Flags win over the environment, and both over the configuration file.
 */
import { type Configuration, ConfigurationError, readConfiguration, SettingError } from './configuration.ts';
import { wrapped } from './help-lines.ts';
import { type Row, rows } from './option-table.ts';
import { quoted, SecretError, shortened } from './option-values.ts';

export type Options = { readonly [K in keyof typeof rows]: ReturnType<(typeof rows)[K]['read']> };

/** A value that cannot be used: one line for the user, exit code 2. */
export class OptionError extends Error {}

/** The former is of no use without the latter. */
const PAIRS = [
  ['tlsCert', 'tlsKey'],
  ['tlsKey', 'tlsCert'],
  ['stripeKey', 'stripeWebhookSecret'],
  ['stripeWebhookSecret', 'stripeKey'],
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Columns before what an option is for. */
const HELP_INDENT = 4;

export function helpText(): string {
  const options = Object.values(rows).flatMap((row: Row) => [
    `  ${row.flag} ${row.value}`,
    ...wrapped(`${row.about} (${row.env}; default ${row.default})`, HELP_INDENT),
    '',
  ]);
  return [
    'Usage: npm start -- [options]',
    '',
    ...wrapped(
      'An option is given as --port 80, as --port=80, in its environment variable or in the configuration file ' +
        '(port = 80; sandbox-size or, in the table [sandbox], size): the former wins.',
      0,
    ),
    '',
    ...options,
    '  --help, -h',
    ...wrapped('this text', HELP_INDENT),
    '',
  ].join('\n');
}

/**
 * Reads flags (`--port 80` or `--port=80`) over the environment over the configuration file over the defaults.
 * @param file undefined: there is none
 * @throws OptionError with one clear line.
 */
export function readOptions(args: readonly string[], env: Environment, file?: Configuration): Options {
  const given = readFlags(args);
  const options: Record<string, unknown> = {};
  const originOf = ({ flag, env: name }: Row): string | undefined =>
    given.has(flag) ? flag : env[name] === undefined ? undefined : name;
  for (const [name, row] of Object.entries(rows) as [string, Row][]) {
    const setting = nameOf(row);
    const text = given.get(row.flag) ?? env[row.env] ?? file?.get(setting) ?? row.default;
    try {
      options[name] = row.read(text);
    } catch (fault) {
      const reason = `must be ${shortened((fault as Error).message)}`;
      const source = originOf(row);
      if (file && !source) throw new OptionError(file.refused(setting, fault as Error, reason).message);
      const origin = source ?? row.env;
      if (fault instanceof SettingError && fault.path.length > 0)
        throw new OptionError(`${origin}: ${fault.path.join('.')} ${reason}`);
      if (fault instanceof SecretError) throw new OptionError(`${origin} ${reason}`);
      throw new OptionError(`${origin} ${reason}, not ${quoted(text)}`);
    }
  }
  for (const [one, other] of PAIRS) {
    if (options[one] === undefined || options[other] !== undefined) continue;
    const origin = originOf(rows[one]);
    if (origin) throw new OptionError(`${origin} needs ${rows[other].flag}`);
    throw new OptionError(
      file!.refused(nameOf(rows[one]), new Error(), `needs ${nameOf(rows[other])}`).message,
    );
  }
  return options as Options;
}

/** The options of a program's start: those of its configuration file, too. @throws OptionError with one clear line */
export function optionsOf(args: readonly string[], env: Environment): Options {
  const all = Object.values<Row>(rows);
  const { config } = rows;
  const named = readFlags(args).get(config.flag) ?? env[config.env] ?? config.default;
  // An empty name is refused with the other options.
  if (named === 'none' || named.trim() === '') return readOptions(args, env);
  const names = new Set(all.filter((row) => row !== config).map(nameOf));
  const tables = new Set(all.filter(({ isTable }) => isTable).map(nameOf));
  try {
    return readOptions(args, env, readConfiguration(named === 'auto' ? undefined : named, names, tables));
  } catch (fault) {
    throw fault instanceof ConfigurationError ? new OptionError(fault.message) : fault;
  }
}

/** Of the option in the configuration file. */
const nameOf = ({ flag }: Row): string => flag.slice(2);

/** By flag. @throws OptionError */
function readFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const all = Object.values<Row>(rows);
  const { values, others } = takeFlags(
    args,
    all.map(({ flag }) => flag),
    (flag) => all.find((row) => row.flag === flag)!.bare,
  );
  checkNone(others);
  return values;
}

/**
 * Takes `--flag value` and `--flag=value` from arguments.
 * @param flags those that are known
 * @param bareOf the value of a flag that stands alone, or undefined where it needs one
 * @returns values by flag, and the arguments that are none of these
 * @throws OptionError where a value is missing, or a flag is given twice: which one was meant cannot be known
 */
export function takeFlags(
  args: readonly string[],
  flags: readonly string[],
  bareOf: (flag: string) => string | undefined = () => undefined,
) {
  const values = new Map<string, string>();
  const others: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [flag = '', inline] = splitOnce(args[i]!);
    if (!flags.includes(flag)) {
      others.push(args[i]!);
      continue;
    }
    const next = args[i + 1];
    const bare = next === undefined || next.startsWith('--') ? bareOf(flag) : undefined;
    const value = inline ?? bare ?? args[++i];
    if (value === undefined) throw new OptionError(`${flag} needs a value`);
    if (values.has(flag)) throw new OptionError(`${flag} is given twice`);
    values.set(flag, value);
  }
  return { values, others };
}

/** @throws OptionError where an argument is left over */
export function checkNone([unknown]: readonly string[]): void {
  if (unknown !== undefined) throw new OptionError(`unknown option ${quoted(unknown)}; --help lists them`);
}

/** Flag and value of `--flag=value`; of another argument, itself alone. */
function splitOnce(argument: string): [string, string | undefined] {
  const at = argument.indexOf('=');
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}
