/** The rows of a table that is written as a text: the cells of each line, which arrows separate. */
export function rowsOf(text: string): string[][] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.trim().split(' → '));
}

/** A pattern of these words. `[...]` stands for any text, and `\n` for a line break. */
export function patternOf(words: string): RegExp {
  const literally = (part: string): string => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(
    words
      .replaceAll(String.raw`\n`, '\n')
      .split('[...]')
      .map(literally)
      .join('.*'),
  );
}
