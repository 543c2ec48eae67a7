import fc from 'fast-check'
import { guardedPath } from '../cluster/instance/instance-server.js'
import { fuzzUser } from './fuzz-host.js'
import { anyCharacter, applyEdit, type EditedTokens, isIssued, type TokenEdit, tokenEdits } from './fuzzed-token.js'

/** A request in parts. They are plain values, so that a counterexample is readable. */
export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly credentials: readonly FuzzedCredential[]
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: FuzzedBody
}

/** An `Authorization` header. */
interface FuzzedCredential {
  readonly before: string
  readonly edit: TokenEdit
  readonly behind: string
}

/** The members of an object, or another text. */
type FuzzedBody = { readonly members: readonly (readonly [name: string, value: Value])[] } | { readonly text: string }

/** A refresh token, or JSON. */
type Value = { readonly edit: TokenEdit } | { readonly json: string }

/** A request as bytes. */
export type WrittenRequest = ReturnType<typeof writeRequest>

/** A text that requests contain in many places. No response may contain it. */
export const marker = 'zqx9reflected'

// Most parts of a request are valid. Otherwise no request would pass the first check.
const mostly = <T>(usual: fc.Arbitrary<T>, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 5, arbitrary: usual }, others)

const below = (paths: string): readonly string[] => paths.split(' ').map((path) => `/jwt-auth/v1${path}`)
const tokenRoutes = [...below('/token /token/refresh /refresh'), '/own/login', '/own/refresh', '/own/logout']
const bearerRoutes = [...below('/token/validate /validate /token/revoke'), guardedPath]
const foreign = '/ // * /jwt-auth /jwt-auth/v1/users http://other.example/jwt-auth/v1/token /% /\xff'.split(' ')
const suffixes = ['/', '/../token', '%2f', '%00', '%', ';a', '#', `/${marker}`, `?a=${marker}`]

const target = fc
  .tuple(
    mostly(fc.constantFrom(...tokenRoutes, ...bearerRoutes, ...below('/me')), fc.constantFrom(...foreign)),
    mostly(fc.constant(''), fc.oneof(fc.constantFrom(...suffixes), fc.string({ maxLength: 8 }))),
  )
  .map(([path, suffix]) => path + suffix.replaceAll(' ', '+'))

const method = fc.oneof(
  { weight: 4, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: fc.constant('GET') },
  fc.constantFrom(...'HEAD PUT DELETE OPTIONS TRACE QUERY CONNECT post BREW'.split(' ')),
)

const schemes = ['bearer  ', 'BEARER ', 'Bearer\t', 'Bearer', 'Bearerx ', 'Basic ', '', 'Bearer =', `Bearer ${marker} `]
const credential: fc.Arbitrary<FuzzedCredential> = fc.record({
  before: mostly(fc.constant('Bearer '), fc.constantFrom(...schemes)),
  edit: tokenEdits,
  behind: mostly(fc.constant(''), fc.constantFrom(' ', '\t', '=', ',', ' x', ', Bearer x')),
})

// Parsers with a quadratic time are slow on these texts. Node accepts 16 KiB of headers.
const longRuns = fc
  .tuple(fc.constantFrom(...' \t";=,\\%a\xa0'), fc.integer({ min: 4_000, max: 7_000 }))
  .map(([character, length]) => `${character.repeat(length)}x`)
const otherNames =
  'Accept Content-Encoding Cookie Expect Forwarded Host If-None-Match Origin Range Upgrade User-Agent Via ' +
  'X-Forwarded-For X-Forwarded-Host X-HTTP-Method-Override X-Original-URL'
const otherValues = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(marker, '127.0.0.1', '*', 'PUT', 'gzip', '100-continue') },
  { weight: 4, arbitrary: fc.string() },
  longRuns,
)
const mediaTypes = ['application/json;charset=utf-16', 'application/x-www-form-urlencoded', 'text/plain', ';', '']
const contentType = fc.tuple(
  fc.constant('Content-Type'),
  mostly(
    fc.constant('application/json'),
    fc.oneof(
      fc.constantFrom(...mediaTypes),
      longRuns.map((run) => `application/json;a=b${run}`),
    ),
  ),
)
// Most of the other headers must have no effect.
const headers = fc
  .tuple(contentType, fc.array(fc.tuple(fc.constantFrom(...otherNames.split(' ')), otherValues), { maxLength: 2 }))
  .map(([first, others]) => [first, ...others])

