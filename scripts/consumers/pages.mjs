// Finds the programs and commands that a page shows, as a reader would copy them.
import { readPage } from '../workspace.mjs'

/**
 * @typedef {object} Program
 * @property {string} title The heading or summary above the program.
 * @property {string} file The name in the first line of the code, such as `app.mts`.
 * @property {string} code
 * @property {readonly string[]} install The lines of the nearest `npm install` block above the
 *   program.
 * @property {string} start The command that runs the program, from the block below.
 * @property {string} output The text block below the command, in which `…` stands for any text.
 *   Empty without a text block.
 */

const findBlocks = (page) =>
  [...readPage(page).matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: text, index }) => ({
    language,
    text: text.trim(),
    index,
  }))

const findTitle = (markdown) => {
  const [, heading, summary] = [...markdown.matchAll(/^(?:#+ (.*)|<summary>(.*)<\/summary>)$/gm)].at(-1) ?? []
  return (heading ?? summary ?? '').replaceAll(/<\/?code>|`/g, '')
}

/** Returns the lines of each block that starts with `npm install`. */
export const findInstallLines = (page) =>
  findBlocks(page)
    .filter(({ text }) => text.startsWith('npm install '))
    .map(({ text }) => text.split('\n').filter((line) => line.startsWith('npm ')))

/**
 * Returns every code block whose first line is a comment with a file name.
 * @returns {readonly Program[]}
 */
export const findPrograms = (page) => {
  const blocks = findBlocks(page)
  return blocks.flatMap(({ text: code, index: position }, index) => {
    const [, file] = /^\/\/ (\S+\.(?:mts|mjs|cjs))\n/.exec(code) ?? []
    if (file === undefined) return []
    const install = blocks.slice(0, index).findLast(({ text }) => text.startsWith('npm install '))
    const [start, output] = blocks.slice(index + 1)
    if (install === undefined) throw new Error(`${page}: ${file} has no npm install line above`)
    if (!start?.text.includes(file)) throw new Error(`${page}: ${file} has no command below that runs it`)
    return {
      title: findTitle(readPage(page).slice(0, position)),
      file,
      code,
      install: install.text.split('\n'),
      start: start.text,
      output: output?.language === 'text' ? output.text : '',
    }
  })
}

/**
 * Returns the program of README.md as a reader of docs/programs.md saves it in JavaScript.
 * @returns {Program}
 */
export const readJavaScriptProgram = () => {
  const [{ code, output }] = findPrograms('README.md')
  const title = 'JavaScript with ES modules'
  const [, lines = ''] = readPage('docs/programs.md').split(`## ${title}`)
  const [, install, start] = /^(npm install .*)\n(node .* app\.mjs)$/m.exec(lines) ?? []
  return { title, file: 'app.mjs', code: code.replace('app.mts', 'app.mjs'), install: [install], start, output }
}

/** Returns the command that creates the secret, and `undefined` when the page has none. */
export const findSecretCommand = (page) =>
  findBlocks(page).find(({ language, text }) => language === 'sh' && text.includes('JWT_AUTH_SECRET='))?.text

/**
 * Returns the curl commands. Each prints the comment in the line below it, or the JSON block after
 * it, in which `…` stands for any text.
 */
export const findCurlCommands = (page) => {
  const blocks = findBlocks(page)
  return blocks.flatMap(({ text }, index) => {
    const next = blocks[index + 1]
    const below = next?.language === 'json' ? JSON.stringify(JSON.parse(next.text)) : undefined
    const lines = text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n')
    return lines
      .map((command, position) => ({ command, prints: lines[position + 1]?.match(/^# (.*)/)?.[1] ?? below }))
      .filter(({ command }) => command.startsWith('curl '))
  })
}

/**
 * Returns the name and the start of each shell variable that the reader completes, such as
 * `ACCESS_TOKEN='eyJ…'`.
 */
export const findShortenedVariables = (page) =>
  [...readPage(page).matchAll(/^([A-Z_]+)='([^'…]+)…'$/gm)].map(([, name, beginning]) => [name, beginning])

/** Returns whether a text is the shown text, in which `…` stands for any text. */
export const isAsShown = (text, shown) =>
  new RegExp(`^${shown.split('…').map(escapePattern).join('.+')}$`, 's').test(text)

const escapePattern = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
