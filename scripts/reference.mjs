// Writes the pages of docs/reference from the doc comments: `npm run reference`. A test compares
// them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'
import { root } from './workspace.mjs'

/** The options whose members are options too, and the interfaces of these members. */
const members = {
  keys: ['KeyEntry'],
  dpop: ['DpopOptions'],
  rateLimits: ['RateLimitOptions', 'RateLimits'],
  cookies: ['CookieOptions'],
}

/** The functions with options of their own, and the interfaces of these options. */
const functions = {
  jwtAuth: ['TokenServiceOptions', 'JwtAuthOptions'],
  guard: ['RequestRules', 'GuardOptions'],
  passwordUsers: ['PasswordUsersOptions', 'HashingOptions'],
  createHashingQueue: ['HashingQueueOptions'],
  isBreachedPassword: ['BreachedPasswordOptions'],
}

/** What other errors name, by the page about it. */
const others = {
  'packages/core/README.md': ['createTokenService'],
  'docs/guide/guarding.md': ['verifyRequest', 'claimEquals', 'claimIncludes', 'hasScope'],
  'docs/guide/keys.md': ['jwks'],
  'docs/guide/sessions.md': ['sessions', 'userId', 'sessionId', 'includeEnded', 'instant', 'reason', 'dpopThumbprint'],
  'docs/guide/users-and-passwords.md': [
    ...['hashPassword', 'verifyPassword', 'rehash', 'bcryptHasher', 'argon2idHasher', 'djangoHasher'],
    ...['firebaseHasher', 'phpassHasher', 'scryptHasher', 'knexUsers', 'createUsersTable'],
  ],
  'packages/storage-knex/README.md': ['knexStorage', 'knexLimits', 'libsqlConfig'],
  'packages/storage-sql/README.md': [
    ...['sqlStorage', 'sqlLimits', 'table', 'schema'],
    ...['sqliteExecutor', 'pgExecutor', 'postgresExecutor', 'mysql2Executor'],
  ],
  'packages/storage-redis/README.md': ['redisStorage', 'redisLimits'],
  'packages/storage-memory/README.md': ['memoryStorage'],
  'packages/testing/README.md': ['expectRoutesGuarded', 'attackRoutes'],
}

const parse = (path) => ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)

const listSources = () =>
  readdirSync(join(root, 'packages')).flatMap((folder) => {
    const source = join(root, 'packages', folder, 'src')
    return readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(source, path))
  })

/**
 * The declarations of all interfaces, by name.
 * @type {Map<string, ts.InterfaceDeclaration>}
 */
const interfaces = new Map(
  listSources()
    .flatMap((path) => parse(path).statements)
    .filter((statement) => ts.isInterfaceDeclaration(statement))
    .map((declaration) => [declaration.name.text, declaration]),
)

const findDoc = (node) => ts.getJSDocCommentsAndTags(node).find((found) => ts.isJSDoc(found))

/** Returns the paragraphs of a comment, with links to the pages that it names. */
const toParagraphs = (comment) =>
  (ts.getTextOfJSDocComment(comment) ?? '')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/docs\/([\w/-]+)\.md(#[\w-]+)?/g, '[$1](../$1.md$2)')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' ').trim())

const toText = (comment) => toParagraphs(comment).join(' ')

/** Breaks a paragraph, or an item of a list, at 100 columns. */
const wrap = (text, indent = '') => {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length < 100) lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
    else lines.push(`${indent}${word}`)
  }
  return lines.join('\n')
}

const describeOption = (member) => {
  const doc = findDoc(member)
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default')
  const isRequired = member.questionToken === undefined && tag === undefined
  const ending = tag === undefined ? (isRequired ? ' Required.' : '') : ` Default: ${toText(tag.comment)}.`
  return `${toText(doc?.comment)}${ending}`
}

const listMembers = (names) =>
  names.flatMap((name) => {
    const declaration = interfaces.get(name)
    if (declaration === undefined) throw new Error(`no interface ${name}`)
    return declaration.members.map((member) => ({ name: member.name.getText(), text: describeOption(member) }))
  })

const toList = (names) => listMembers(names).map(({ name, text }) => wrap(`- **\`${name}\`**: ${text}`, '  '))

const toSection = ({ name, text }) =>
  [`### \`${name}\``, wrap(text), ...(name in members ? [toList(members[name]).join('\n')] : [])].join('\n\n')

const toOther = ([page, names]) => {
  const anchors = names.map((name) => `<a~id="${name.toLowerCase()}"></a>\`${name}\``)
  const path = relative(join(root, 'docs/reference'), join(root, page))
  return wrap(`- [${page}](${path}): ${anchors.join(', ')}`, '  ').replaceAll('<a~', '<a ')
}

const options = `# Options

A wrong option throws a \`TypeError\` that names the option, the expected value and the value that
was passed. The message ends with the address of the option, or of its function, on this page.

${Object.entries(functions)
  .map(([name, names]) => `## ${name}\n\n${listMembers(names).map(toSection).join('\n\n')}\n`)
  .join('\n')}
## Other functions

${Object.entries(others).map(toOther).join('\n')}
`

const errorRows = parse(join(root, 'packages/core/src/errors/error-table.ts'))
  .statements.flatMap((statement) => (ts.isVariableStatement(statement) ? statement.declarationList.declarations : []))
  .filter(({ name }) => name.getText() === 'errorTable')
  .flatMap(({ initializer }) => initializer?.expression.properties ?? [])

const toErrorSection = (row) => {
  const [status, message] = row.initializer.arguments
  const [meaning, client] = toParagraphs(findDoc(row)?.comment)
  return `## \`${row.name.getText()}\`

**${status.getText()}** \`${message.text}\`

${wrap(meaning)}

${wrap(client.replace('Client:', '**The client:**'))}
`
}

const errors = `# Errors

Each error response has one of these codes ([its form](../http-api.md#errors)). The reports of
\`onError\` and on stderr end with the address of their code on this page. A wrong option throws a
\`TypeError\` before the first request: see [options](options.md).

${errorRows.map(toErrorSection).join('\n')}`

const [folder = join(root, 'docs/reference')] = process.argv.slice(2)
for (const [name, page] of Object.entries({ options, errors })) writeFileSync(join(folder, `${name}.md`), page)
