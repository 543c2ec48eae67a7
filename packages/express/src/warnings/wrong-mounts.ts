import type { IncomingMessage, ServerResponse } from 'node:http'
import { usageError } from '@jwt-auth/core/adapter'
import { matchRoute, toPath } from '@jwt-auth/core/wire'
import { readRoute } from '../guarded-requests.js'
import { readTarget } from '../node-http.js'
import { warnOnce } from './warn-once.js'

/** The path of a whole request, and the part of it that the router removed. */
export interface Mounted {
  readonly whole: string
  readonly mount: string
}

/** A route of Express. Both versions have these members. */
interface ExpressRoute {
  readonly path: unknown
  readonly stack: readonly { readonly handle?: unknown }[]
}

/**
 * Checks that the middleware is no handler of one of the application's own routes, such as
 * `app.post('/login', auth)`. It has no route of that path. It also does not guard the handlers
 * behind it.
 *
 * @throws TypeError if handlers follow, which would respond to everybody
 */
export const checkOwnRoute = (namespace: string, req: IncomingMessage, middleware: unknown): void => {
  const route = 'route' in req ? req.route : undefined
  // Express keeps the route of a handler that called `next`. A path with parameters or wildcards
  // may contain the routes.
  if (!isExpressRoute(route) || typeof route.path !== 'string' || /[:*({]/.test(route.path)) return
  const position = route.stack.findIndex(({ handle }) => handle === middleware)
  if (position < 0) return
  const line = `app.${req.method?.toLowerCase()}('${route.path}', auth`
  if (position < route.stack.length - 1) {
    throw usageError(
      'guard',
      `\`${line}, …)\` does not protect this route, because \`auth\` passes its requests on. Write \`auth.guard()\` instead of \`auth\`, and mount the routes of jwt-auth with \`app.use(auth)\`.`,
    )
  }
  warnOfMount(
    toPath(readTarget(req)),
    `has no such route. Write \`app.use(auth)\` instead of \`${line})\`. Clients then log in with POST ${namespace}/token.`,
    req.method ?? '',
  )
}

const isExpressRoute = (route: unknown): route is ExpressRoute =>
  typeof route === 'object' && route !== null && 'path' in route && 'stack' in route && Array.isArray(route.stack)

/** Warns that a wildcard hides the prefix of the routes. */
export const warnOfWildcard = (method: string, whole: string, prefix: string): void =>
  warnOfMount(whole, `is below a wildcard. Mount it with app.use(auth), or with app.use('${prefix}', auth).`, method)

/**
 * Warns that the routes have the path of the mount as a prefix. Warns only of paths like those of a
 * login or a refresh, because other routes, such as `GET /me`, are more likely to be the
 * application's own.
 */
export const warnOfMissingNamespace = (namespace: string, method: string, { whole, mount }: Mounted): void => {
  if (method === 'POST' && whole.replace(/\/$/, '') === mount && /\/(log-?in|sign-?in|token|refresh)$/i.test(mount)) {
    warnOfMount(
      whole,
      `is mounted at ${mount}, and has the route ${mount}${namespace}/token. Mount it with app.use(auth). Clients then log in with POST ${namespace}/token. Ignore this warning if your application serves ${whole}.`,
      method,
    )
    return
  }
  const found = matchRoute('', method, whole.slice(mount.length))
  if (found.kind !== 'route' || (found.name !== 'token' && found.name !== 'refresh')) return
  const route = `${mount}${namespace}${whole.slice(mount.length)}`
  warnOfMount(
    whole,
    `is mounted at ${mount}, and has the route ${route}. Change the path of the client, or mount with app.use(auth) and set \`namespace: '${mount}'\`. Ignore this warning if your application serves ${whole}.`,
    method,
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

// The path may contain any text of a client.
const isPrintable = (path: string): boolean => /^[!-~]{1,200}$/.test(path)

const warnOfMount = (whole: string, problem: string, method: string): void => {
  if (isPrintable(whole)) warnOnce('JWT_AUTH_MOUNT', `${method} ${whole} reached jwtAuth(…), which ${problem}`)
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
