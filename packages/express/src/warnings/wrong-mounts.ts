import type { IncomingMessage, ServerResponse } from 'node:http'
import { getMember, usageError } from '@jwt-auth/core/adapter'
import { readRoute } from '../client-request.js'
import { warnOnce } from './warn-once.js'

/**
 * Returns whether the middleware is a handler of one of the application's own routes, such as
 * `app.post('/login', auth)`.
 *
 * @throws TypeError if handlers follow, which would respond to everybody
 */
export const checkOwnRoute = (req: IncomingMessage, middleware: unknown): boolean => {
  const route = getMember(req, 'route')
  const path = getMember(route, 'path')
  const stack = getMember(route, 'stack')
  // A path with parameters or wildcards may contain the routes.
  if (typeof path !== 'string' || /[:*({]/.test(path) || !Array.isArray(stack)) return false
  // Express keeps the route of a handler that called `next`.
  const position = stack.findIndex((layer) => getMember(layer, 'handle') === middleware)
  if (position < 0 || position === stack.length - 1) return position >= 0
  throw usageError(
    'guard',
    `\`app.${req.method?.toLowerCase()}('${path}', auth, …)\` does not protect this route, because \`auth\` passes its requests on. Write \`auth.guard()\` instead of \`auth\`, and mount the routes of jwt-auth with \`app.use(auth)\`.`,
  )
}

/**
 * Warns that the middleware is mounted for a path that is no route. Warns only of paths like those
 * of a login or a refresh, because other routes, such as `GET /me`, are more likely to be the
 * application's own.
 */
export const warnOfMissingRoute = (namespace: string, method: string, path: string): void => {
  // The path may contain any text of a client.
  if (method !== 'POST' || !/^[!-~]{0,200}\/(log-?in|sign-?in|token|refresh)\/?$/i.test(path)) return
  warnOnce(
    'JWT_AUTH_MOUNT',
    `POST ${path} reached jwtAuth(…), which does not have this route. Write app.use(auth). Clients then log in with POST ${namespace}/token. Ignore this warning if your application serves ${path}.`,
  )
}

/**
 * Warns that the application mounts CORS behind the routes: a browser sends JSON or a token to
 * another origin only after a preflight request has succeeded, but the response does not have the
 * header that lets the page read it.
 */
export const warnOfLateCors = ({ headers }: IncomingMessage, res: ServerResponse): void => {
  const hasPreflight =
    /^(cross|same)-site$/.test(headers['sec-fetch-site']?.toString() ?? '') &&
    (headers.authorization !== undefined || headers['content-type']?.startsWith('application/json') === true)
  if (!hasPreflight || headers.origin === undefined || res.getHeader('Access-Control-Allow-Origin') !== undefined)
    return
  warnOnce(
    'JWT_AUTH_MOUNT',
    'a page of another origin cannot read the responses of jwtAuth(…), because they have no CORS headers. Write app.use(cors(…)) before app.use(auth). Ignore this warning if a proxy adds the headers.',
  )
}

/** Warns that a guard runs before the routes, and therefore rejects logins. */
export const warnOfGuardedLogin = (namespace: string, req: IncomingMessage): void => {
  const route = readRoute(req)
  if (route !== `POST ${namespace}/token`) return
  warnOnce(
    'JWT_AUTH_MOUNT',
    `a guard rejected the login ${route}, because it runs before the routes of jwtAuth(…). Write app.use(auth) before app.use(auth.guard()).`,
  )
}
