import type { IncomingMessage, ServerResponse } from 'node:http'
import { getMember, hasMethod, warnOnce as warnOnceOf } from '@jwt-auth/core/internal'
import { readRoute } from './client-request.js'

const guide = 'https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/start.md'

/** The page that explains each warning of this package. */
const pages = {
  JWT_AUTH_PROXY: `${guide}#behind-a-proxy-nginx-a-load-balancer`,
  JWT_AUTH_MOUNT: `${guide}#mounting`,
} as const

/** Emits a warning once per process and mistake, with a link to the page that explains it. */
export const warnOnce = (code: keyof typeof pages, text: string, mistake?: string): void =>
  warnOnceOf(code, `${text} See ${pages[code]}`, mistake)

/** Warns when the limits cannot rely on the client's address. */
export const warnOfProxy = (req: IncomingMessage, isForwarded: boolean): void => {
  // `undefined` outside of Express.
  const app = getMember(req, 'app')
  const trust: unknown = typeof app === 'function' && hasMethod(app, 'get') ? app.get('trust proxy') : undefined
  // The peer of a Unix socket has no address that a name or a list of proxies could contain.
  const isUnknown = getMember(req, 'ip') === undefined && !req.socket.destroyed
  const isUnread = trust === undefined ? !('ip' in req) : !trust || isUnknown
  if (trust === true) warnOnce('JWT_AUTH_PROXY', trustsEverybody)
  else if (typeof trust === 'string' && /^\s*\d+\s*$/.test(trust)) warnOnce('JWT_AUTH_PROXY', numberAsText)
  else if (isForwarded && isUnread) warnOnce('JWT_AUTH_PROXY', unreadHeader)
}

const trustsEverybody =
  "Express's `trust proxy` is true, so that every client chooses its address by the header X-Forwarded-For and the limits of failed logins do not hold. Set `trust proxy` to the number or the addresses of your proxies, for example app.set('trust proxy', 1)."
const numberAsText =
  "Express's `trust proxy` is the text of a number, which Express reads as an address. Express therefore does not trust your proxies, and all users behind a proxy share one address, and its limit of failed logins. Set `trust proxy` to a number, for example app.set('trust proxy', 1)."
const unreadHeader =
  "a request has the header X-Forwarded-For or Forwarded, but the client's address is read from the socket. Behind a proxy all users therefore share one address, and its limit of failed logins. In Express set `trust proxy` to the number or the addresses of your proxies (on a Unix socket, only to the number), for example app.set('trust proxy', 1). Elsewhere set the option `clientAddress` of jwtAuth. If no proxy is in front of this process, ignore this warning: a client sent the header."

/**
 * Warns that the middleware is mounted for a path that is no route. Warns only of paths like those
 * of a login or a refresh, because other routes, such as `GET /me`, are more likely to be the
 * application's own.
 */
export const warnOfMissingRoute = (namespace: string, path: string): void => {
  // The path may contain any text of a client.
  if (!/^[!-~]{0,200}\/(log-?in|sign-?in|token|refresh)\/?$/i.test(path)) return
  warnOnce(
    'JWT_AUTH_MOUNT',
    `POST ${path} reached jwtAuth(…), which does not have this route. Write app.use(auth). Clients then log in with POST ${namespace}/token. Ignore this warning if your application serves ${path}.`,
    'path',
  )
}

/**
 * Warns that the middleware is a handler of one route of the application, where it checks nothing.
 */
export const warnOfRouteHandler = (middleware: unknown, req: IncomingMessage): void => {
  // Express keeps the last route of a request for the middleware behind the route.
  const { path, stack, methods }: { [name in 'path' | 'stack' | 'methods']?: unknown } = Object(getMember(req, 'route'))
  const isHandler = Array.isArray(stack) && stack.some((layer) => getMember(layer, 'handle') === middleware)
  // A pattern with a wildcard may contain the routes.
  if (!isHandler || typeof path !== 'string' || path.includes('*') || req.method === 'OPTIONS') return
  warnOnce(
    'JWT_AUTH_MOUNT',
    `jwtAuth(…) is a handler of the route ${req.method} ${path}, which is none of its routes, so it passes the request on without a check. Write app.use(auth). Check the access token with auth.guard(), and log users in by a route of your own with auth.login(req, credentials).`,
    `${Object.keys(Object(methods))} ${path}`,
  )
}

/**
 * Warns that the application mounts CORS behind the routes, given a request of a page of another
 * origin: a browser sends JSON or a token only after a preflight request has succeeded, but the
 * response does not have the header that lets the page read it.
 *
 * @returns whether the request had a preflight request, so that it shows where CORS is mounted
 */
export const warnOfLateCors = ({ headers }: IncomingMessage, res: ServerResponse): boolean => {
  const hasPreflight =
    headers.authorization !== undefined || headers['content-type']?.startsWith('application/json') === true
  if (hasPreflight && res.getHeader('Access-Control-Allow-Origin') === undefined) {
    warnOnce(
      'JWT_AUTH_MOUNT',
      'a page of another origin cannot read the responses of jwtAuth(…), because they have no CORS headers. Write app.use(cors(…)) before app.use(auth). Ignore this warning if a proxy adds the headers.',
    )
  }
  return hasPreflight
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

/** Warns that a handler responded before a guard rejected its request. */
export const warnOfEarlyResponse = ({ headersSent }: ServerResponse): void => {
  if (!headersSent) return
  warnOnce(
    'JWT_AUTH_MOUNT',
    'a guard rejected a request after another handler had responded to it. A middleware that calls auth.guard()(req, res, next) must not call next() itself: a handler would run before the check. Ignore this warning if a timeout of your application responds to slow requests.',
  )
}
