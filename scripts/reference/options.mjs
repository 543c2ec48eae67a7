import ts from 'typescript'
import { readPage } from '../workspace.mjs'
import { findDoc, findMembers, toText, wrap } from './doc-comments.mjs'

/** The options whose members are options too, and the interfaces of these members. */
const members = {
  keys: ['KeyEntry'],
  dpop: ['DpopOptions'],
  rateLimits: ['RateLimitOptions', 'RateLimits'],
  cookies: ['CookieOptions'],
}

/** The functions whose options have a heading each, and the interfaces of these options. */
const functions = {
  jwtAuth: ['TokenServiceOptions', 'JwtAuthOptions'],
  guard: ['RequestRules', 'GuardOptions'],
  passwordUsers: ['PasswordUsersOptions', 'HashingOptions'],
  createHashingQueue: ['HashingQueueOptions'],
}

/** Returns the functions whose options are named after them. */
const namesakes = (...names) =>
  Object.fromEntries(names.map((name) => [name, [`${name[0].toUpperCase()}${name.slice(1)}Options`]]))

/** The functions whose options are a list. */
const listed = {
  hashPassword: ['HashingCallOptions'],
  isBreachedPassword: ['BreachedPasswordOptions'],
  ...namesakes('argon2idHasher', 'bcryptHasher', 'scryptHasher', 'phpassHasher', 'firebaseHasher', 'djangoHasher'),
  ...namesakes('knexUsers', 'createUsersTable'),
  knexStorage: ['TableOptions', 'KnexStorageOptions'],
  ...namesakes('redisStorage', 'memoryStorage'),
}

/** What else errors name, by the function with these options. */
const others = {
  jwtAuth: ['createTokenService'],
  guard: ['verifyRequest'],
  hashPassword: ['verifyPassword'],
  knexStorage: ['sqlStorage', 'pgExecutor', 'postgresExecutor', 'sqliteConfig', 'table', 'schema'],
}

/** The functions without options whose arguments are checked, and what their errors name, by the page about them. */
const pages = {
  'guide/keys.md': ['jwks'],
  'guide/guarding.md': ['getAuth', 'claimEquals', 'claimIncludes', 'hasScope'],
  'guide/sessions.md': [
    ...['sessions', 'sendTokens', 'userId', 'sessionId', 'includeEnded', 'instant', 'reason', 'dpopThumbprint'],
    ...['authenticatedAt', 'attributes', 'absoluteTimeoutSeconds', 'credentialVersion'],
  ],
  'guide/own-routes.md': ['login', 'logout', 'requirePassword', 'limit'],
  'guide/users-and-passwords.md': ['canonicalUsername'],
  'sql-clients.md': ['sqliteExecutor', 'mysql2Executor'],
  'testing.md': ['expectRoutesGuarded', 'attackRoutes'],
}

/** Returns the type of an option that is a function. */
const describeSignature = ({ type }) => {
  const types = ts.isUnionTypeNode(type) ? type.types : [type]
  const found = types.map((each) => (ts.isParenthesizedTypeNode(each) ? each.type : each)).find(ts.isFunctionTypeNode)
  return found === undefined ? '' : ` Type: \`${found.getText().replaceAll(/\s+/g, ' ')}\`.`
}

const describeOption = (member) => {
  const doc = findDoc(member)
  const tag = doc?.tags?.find(({ tagName }) => tagName.text === 'default')
  const isRequired = member.questionToken === undefined && tag === undefined
  const ending = tag === undefined ? (isRequired ? ' Required.' : '') : ` Default: ${toText(tag.comment)}.`
  return `${toText(doc?.comment)}${describeSignature(member)}${ending}`
}

const listMembers = (names) =>
  names.flatMap((name) =>
    findMembers(name).map((member) => ({ name: member.name.getText(), text: describeOption(member) })),
  )

const toList = (names) => listMembers(names).map(({ name, text }) => wrap(`- **\`${name}\`**: ${text}`, '  '))

const toSection = ({ name, text }) =>
  [`### \`${name}\``, wrap(text), ...(name in members ? [toList(members[name]).join('\n')] : [])].join('\n\n')

/** Returns names with an anchor each. */
const toAnchors = (names) => names.map((name) => `<a id="${name.toLowerCase()}"></a>\`${name}\``).join(', ')

/** Returns the title of a page. */
const readTitle = (page) => readPage(`docs/${page}`).match(/^# (.*)$/m)?.[1]

const toFunctions = (interfaces, toSections) =>
  Object.entries(interfaces).flatMap(([name, names]) => [
    `## ${name}`,
    ...(name in others ? [`Also: ${toAnchors(others[name])}`] : []),
    ...toSections(names),
  ])

const otherFunctions = Object.entries(pages).map(
  ([page, names]) => `- [${readTitle(page)}](../${page}): ${toAnchors(names)}`,
)

const functionSections = [
  ...toFunctions(functions, (names) => listMembers(names).map(toSection)),
  ...toFunctions(listed, (names) => [toList(names).join('\n')]),
]

export const options = `# Options

At startup, a wrong option throws a \`TypeError\` that names the option, the expected value and the
value that was passed. The message ends with the address of the option, or of its function, on this
page.

${functionSections.join('\n\n')}

## Other functions and arguments

${otherFunctions.join('\n')}
`
