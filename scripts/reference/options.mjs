import { join, relative } from 'node:path'
import { root } from '../workspace.mjs'
import { findDoc, findMembers, toText, wrap } from './doc-comments.mjs'

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

const describeOption = (member) => {
  const doc = findDoc(member)
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default')
  const isRequired = member.questionToken === undefined && tag === undefined
  const ending = tag === undefined ? (isRequired ? ' Required.' : '') : ` Default: ${toText(tag.comment)}.`
  return `${toText(doc?.comment)}${ending}`
}

const listMembers = (names) =>
  names.flatMap((name) =>
    findMembers(name).map((member) => ({ name: member.name.getText(), text: describeOption(member) })),
  )

const toList = (names) => listMembers(names).map(({ name, text }) => wrap(`- **\`${name}\`**: ${text}`, '  '))

const toSection = ({ name, text }) =>
  [`### \`${name}\``, wrap(text), ...(name in members ? [toList(members[name]).join('\n')] : [])].join('\n\n')

const toOther = ([page, names]) => {
  const anchors = names.map((name) => `<a~id="${name.toLowerCase()}"></a>\`${name}\``)
  const path = relative(join(root, 'docs/reference'), join(root, page))
  return wrap(`- [${page}](${path}): ${anchors.join(', ')}`, '  ').replaceAll('<a~', '<a ')
}

export const options = `# Options

A wrong option throws a \`TypeError\` that names the option, the expected value and the value that
was passed. The message ends with the address of the option, or of its function, on this page.

${Object.entries(functions)
  .map(([name, names]) => `## ${name}\n\n${listMembers(names).map(toSection).join('\n\n')}\n`)
  .join('\n')}
## Other functions

${Object.entries(others).map(toOther).join('\n')}
`