const toJson = (text: string): Value => ({ json: JSON.stringify(text) })
const usernames = fc.constantFrom('ada', ' ADA ', 'ad\u0430', 'ada\u0301', 'ada\u0000', 'ada\ud800', "ada' OR '1'='1")
const value: fc.Arbitrary<Value> = fc.oneof(
  tokenEdits.map((edit) => ({ edit })),
  fc.oneof(fc.json(), fc.constantFrom('0', 'null', '""', '[]')).map((json) => ({ json })),
)
const password = mostly(fc.constant(toJson(fuzzUser.password)), value)
const members = fc.oneof(
  fc
    .tuple(mostly(usernames.map(toJson), value), password)
    .map(([name, secret]) => [['username', name] as const, ['password', secret] as const]),
  value.map((token) => [['refresh_token', token] as const]),
  fc.array(fc.tuple(fc.constantFrom('username', 'password', 'refresh_token', '__proto__', marker), value), {
    maxLength: 4,
  }),
)
const otherTexts = fc.oneof(
  fc.json(),
  fc.string({ unit: anyCharacter }),
  fc.tuple(fc.constantFrom('[', '{"a":', '"'), fc.nat({ max: 20_000 })).map(([text, times]) => text.repeat(times)),
)
const body = mostly<FuzzedBody>(
  members.map((members) => ({ members })),
  otherTexts.map((text) => ({ text })),
)

const plain = { method: 'POST', credentials: [], headers: [['Content-Type', 'application/json']] } as const

/** Requests of every kind: any part may be invalid, only the body, or only the credential. */
export const requests: fc.Arbitrary<FuzzedRequest> = fc.oneof(
  fc.record({ method, target, credentials: fc.array(credential, { maxLength: 2 }), headers, body }),
  fc.record({ target: fc.constantFrom(...tokenRoutes), body }).map((request) => ({ ...plain, ...request })),
  fc
    .record({ target: fc.constantFrom(...bearerRoutes), credentials: fc.tuple(credential) })
    .map((request) => ({ ...plain, ...request, body: { text: '' } })),
)

/** Writes a request with these access tokens and refresh tokens. */
export const writeRequest = (
  request: FuzzedRequest,
  { access, refresh }: { readonly access: EditedTokens; readonly refresh: EditedTokens },
) => {
  const content = Buffer.from(writeBody(request.body, refresh))
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    `Content-Length: ${content.length}`,
    ...request.credentials.map(
      ({ before, edit, behind }) => `Authorization: ${before}${applyEdit(edit, access)}${behind}`,
    ),
    ...request.headers.map(([name, text]) => `${name}: ${text}`),
  ]
  return {
    bytes: Buffer.concat([Buffer.from(`${lines.map(toOneLine).join('\r\n')}\r\n\r\n`, 'latin1'), content]),
    /** Whether its sender may pass the guard and revoke the session. */
    mayPassGuard: holdsToken(request.credentials, access),
    mayGetTokens: holdsCredentials(request.body, refresh),
  }
}

// A line break would start another header or the body. All other characters are sent unchanged.
const toOneLine = (line: string): string => line.replace(/[\r\n]/g, ' ')

const writeBody = (content: FuzzedBody, tokens: EditedTokens): string =>
  'text' in content
    ? content.text
    : `{${content.members.map(([name, one]) => `${JSON.stringify(name)}:${writeValue(one, tokens)}`).join()}}`

const writeValue = (one: Value, tokens: EditedTokens): string =>
  'json' in one ? one.json : JSON.stringify(applyEdit(one.edit, tokens))

// A guarded request needs exactly one header, with this scheme and one token (docs/http-api.md).
const holdsToken = ([only, ...others]: readonly FuzzedCredential[], access: EditedTokens): boolean => {
  if (only === undefined || others.length > 0) return false
  // White space around the value of a header is not part of it (RFC 9110, section 5.5).
  const presented = toOneLine(applyEdit(only.edit, access)).replace(/^ +|[ \t]+$/g, '')
  return /^bearer +$/i.test(only.before) && only.behind.trim() === '' && isIssued(presented, access)
}

/**
 * Returns whether a body has the user's name, in one of its spellings, and the password, or an
 * issued refresh token.
 */
const holdsCredentials = (content: FuzzedBody, tokens: EditedTokens): boolean => {
  if ('text' in content) return false
  const texts = content.members.map(([, one]): unknown => JSON.parse(writeValue(one, tokens)))
  return (
    (texts.includes(fuzzUser.password) && texts.some((text) => /^ *ada *$/i.test(String(text)))) ||
    texts.includes(tokens.token) ||
    texts.includes(tokens.other)
  )
}
