import { AuthError, type TokenServiceOptions } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { withSystem } from '@jwt-auth/core/internal'
import type { AuthErrorCode, JwtAuth, User, UserId } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { readSigning, type Signing } from './express-marks.js'
import { bearer, findHeader, withoutKey } from './headers-for.js'

/** Headers that a guard must refuse. */
export interface BadCredential {
  /** What is wrong, such as `an expired token`. Unique, for the title of a test. */
  readonly name: string
  /**
   * The headers of the request. The value of two `Authorization` headers is a list, as for Node's
   * `request` and supertest's `set`.
   */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** The status with which every guard responds. */
  readonly status: number
  /**
   * The code with which every guard responds. A guard that is optional passes
   * `jwt_auth_no_auth_header` on as anonymous.
   */
  readonly code: AuthErrorCode
}

/**
 * Resolves to headers that every guard of a service must refuse. Each of them has one fault. Works
 * with every service of `jwtAuth`: the tokens are signed with its present keys. Leaves sessions of
 * the user in the storage of the service.
 *
 * @throws an `AuthError` `jwt_auth_failed` when the user does not exist or is disabled
 * @example
 * ```ts
 * for (const { name, headers, status, code } of await badCredentials(auth, 1)) {
 *   it(`refuses ${name}`, async () => {
 *     const { body } = await request(app).get('/reports').set(headers).expect(status)
 *     expect(body.code).toBe(code)
 *   })
 * }
 * ```
 */
export const badCredentials = async <U extends User, C extends object>(
  auth: JwtAuth<U, C>,
  userId: U['id'],
): Promise<readonly BadCredential[]> => {
  const signing = readSigning(auth)
  const { options } = signing
  const sessions = options.dpop?.required === true ? signing.openSessions(withoutKey(options)) : auth.sessions
  const { now, randomBytes } = options.system
  const valid = await sessions.create(userId)
  const ended = await sessions.create(userId)
  await sessions.revoke(userId, ended.sessionId)
  const [header, payload] = valid.accessToken.split('.')
  const [, , otherSignature] = ended.accessToken.split('.')
  const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
  const sign = createForger(signing, userId)
  const shifted = (shiftMs: number) => withSystem({ ...options.system, now: () => now() + shiftMs })
  const { Authorization } = bearer(valid.accessToken)
  const other = `https://other.test/${randomBytes(8).toString('hex')}`

  const tokens = {
    garbage: bearer('garbage'),
    'a truncated token': bearer(valid.accessToken.slice(0, -5)),
    'a changed token': bearer(`${header}.${payload}.${otherSignature}`),
    'a token with alg none': bearer(`${unsigned}.${payload}.`),
    'a token of another key': await sign({ secret: randomBytes(64), keys: undefined }),
    'a token of another issuer': await sign({ issuer: other }),
    'a token of another audience': await sign({ audience: other }),
    'a token that is not yet valid': await sign(shifted(hourMs)),
    'an expired token': await sign({ ...shifted(-hourMs), accessTokenLifetimeSeconds: 1 }),
    'a revoked token': bearer(ended.accessToken),
    'a token of a deleted session': await sign({}, null),
    "a token of another user's session": await sign({}, { userId: toOtherUser(userId) }),
    'a refresh token': bearer(valid.refreshToken),
    ...(options.dpop?.bind === 'all-tokens' && {
      'a bound token without a proof of its key': bearer(
        (await sessions.create(userId, { dpopThumbprint: randomBytes(32).toString('base64url') })).accessToken,
      ),
    }),
  }
  const named: readonly [AuthError, Readonly<Record<string, { readonly Authorization?: string | string[] }>>][] = [
    [new AuthError('jwt_auth_no_auth_header'), { 'no header': {}, 'another scheme': { Authorization: 'Basic YTpi' } }],
    [new AuthError('jwt_auth_bad_auth_header'), { 'two headers': { Authorization: [Authorization, Authorization] } }],
    [new AuthError('jwt_auth_invalid_token'), tokens],
  ]
  const headerName = findHeader(options)
  return named.flatMap(([{ status, code }, headersByName]) =>
    Object.entries(headersByName).map(([name, { Authorization: value }]) => ({
      name,
      headers: value === undefined ? {} : { [headerName]: value },
      status,
      code,
    })),
  )
}

// Longer than the tolerance for clocks that differ, which is 60 seconds at most.
const hourMs = 3_600_000

// However short the sessions of the service are, the session of a token from an hour ago is active.
// The longest lifetime of an access token is as long.
const longSessions = { sessionIdleTimeoutSeconds: 2_592_000, sessionAbsoluteTimeoutSeconds: 2_592_000 }

/**
 * Creates the function that signs a token with other options of the service. The session of the
 * token is active and belongs to the user and to the service, so that the token has no other fault.
 * `stored` changes the session, and `null` stores none.
 */
const createForger =
  ({ openSessions, options }: Signing, userId: UserId) =>
  async (changes: Partial<TokenServiceOptions>, stored: Partial<SessionRecord> | null = {}) => {
    const memory = memoryStorage({ quiet: true })
    const create = async (session: SessionRecord): Promise<void> => {
      await memory.create(session)
      if (stored !== null) await options.storage.create({ ...session, issuer: options.issuer, ...stored })
    }
    const others = { ...withoutKey(options), ...longSessions }
    const sessions = openSessions({ ...others, ...changes, storage: { ...memory, create } })
    return bearer((await sessions.create(userId)).accessToken)
  }

const toOtherUser = (userId: UserId): UserId =>
  typeof userId === 'number' ? userId + 1 : `${userId.slice(0, 200)}-other`
