/** Writes a table as Markdown. `marks` are the cells below the headings, such as `---` and `--:`. */
export const toMarkdownTable = (
  headings: readonly string[],
  marks: readonly string[],
  rows: readonly (readonly string[])[],
): string => [headings, marks, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
