/** Flags of a program that a test starts: those that are usual, but where the test gives its own. */

/** @param usual each as `--flag=value` */
export function withUsual(usual: readonly string[], own: readonly string[]): string[] {
  const flagOf = (word: string): string => word.split('=')[0]!;
  const given = new Set(own.map(flagOf));
  return [...usual.filter((word) => !given.has(flagOf(word))), ...own];
}
