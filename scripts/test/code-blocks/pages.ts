import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The root folder, with a slash at its end. */
export const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  /** The page and the line of the fence, such as `docs/dpop.md:10`. */
  readonly place: string
  readonly language: string
  readonly text: string
  /** The reason in a comment `<!-- unchecked: … -->` in the line above the fence. */
  readonly unchecked: string | undefined
}

/** Returns the files of a folder and its subfolders, without installed packages, builds and API reports. */
export const listFiles = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [`${folder}${entry.name}`]
    return /^(\.|node_modules$|dist$|api$|temp$)/.test(entry.name) ? [] : listFiles(`${folder}${entry.name}/`)
  })

/** Returns the text of a file. */
export const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8')

/** The Markdown pages. */
export const pages: readonly string[] = listFiles('').filter(
  (path) => path.endsWith('.md') && !path.endsWith('CHANGELOG.md'),
)

// The block of a list item is indented, and the fence ends with as many marks as it starts with.
const fence = /^(?: *<!-- unchecked: (.*) -->\n)?( *)(```+)(\w*)\n([\s\S]*?)^ *\3$/gm

/** Returns the fenced blocks of a page. */
export const readBlocks = (page: string, markdown: string): readonly Block[] =>
  [...markdown.matchAll(fence)].map(({ index, 1: unchecked, 2: indent = '', 4: language = '', 5: text = '' }) => {
    const line = markdown.slice(0, index).split('\n').length + (unchecked === undefined ? 0 : 1)
    return {
      page,
      place: `${page}:${line}`,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      unchecked,
    }
  })

/** Returns the cells of each row of a page's table, given the heading of its first column. */
export const readCells = (markdown: string, heading: string): readonly (readonly string[])[] => {
  const [, table = ''] = markdown.split(new RegExp(`^\\| ${heading} \\|.*\\n\\|[-| ]+\\n`, 'm'))
  const [rows = ''] = table.split('\n\n')
  return rows
    .trim()
    .split('\n')
    .map((row) =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}
