/** Lines of what --help prints. */

/** Columns: of a narrow terminal, so that no line is broken within a word. */
const HELP_WIDTH = 100;

/** Lines of whole words. @param indent columns before each @param first columns before the first, where it has others */
export function wrapped(text: string, indent: number, first = indent): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(first);
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > HELP_WIDTH) {
      lines.push(line);
      line = ' '.repeat(indent);
    }
    line += line.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}
