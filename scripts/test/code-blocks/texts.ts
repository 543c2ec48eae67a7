import { existsSync } from 'node:fs'
import { checkJson, checkRoute } from './commands.js'
import { type Block, listFiles, read, root } from './pages.js'

/** The sources of the packages and of the examples, with the texts that they concatenate in one piece. */
const sources = listFiles('')
  .filter((path) => /^(packages|examples)\/[^/]+\/src\/.*\.m?ts$/.test(path))
  .map(read)
  .join('\n')
  .replaceAll(/['"`] \+\s+['"`]/g, '')
  .replaceAll(/\\(['`])/g, '$1')

// The punctuation between the parts of a line, and what stands for a value of one occasion.
const separator = /: |; |(?<=\]) |…|\d+|\(.*?\)/

/** The templates of the sources that have at least three words, in parts. */
const templates = [...sources.matchAll(/`([^`\n]*\$\{[^`\n]*)`/g)]
  .flatMap(([, template = '']) => template.split(/: |; |\(\$\{[^}]*\}\)/))
  .map((part) => part.trim())
  .map((part) => part.split(/\$\{[^}]*\}/))
  .filter((texts) => texts.some((text) => / \S+ /.test(text)))
  .map((texts) => new RegExp(`^${texts.map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('\\S+')}$`))

/** Returns the parts of quoted lines that neither the sources nor the page's own programs contain. */
export const findUnquoted = (lines: readonly string[], program = ''): readonly string[] =>
  lines
    .flatMap((line) => line.split(separator))
    .map((part) => part.trim())
    .filter((part) => part !== '' && !sources.includes(part) && !program.includes(part))
    .filter((part) => !templates.some((template) => template.test(part)))

/** Returns the lines of a block without a language that do not start with a path of the repository. */
export const checkPaths = ({ text }: Block): readonly string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/,? /, 1)[0] ?? '')
    .filter((path) => ![path, `packages/${path.replace('/', '/src/')}`].some((one) => existsSync(`${root}${one}`)))
    .map((path) => `${path} does not exist`)

/** Returns what is wrong with a request: its route, or its body in JSON. */
export const checkRequest = ({ page, text }: Block): readonly string[] => {
  const [head = '', body = ''] = text.trim().split('\n\n')
  const [method = '', path = ''] = head.split(/\s/)
  return [...checkRoute(method, path, page), ...(body === '' ? [] : checkJson(body))]
}

const lineOfDiagram =
  /^sequenceDiagram$|^ {2}(?:participant (?<name>\w+) as .+|Note over (?<over>\w+(?:,\w+)*): .+|(?<from>\w+)(?:-|--)(?:>>|x)(?<to>\w+): .+)$/

/** Returns the lines of a diagram that are no Mermaid or name a participant without a declaration. */
export const checkDiagram = ({ text }: Block): readonly string[] => {
  const lines = text.trimEnd().split('\n')
  const declared = lines.map((line) => lineOfDiagram.exec(line)?.groups?.['name'])
  return lines.filter((line) => {
    const { groups } = lineOfDiagram.exec(line) ?? {}
    const named = [groups?.['from'], groups?.['to'], ...(groups?.['over']?.split(',') ?? [])]
    return !lineOfDiagram.test(line) || named.some((name) => name !== undefined && !declared.includes(name))
  })
}
