// Reads the programs and commands that a README shows, as a reader would copy them.

/**
 * @typedef {object} Program
 * @property {string} title The heading or summary above.
 * @property {string} file The name in the first line of the code, such as `app.mts`.
 * @property {string} code
 * @property {readonly string[]} install The lines of the nearest `npm install` block above.
 * @property {string} start The command of the block below.
 * @property {string} output The text block below the command; `…` stands for any text. Empty when there is none.
 */

/**
 * @typedef {object} Command
 * @property {string} command
 * @property {string | undefined} prints What the command prints; `…` stands for any text.
 */

const readBlocks = (markdown) =>
  [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(({ 1: language, 2: text, index }) => ({
    language,
    text,
    index,
  }))

const readTitle = (markdown) => {
  const [, heading, summary] = [...markdown.matchAll(/^(?:#+ (.*)|<summary>(.*)<\/summary>)$/gm)].at(-1) ?? []
  return (heading ?? summary ?? '').replaceAll(/<\/?code>|`/g, '')
}

/** Every code block whose first line is a comment with a file name. @returns {readonly Program[]} */
export const readPrograms = (markdown) => {
  const blocks = readBlocks(markdown)
  return blocks.flatMap(({ text: code, index: position }, index) => {
    const [, file] = /^\/\/ (\S+\.(?:mts|mjs|cjs))\n/.exec(code) ?? []
    if (file === undefined) return []
    const install = blocks.slice(0, index).findLast(({ text }) => text.startsWith('npm install '))
    const [start, output] = blocks.slice(index + 1)
    if (install === undefined) throw new Error(`${file} has no npm install line above`)
    if (start?.language !== 'sh' || !start.text.includes(file))
      throw new Error(`${file} has no command below that runs it`)
    return {
      title: readTitle(markdown.slice(0, position)),
      file,
      code,
      install: install.text.trim().split('\n'),
      start: start.text.trim(),
      output: output?.language === 'text' ? output.text.trim() : '',
    }
  })
}

/** The command that creates the secret. @returns {string} */
export const readSecretCommand = (markdown) => {
  const block = readBlocks(markdown).find(
    ({ language, text }) => language === 'sh' && text.includes('JWT_AUTH_SECRET='),
  )
  if (block === undefined) throw new Error('there is no command that creates JWT_AUTH_SECRET')
  return block.text.trim()
}

/** The curl commands, each with the line below it or the JSON block after it. @returns {readonly Command[]} */
export const readCurlCommands = (markdown) => {
  const blocks = readBlocks(markdown)
  return blocks.flatMap(({ language, text }, index) => {
    if (language !== 'sh' || !text.includes('curl ')) return []
    const next = blocks[index + 1]
    const below = next?.language === 'json' ? JSON.stringify(JSON.parse(next.text)) : undefined
    const lines = text
      .replaceAll(/\s*\\\n\s*/g, ' ')
      .trim()
      .split('\n')
    return lines
      .map((command, position) => ({ command, prints: lines[position + 1]?.match(/^# (.*)/)?.[1] ?? below }))
      .filter(({ command }) => command.startsWith('curl '))
  })
}

/** The shell variables that the reader fills by hand, such as `ACCESS_TOKEN='eyJ…'`: how each value starts, by name. */
export const readShortenedVariables = (markdown) =>
  Object.fromEntries(
    readBlocks(markdown)
      .filter(({ language }) => language === 'sh')
      .flatMap(({ text }) => [...text.matchAll(/^([A-Z_]+)='([^'…]+)…'$/gm)])
      .map(([, name, beginning]) => [name, beginning]),
  )

/** Whether a text is the shown text, in which `…` stands for any text. */
export const isAsShown = (text, shown) =>
  new RegExp(`^${shown.split('…').map(escapePattern).join('.+')}$`, 's').test(text)

const escapePattern = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
