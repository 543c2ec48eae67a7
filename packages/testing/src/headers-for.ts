import { type IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { TokenServiceOptions } from '@jwt-auth/core'
import { usageError } from '@jwt-auth/core/internal'
import type { JwtAuth, User } from '@jwt-auth/express'
import { readSigning, type Signing } from './express-marks.js'

/** Headers of a request with credentials, for supertest's `set`, `fetch` and Node's `request`. */
export type CredentialHeaders = Readonly<Record<string, string>>

/** The options of {@link headersFor}. `C` is what your option `claims` returns. */
export interface SignedInOptions<C extends object = object> {
  /**
   * Claims that the access token has in addition to those of your option `claims`, or in their
   * place. @default {}
   */
  readonly claims?: Partial<C> | undefined
  /** The attributes of the session, as for `auth.sessions.create`. @default {} */
  readonly attributes?: object | undefined
}

/**
 * Opens a session without a password and resolves to the headers of the signed-in user. Works with
 * every service of `jwtAuth`. The session is bound to no key, also if the service has `dpop`. The
 * header is the one that the option `readAuthorization` reads.
 *
 * @throws an `AuthError` `jwt_auth_failed` when the user does not exist or is disabled
 * @throws TypeError if `readAuthorization` returns the value of no header as it is
 * @example
 * ```ts
 * const headers = await headersFor(auth, 1, { claims: { role: 'admin' } })
 * await request(app).get('/reports').set(headers).expect(200)
 * ```
 */
export const headersFor = async <U extends User, C extends object>(
  auth: JwtAuth<U, C>,
  userId: U['id'],
  { claims, attributes }: SignedInOptions<NoInfer<C>> = {},
): Promise<CredentialHeaders> => {
  const { openSessions, options } = readSigning(auth)
  const addClaims: typeof options.claims = async (...args) => ({ ...(await options.claims?.(...args)), ...claims })
  const isAsGiven = claims === undefined && options.dpop?.required !== true
  const sessions = isAsGiven ? auth.sessions : openSessions({ ...withoutKey(options), claims: addClaims })
  const { Authorization } = bearer((await sessions.create(userId, { attributes })).accessToken)
  return { [findHeader(options)]: Authorization }
}

/** Returns the option `dpop` with which a session may be opened without a key. */
export const withoutKey = ({ dpop }: Signing['options']): Pick<TokenServiceOptions, 'dpop'> =>
  dpop === undefined ? {} : { dpop: { ...dpop, required: false } }

/** Returns the headers with an access token. */
export const bearer = (token: string): { readonly Authorization: string } => ({ Authorization: `Bearer ${token}` })

/** Returns the name of the header in which a service expects `Bearer …`. */
export const findHeader = ({ readAuthorization }: Signing['options']): string => {
  if (readAuthorization === undefined) return 'Authorization'
  const names: string[] = []
  const read = (headers: IncomingHttpHeaders) =>
    readAuthorization(Object.assign(new IncomingMessage(new Socket()), { headers }))
  read(new Proxy({}, { get: (_, name) => void names.push(String(name)) }))
  const found = names.find((name) => read({ [name]: 'Bearer a' }) === 'Bearer a')
  if (found !== undefined) return found
  throw usageError(
    'readAuthorization',
    'the headers of @jwt-auth/testing need an option `readAuthorization` that returns the whole value of a header.',
  )
}
