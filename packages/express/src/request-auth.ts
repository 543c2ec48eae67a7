import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Auth } from '@jwt-auth/core'
import { readAddress } from './node-request.js'

// One map for the ESM and the CommonJS build, so that a guard of one is known to the `getOptionalAuth` of the other.
const mapKey = Symbol.for('@jwt-auth/express.auth')

const findMap = (): WeakMap<IncomingMessage, Auth> => {
  const known: unknown = Reflect.get(globalThis, mapKey)
  if (known instanceof WeakMap) return known
  const map = new WeakMap<IncomingMessage, Auth>()
  Object.defineProperty(globalThis, mapKey, { value: map })
  return map
}

const authOf = findMap()

/**
 * Who a request comes from. Answers only for what our guard let in: whatever other middleware writes to `req.auth` changes
 * nothing here. `undefined` behind `guard({ optional: true })` for a caller without a token, and where no guard ran.
 *
 * @example app.get('/news', auth.guard({ optional: true }), (req, res) => res.json({ for: getOptionalAuth(req)?.userId }))
 */
export const getOptionalAuth = (req: IncomingMessage): Auth | undefined => authOf.get(req)

/**
 * The same behind a guard that lets no strangers in. Throws a `TypeError` when no guard let the request in: a route that
 * forgot its guard fails instead of serving anybody.
 *
 * @example app.delete('/account', auth.guard(), async (req, res) => deleteUser(getAuth(req).userId))
 */
export const getAuth = (req: IncomingMessage): Auth => {
  const auth = getOptionalAuth(req)
  if (auth !== undefined) return auth
  throw new TypeError('jwt-auth: getAuth found nobody; put auth.guard() before this handler.')
}

/** Notes what the guard found, and shows it at `req.auth`, which no assignment changes from then on; another guard does. */
export const setAuth = (req: IncomingMessage, auth: Auth | undefined): void => {
  if (auth === undefined) authOf.delete(req)
  else authOf.set(req, auth)
  Object.defineProperty(req, 'auth', { value: auth, configurable: true, enumerable: true, writable: false })
}

/** The connection of a request, as it was when the guard ran. */
export interface Origin {
  readonly address: string | undefined
  /** `undefined` where no guard ran. */
  readonly res: ServerResponse | undefined
}

const originOf = new WeakMap<IncomingMessage, Origin>()

/** Stores the client's address, which a socket loses when it closes, and the response, whose end shows that the client disconnected. */
export const setOrigin = (req: IncomingMessage, res: ServerResponse): void => {
  originOf.set(req, { address: readAddress(req), res })
}

/** Returns what {@link setOrigin} stored. Where no guard ran, reads the present address. */
export const getOrigin = (req: IncomingMessage): Origin =>
  originOf.get(req) ?? { address: readAddress(req), res: undefined }
