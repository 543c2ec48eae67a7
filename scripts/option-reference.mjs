// Prints docs/reference/options.md from the doc comments of the options. `npm run options` writes
// the page, and a test compares it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './workspace.mjs'

/** The sections of the page, and their interfaces. */
const sections = {
  jwtAuth: ['TokenServiceOptions', 'JwtAuthOptions'],
  '`dpop`': ['DpopOptions'],
  '`cookies`': ['CookieOptions'],
  '`rateLimits`': ['RateLimitOptions', 'RateLimits'],
  '`auth.guard` and `auth.verifyRequest`': ['RequestRules', 'GuardOptions'],
  '`passwordUsers`': ['PasswordUsersOptions', 'HashingOptions'],
  '`createHashingQueue`': ['HashingQueueOptions'],
  '`isBreachedPassword`': ['BreachedPasswordOptions'],
}

const listSources = () =>
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const source = join(root, 'packages', folder, 'src')
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(source, path))
  })

/**
 * Returns the declarations of all interfaces, by name.
 * @returns {Map<string, ts.InterfaceDeclaration>}
 */
const readInterfaces = () =>
  new Map(
    listSources()
      .flatMap((path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true).statements)
      .filter((statement) => ts.isInterfaceDeclaration(statement))
      .map((declaration) => [declaration.name.text, declaration]),
  )

/** Returns a comment on one line, without its links. */
const toText = (comment) =>
  (ts.getTextOfJSDocComment(comment) ?? '')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim()

const toItem = (member) => {
  const [doc] = ts.getJSDocCommentsAndTags(member).filter((node) => ts.isJSDoc(node))
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default')
  const text = toText(doc?.comment)
  const isRequired = member.questionToken === undefined && tag === undefined
  const ending = tag === undefined ? (isRequired ? ' Required.' : '') : ` Default: ${toText(tag.comment)}.`
  return wrap(`- **\`${member.name.getText()}\`**: ${text}${ending}`)
}

/** Breaks an item of a list at 100 columns. */
const wrap = (item) => {
  const lines = ['']
  for (const word of item.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < 100) lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}

const interfaces = readInterfaces()

const toItems = (name) => {
  const declaration = interfaces.get(name)
  if (declaration === undefined) throw new Error(`no interface ${name}`)
  return declaration.members.map(toItem)
}

const page = `# Options

These are the doc comments of the options. A wrong option throws a \`TypeError\` that names the
option, the expected value and the value that was passed.

${Object.entries(sections)
  .map(([title, names]) => `## ${title}\n\n${names.flatMap(toItems).join('\n')}\n`)
  .join('\n')}`

if (process.argv.includes('--update')) writeFileSync(join(root, 'docs/reference/options.md'), page)
else process.stdout.write(page)
