import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Auth,
  AuthError,
  checkOptionNames,
  isAuthError,
  optionError,
  readBoolean,
  type TokenService,
} from '@jwt-auth/core'
import { readBearerToken } from '@jwt-auth/core/wire'
import { readAuthorization } from './node-request.js'
import { refuseRequest } from './options.js'
import { setAuth, setOrigin } from './request-auth.js'

/** Passes the request on. */
export type Next = (error?: unknown) => void

/** Middleware for Express 5 and 4, Connect and `node:http`. */
export type Middleware = (req: IncomingMessage, res: ServerResponse, next: Next) => void

/** Which requests a guard passes on. */
export interface GuardOptions {
  /** Passes requests without a bearer credential on as anonymous. An invalid credential still fails with 401. @default false */
  readonly optional?: boolean | undefined
  /**
   * Looks the user up for each request with a valid token, and responds with 401 when the user does not exist or is disabled. Without
   * this option, the access tokens of such a user work until they expire or the application calls `auth.sessions.revokeAll`. Each
   * request then also waits for `users.findById`; when that fails, the response is 503.
   *
   * @default false
   */
  readonly checkUser?: boolean | undefined
  /**
   * A rule of the application, called for each request with a valid token. Any result other than `true` responds with 403
   * `jwt_auth_forbidden`. Claims are as old as the access token: a role that was taken away stays in it until it expires.
   *
   * @default every request with a valid token is passed on
   */
  readonly allow?: Rule | undefined
}

type Rule = (auth: Auth, req: IncomingMessage) => boolean | Promise<boolean>

/** Makes a guard. */
export type CreateGuard = (options?: GuardOptions) => Middleware

/** Binds the guard to a service; `fail` answers a request that is not let in. */
export const createGuardFactory =
  (service: TokenService, fail: (res: ServerResponse, thrown: unknown) => void): CreateGuard =>
  (options = {}) => {
    const { isOptional, checkUser, allow } = readGuardOptions(options)

    const identify = async (req: IncomingMessage): Promise<Auth | undefined> => {
      const token = readToken(req, isOptional)
      if (token === undefined) return undefined
      return checkUser ? service.authorizeUser(token) : service.authorize(token)
    }

    const admit = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      setOrigin(req, res)
      const auth = await identify(req)
      if (auth !== undefined && allow !== undefined && (await allow(auth, req)) !== true) {
        throw new AuthError('jwt_auth_forbidden')
      }
      setAuth(req, auth)
    }

    return (req, res, next) => {
      admit(req, res).then(
        () => next(),
        (thrown: unknown) => fail(res, thrown),
      )
    }
  }

const guardOptions: Record<keyof GuardOptions, true> = { optional: true, checkUser: true, allow: true }

const readGuardOptions = (options: GuardOptions) => {
  if (typeof options !== 'object' || options === null) {
    throw optionError('guard', 'an object, such as { allow: (auth) => … }', options)
  }
  refuseRequest(options, 'auth.guard', 'auth.guard()')
  checkOptionNames(options, guardOptions, 'guard')
  const { optional, checkUser, allow } = options
  const isOptional = readBoolean('optional', optional)
  const isUserChecked = readBoolean('checkUser', checkUser)
  if (allow !== undefined && typeof allow !== 'function') throw optionError('allow', 'a function', allow)
  return { isOptional, checkUser: isUserChecked, allow }
}

const readToken = (req: IncomingMessage, isOptional: boolean): string | undefined => {
  try {
    return readBearerToken(readAuthorization(req))
  } catch (error) {
    if (isOptional && isAuthError(error) && error.code === 'jwt_auth_no_auth_header') return undefined
    throw error
  }
}
