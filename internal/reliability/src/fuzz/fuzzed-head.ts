import fc from 'fast-check'
import { guardedPath } from './fuzz-host.js'
import { marker } from './fuzzed-body.js'
import { type TokenEdit, tokenEdits } from './token-edits.js'

/** An `Authorization` header, or a similar one. */
export interface FuzzedCredential {
  readonly name: string
  readonly before: string
  readonly edit: TokenEdit
  readonly behind: string
}

// Most parts of a request are valid. Otherwise no request would pass the first check.
const mostly = <T>(usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, { weight: 3, arbitrary: others })

const below = (paths: string): readonly string[] => paths.split(' ').map((path) => `/jwt-auth/v1${path}`)

/** The routes that return tokens. */
export const tokenRoutes = below('/token /token/refresh /refresh')

/** The routes that require an access token. */
export const bearerRoutes = [...below('/token/validate /validate /token/revoke /me'), guardedPath]

const ours = [...tokenRoutes, ...bearerRoutes, ...below('/ /users /token/')]
const foreign = '/ // * /jwt-auth /jwt-auth/v2/token http://other.example/jwt-auth/v1/token /% /\xff'.split(' ')
const suffixes = ['/', '//', '/..', '/../token', '%2f', '%00', '%', ';a', '?', '#', `/${marker}`, `?a=${marker}`]

/** Request targets. */
export const targets: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof({ weight: 15, arbitrary: fc.constantFrom(...ours) }, fc.constantFrom(...foreign)),
    mostly(
      '',
      fc.oneof(
        fc.constantFrom(...suffixes),
        fc.webQueryParameters().map((query) => `?${query}`),
        fc.string({ maxLength: 8 }).map((text) => text.replaceAll(' ', '+')),
      ),
    ),
    mostly('as it is', fc.constantFrom('in capitals', 'percent-encoded')),
  )
  .map(([path, suffix, spelling]) => {
    if (spelling === 'in capitals') return path.toUpperCase() + suffix
    return (spelling === 'percent-encoded' ? path.replace('t', '%74') : path) + suffix
  })

const otherMethods = 'HEAD PUT PATCH DELETE OPTIONS TRACE PROPFIND QUERY CONNECT post BREW'.split(' ')

/** Methods, and texts that are no methods. */
export const methods: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('POST') },
  { weight: 2, arbitrary: fc.constant('GET') },
  fc.constantFrom(...otherMethods),
)

const schemes = ['bearer  ', 'BEARER ', 'Bearer\t', 'Bearer', 'Bearerx ', 'Basic ', '', 'Bearer =', `Bearer ${marker} `]

/** Headers with a token. */
export const credential: fc.Arbitrary<FuzzedCredential> = fc.record({
  name: mostly('Authorization', fc.constantFrom('authorization', 'Proxy-Authorization', 'X-Authorization')),
  before: mostly('Bearer ', fc.constantFrom(...schemes)),
  edit: tokenEdits,
  behind: mostly('', fc.constantFrom(' ', '\t', '=', '==', ',', ' x', ', Bearer x')),
})

// Parsers with a quadratic time are slow on these texts. Node accepts 16 KiB of headers.
const longRuns = fc
  .tuple(fc.constantFrom(...' \t";=,\\%a\xa0'), fc.integer({ min: 4_000, max: 7_000 }))
  .map(([character, length]) => `${character.repeat(length)}x`)

const mediaTypes = [
  'application/json; charset=utf-8',
  'application/json;charset=utf-16',
  'application/x-www-form-urlencoded',
]

/** Values of `Content-Type`. */
export const mediaType: fc.Arbitrary<string> = mostly(
  'application/json',
  fc.oneof(
    fc.constantFrom(...mediaTypes, 'text/plain', ';', ''),
    fc.string(),
    fc.tuple(fc.constantFrom(...mediaTypes, 'application/json;a=b'), longRuns).map((parts) => parts.join('')),
  ),
)

const otherHeaders =
  'Accept Cookie Forwarded Host If-None-Match Origin Range Upgrade User-Agent Via X-Forwarded-For X-Forwarded-Host ' +
  'X-HTTP-Method-Override X-Original-URL Content-Type Content-Encoding'
const values = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(marker, '127.0.0.1', '*', 'PUT', 'gzip', 'identity') },
  { weight: 8, arbitrary: fc.string() },
  fc.string({ unit: 'binary-ascii', maxLength: 5 }),
  longRuns,
)

/** Other headers. Most of them must have no effect. */
export const otherHeaderFields: fc.Arbitrary<readonly (readonly [name: string, value: string])[]> = fc.array(
  fc.oneof(
    { weight: 9, arbitrary: fc.tuple(fc.constantFrom(...otherHeaders.split(' ')), values) },
    fc.constant(['Expect', '100-continue'] as const),
  ),
  { maxLength: 3 },
)
