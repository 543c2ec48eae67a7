import fc from 'fast-check'
import { mayAuthenticate, mayRevoke } from './entitlement.js'
import { bodies, type FuzzedBody, holdsCredentials, writeBody } from './fuzzed-body.js'
import {
  bearerRoutes,
  credential,
  type FuzzedCredential,
  mediaType,
  methods,
  otherHeaderFields,
  targets,
  tokenRoutes,
} from './fuzzed-head.js'
import { applyEdit, type EditedTokens } from './token-edits.js'

/** A request in parts. They are plain values, so that a counterexample is readable. */
export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly credentials: readonly FuzzedCredential[]
  readonly mediaType: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: FuzzedBody | undefined
  readonly framing: (typeof framings)[number]
}

/** A request as bytes. */
export interface WrittenRequest {
  readonly bytes: Buffer
  /** Whether the bytes are a complete request. */
  readonly isComplete: boolean
  /** Whether its sender is entitled to pass the guard, to revoke the session and to receive tokens. */
  readonly mayPassGuard: boolean
  readonly mayRevoke: boolean
  readonly mayGetTokens: boolean
}

const framings = ['length', 'chunked', 'too short', 'too long', 'both', 'none'] as const

// Any part of these requests may be invalid. Few of them pass several checks.
const wildRequests: fc.Arbitrary<FuzzedRequest> = fc.record({
  method: methods,
  target: targets,
  credentials: fc.array(credential, { maxLength: 2 }),
  mediaType,
  headers: otherHeaderFields,
  body: fc.option(bodies, { nil: undefined }),
  framing: fc.constantFrom(...framings),
})

const plain = {
  method: 'POST',
  credentials: [],
  mediaType: 'application/json',
  headers: [],
  body: undefined,
  framing: 'length',
} as const

// Only the body of these requests may be invalid.
const bodyRequests: fc.Arbitrary<FuzzedRequest> = fc
  .record({ target: fc.constantFrom(...tokenRoutes), body: bodies, framing: fc.constantFrom('length', 'chunked') })
  .map((request) => ({ ...plain, ...request }))

// Only the credential of these requests may be invalid.
const bearerRequests: fc.Arbitrary<FuzzedRequest> = fc
  .record({ target: fc.constantFrom(...bearerRoutes), credentials: fc.tuple(credential) })
  .map((request) => ({ ...plain, ...request, method: request.target.endsWith('/me') ? 'GET' : 'POST' }))

/** Requests of every kind. */
export const requests: fc.Arbitrary<FuzzedRequest> = fc.oneof(wildRequests, bodyRequests, bearerRequests)

/** Writes a request with these access tokens and refresh tokens. */
export const writeRequest = (
  request: FuzzedRequest,
  { access, refresh }: { readonly access: EditedTokens; readonly refresh: EditedTokens },
): WrittenRequest => {
  const body = request.body === undefined ? Buffer.alloc(0) : writeBody(request.body, refresh)
  const presented = request.credentials.map(({ edit }) => applyEdit(edit, access))
  const lines = [
    `${request.method} ${request.target} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Connection: close',
    ...request.credentials.map(({ name, before, behind }, at) => `${name}: ${before}${presented[at]}${behind}`),
    `Content-Type: ${request.mediaType}`,
    ...request.headers.map(([name, value]) => `${name}: ${value}`),
    ...frame(request.framing, body.length),
  ]
  return {
    bytes: Buffer.concat([
      Buffer.from(`${lines.map(toOneLine).join('\r\n')}\r\n\r\n`, 'latin1'),
      request.framing === 'chunked' ? toChunks(body) : body,
    ]),
    isComplete: request.framing !== 'too short' && request.framing !== 'both',
    mayPassGuard: holdsToken(request, access, mayAuthenticate),
    mayRevoke: holdsToken(request, access, mayRevoke),
    mayGetTokens: request.body !== undefined && holdsCredentials(request.body, refresh),
  }
}

// A guarded request needs exactly one header of this name, with this scheme and one token (docs/http-api.md).
const holdsToken = (
  { credentials }: FuzzedRequest,
  access: EditedTokens,
  isEntitled: typeof mayAuthenticate,
): boolean => {
  const [only, ...others] = credentials.filter(({ name }) => name.toLowerCase() === 'authorization')
  if (only === undefined || others.length > 0) return false
  const { before, edit, behind } = only
  // White space around the value of a header is not part of it (RFC 9110, section 5.5).
  const presented = applyEdit(edit, access).replace(/^ +|[ \t]+$/g, '')
  return /^bearer +$/i.test(before) && behind.trim() === '' && isEntitled(edit, presented, access)
}

// A line break would start another header or the body. All other characters are sent unchanged.
const toOneLine = (line: string): string => line.replace(/[\r\n]/g, ' ')

const frame = (framing: FuzzedRequest['framing'], length: number): readonly string[] => {
  switch (framing) {
    case 'length':
      return [`Content-Length: ${length}`]
    case 'chunked':
      return ['Transfer-Encoding: chunked']
    case 'too short':
      return [`Content-Length: ${length + 1}`]
    case 'too long':
      return [`Content-Length: ${Math.max(0, length - 1)}`]
    case 'both':
      return [`Content-Length: ${length}`, 'Transfer-Encoding: chunked']
    case 'none':
      return []
  }
}

const toChunks = (body: Buffer): Buffer => {
  const cut = Math.floor(body.length / 2)
  const chunks = [body.subarray(0, cut), body.subarray(cut)].filter(({ length }) => length > 0)
  const written = chunks.flatMap((chunk) => [
    Buffer.from(`${chunk.length.toString(16)}\r\n`),
    chunk,
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...written, Buffer.from('0\r\n\r\n')])
}
