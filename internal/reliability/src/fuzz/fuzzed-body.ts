import fc from 'fast-check'
import { fuzzUser } from './fuzz-host.js'
import { applyEdit, type EditedTokens, type TokenEdit, unsignedEdits } from './token-edits.js'
import { usernames } from './usernames.js'

/** A value in a body. */
type Value =
  | { readonly kind: 'password' }
  | { readonly kind: 'refresh token'; readonly edit: TokenEdit }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'json'; readonly json: string }

/** The content of a body, before it is encoded. */
type Content =
  | { readonly kind: 'object'; readonly members: readonly (readonly [name: string, value: Value])[] }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nested'; readonly opening: string; readonly depth: number }
  | { readonly kind: 'sized'; readonly length: number }

const encodings = ['utf8', 'utf16le', 'latin1', 'byte order mark', 'cut'] as const

/** A body and its encoding. */
export interface FuzzedBody {
  readonly content: Content
  readonly encoding: (typeof encodings)[number]
}

/** A text that requests contain in many places. No response may contain it. */
export const marker = 'zqx9reflected'

const refreshToken = fc.record({ kind: fc.constant('refresh token'), edit: unsignedEdits })

const values: fc.Arbitrary<Value> = fc.oneof(
  fc.constant<Value>({ kind: 'password' }),
  refreshToken,
  fc.record({ kind: fc.constant('text'), text: usernames }),
  fc.record({
    kind: fc.constant('json'),
    json: fc.oneof(fc.json(), fc.constantFrom('0', 'true', 'null', '""', '[]', '{}')),
  }),
)

const rightPassword = { weight: 3, arbitrary: fc.constant<Value>({ kind: 'password' }) }
const names = { weight: 3, arbitrary: fc.record({ kind: fc.constant('text'), text: usernames }) }
const otherNames = ['USERNAME', 'user', '__proto__', 'constructor', '', marker]
const members = fc.oneof(
  // The members that the routes read, with values of every kind.
  fc
    .tuple(fc.oneof(names, values), fc.oneof(rightPassword, values))
    .map(([name, password]) => [['username', name] as const, ['password', password] as const]),
  fc.oneof(refreshToken, values).map((token) => [['refresh_token', token] as const]),
  fc.array(fc.tuple(fc.constantFrom('username', 'password', 'refresh_token', ...otherNames), values), { maxLength: 5 }),
)

const contents: fc.Arbitrary<Content> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('object'), members }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('text'), text: fc.oneof(fc.json(), fc.string({ unit: 'binary' })) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('nested'),
      opening: fc.constantFrom('[', '{"a":', '{"username":[', '"'),
      depth: fc.nat({ max: 9_000 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('sized'),
      length: fc.oneof(fc.integer({ min: 16_300, max: 16_400 }), fc.nat({ max: 300_000 })),
    }),
  },
)

/** Bodies of every kind. */
export const bodies: fc.Arbitrary<FuzzedBody> = fc.record({
  content: contents,
  encoding: fc.oneof({ weight: 9, arbitrary: fc.constant('utf8' as const) }, fc.constantFrom(...encodings)),
})

/** Returns the bytes of a body. */
export const writeBody = ({ content, encoding }: FuzzedBody, tokens: EditedTokens): Buffer => {
  const text = writeContent(content, tokens)
  switch (encoding) {
    case 'byte order mark':
      return Buffer.from(`\ufeff${text}`, 'utf8')
    case 'cut':
      return Buffer.from(text, 'utf8').subarray(0, -1)
    default:
      return Buffer.from(text, encoding)
  }
}

const writeContent = (content: Content, tokens: EditedTokens): string => {
  switch (content.kind) {
    case 'object':
      return `{${content.members.map(([name, value]) => `${JSON.stringify(name)}:${writeValue(value, tokens)}`).join()}}`
    case 'text':
      return content.text
    case 'nested':
      return content.opening.repeat(content.depth)
    case 'sized':
      return JSON.stringify({ username: fuzzUser.username, password: 'x'.repeat(content.length) })
  }
}

const writeValue = (value: Value, tokens: EditedTokens): string => {
  switch (value.kind) {
    case 'password':
      return JSON.stringify(fuzzUser.password)
    case 'refresh token':
      return JSON.stringify(applyEdit(value.edit, tokens))
    case 'text':
      return JSON.stringify(value.text)
    case 'json':
      return value.json
  }
}

/**
 * Returns whether a body contains the credentials of a login (the user's name in one of its spellings, and the password) or an
 * issued refresh token. The service must not return tokens for any other body.
 */
export const holdsCredentials = ({ content }: FuzzedBody, tokens: EditedTokens): boolean => {
  const texts =
    content.kind === 'object' ? content.members.map(([, value]) => JSON.parse(writeValue(value, tokens))) : []
  return (
    (texts.includes(fuzzUser.password) && texts.some(isSpellingOfName)) ||
    texts.includes(tokens.token) ||
    texts.includes(tokens.other)
  )
}

const isSpellingOfName = (value: unknown): boolean =>
  typeof value === 'string' && /^[ \u3000]*[aA\uff41\uff21][dD\uff44\uff24][aA\uff41\uff21][ \u3000]*$/.test(value)
