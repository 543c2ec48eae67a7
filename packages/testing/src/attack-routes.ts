import { once } from 'node:events'
import * as http from 'node:http'
import { text } from 'node:stream/consumers'
import { checkOptionNames, getMember } from '@jwt-auth/core/internal'
import type { JwtAuth, User } from '@jwt-auth/express'
import { type AuditedRoute, type Judgement, judge, listReachedSteps } from './audit-routes.js'
import { type BadCredential, badCredentials } from './bad-credentials.js'
import { failure, nameRoute } from './expect-routes-guarded.js'
import type { Layer } from './express-layers.js'
import { findEndpoints, isHandler, type Step } from './find-endpoints.js'

/** Whose credentials {@link attackRoutes} sends, and to which URLs. */
export interface RouteAttack<U extends User = User, C extends object = object> {
  /** The service whose guards are in the application. */
  readonly auth: JwtAuth<U, C>
  /** A user of the service. The attack opens and ends sessions of this user. */
  readonly userId: U['id']
  /** The values of parameters and wildcards in paths, by their names. @default 1 for each */
  readonly params?: Readonly<Record<string, string | number>> | undefined
  /**
   * The URLs of routes whose path is no text, by method and path as `auditRoutes` shows them.
   * @default {}
   */
  readonly urls?: Readonly<Record<string, string>> | undefined
}

/**
 * Sends every bad credential (see {@link badCredentials}) to every guarded route of an application
 * of Express 4 or 5, and checks the response. Sends those with a bearer token to routes with an
 * optional guard. Resolves to the attacked routes.
 *
 * The requests of the attack run no handler, even if a guard accepts a bad credential. One request
 * for each route skips the guards, and checks that the URL leads to the functions behind them.
 * Other requests to the application run as always. Await one attack before you start the next.
 *
 * @throws an `AssertionError` with a table of the responses that a guard must not send, and of the
 * handlers that a request reaches before a guard; for a request without a response; without a
 * guarded route, because nothing was checked then
 * @throws TypeError for an unknown option
 * @example
 * ```ts
 * it('refuses bad credentials', () => attackRoutes(app, { auth, userId: 1, params: { id: 7 } }))
 * ```
 */
export const attackRoutes = async <U extends User, C extends object>(
  app: http.RequestListener,
  attack: RouteAttack<U, C>,
): Promise<readonly AuditedRoute[]> => {
  const names = { auth: true, userId: true, params: true, urls: true }
  const { auth, userId, params = {}, urls = {} } = checkOptionNames(attack, names, 'attackRoutes')
  const all = findEndpoints(app).map(judge)
  const targets = all.filter(({ guards }) => guards.length > 0)
  if (targets.length === 0) throw failure('the application has no guarded routes')
  const credentials = await badCredentials(auth, userId)
  const server = http.createServer(app)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = getMember(server.address(), 'port')
  const layers = new Set(all.flatMap(({ endpoint }) => endpoint.steps.flatMap((step) => step.layers)))
  const originals = [...layers].map((layer) => [layer, layer.handle] as const)
  const trial: Trial = { mark: String(port), ends: new Map(), reached: '' }
  for (const layer of layers) intercept(layer, trial)
  const rows: (readonly string[])[] = []
  try {
    for (const target of targets) {
      const method = target.route.method.replace(/^(ALL|USE)$/, 'GET')
      const url = new URL(urls[nameRoute(target.route)] ?? toUrl(target.route.path, params), `http://127.0.0.1:${port}`)
      const send: Send = async (headers, ends) => {
        trial.ends = ends
        trial.reached = ''
        const received = await sendRequest(url, { method, headers: { ...headers, [attackHeader]: trial.mark } })
        // A guard may respond and then call the next function.
        return trial.reached || received
      }
      rows.push(...(await attackRoute(target, all, credentials, send)))
    }
  } finally {
    for (const [layer, handle] of originals) layer.handle = handle
    server.close()
  }
  if (rows.length > 0) throw failure('unexpected responses (set `params` or `urls` if a URL is wrong)', rows)
  return targets.map(({ route }) => route)
}

/**
 * The functions that a request does not run. It ends at those with a text, and passes those with an
 * empty text.
 */
type Ends = ReadonlyMap<Layer, string>

/** The request of the attack that is in flight, and the text of the function at which it ended. */
interface Trial {
  readonly mark: string
  ends: Ends
  reached: string
}

/** Sends a request to the attacked route. Resolves to what it received, or the text at its end. */
type Send = (headers: BadCredential['headers'], ends: Ends) => Promise<string>

const attackRoute = async (
  { route, endpoint, guards }: Judgement,
  all: readonly Judgement[],
  credentials: readonly BadCredential[],
  send: Send,
): Promise<readonly (readonly string[])[]> => {
  const steps = listReachedSteps(endpoint)
  const behind = steps.slice(steps.findIndex((step) => guards.includes(step))).filter(isHandler)
  const reached = 'reached a function behind the guard'
  const own = behind.flatMap((step) => endAt(step, step.path === endpoint.path ? reached : ''))
  const others = all.flatMap(({ route: { method, path }, endpoint: { handler } }) =>
    // A mounted function may pass requests on.
    endAt(handler, handler.isExact ? `reached the handler of ${method} ${path}` : ''),
  )
  const skipped = [...all.map((one) => one.endpoint.handler), ...guards].flatMap((step) => endAt(step, ''))
  // An optional guard passes a request without a token on.
  const sent = credentials.filter((bad) => !(route.access !== 'guarded' && bad.code === 'jwt_auth_no_auth_header'))
  const withGuards = new Map([...others, ...own])
  const trials = [
    ...sent.map((bad) => [bad.name, bad.headers, withGuards, `received ${bad.status} ${bad.code}`] as const),
    ['no guard', {}, new Map([...skipped, ...own]), reached] as const,
  ]
  const names = new Map<string, string[]>()
  for (const [name, headers, ends, expected] of trials) {
    const result = await send(headers, ends).catch((error: Error) => {
      throw failure('no response within 3 seconds', [[nameRoute(route), name, error.message]])
    })
    // With `errorHandling: 'forward'`, the application writes the body, without a code.
    const withoutCode = expected.replace(/ jwt_auth_\w+$/, '')
    if (result !== expected && result !== withoutCode) names.set(result, [...(names.get(result) ?? []), name])
  }
  return [...names].map(([result, list]) => [nameRoute(route), result, list.join(', ')])
}

const endAt = ({ layers }: Step, text: string) => layers.map((layer) => [layer, text] as const)

// Marks a request of the attack.
const attackHeader = 'x-jwt-auth-attack'

/** Replaces a function of the application for the requests of the attack. */
const intercept = (layer: Layer, trial: Trial): void => {
  // A proxy keeps the marks of a guard, and the number of parameters, which Express reads.
  layer.handle = new Proxy(layer.handle, {
    apply: (handle, self, args) => {
      const [req, res, next] = args
      const text = req?.headers?.[attackHeader] === trial.mark ? trial.ends.get(layer) : undefined
      if (text === undefined) return Reflect.apply(handle, self, args)
      trial.reached = text
      return text === '' ? next() : res.end()
    },
  })
}

const sendRequest = async (url: URL, options: http.RequestOptions): Promise<string> => {
  const outgoing = http.request(url, { ...options, signal: AbortSignal.timeout(3_000) }).end()
  const [response]: readonly http.IncomingMessage[] = await once(outgoing, 'response')
  const [, code = ''] = /"code":"(\w+)"/.exec(response === undefined ? '' : await text(response)) ?? []
  return `received ${response?.statusCode} ${code}`.trimEnd()
}

const toUrl = (path: string, params: Readonly<Record<string, string | number>>): string =>
  path
    .replaceAll(/\{[^{}]*\}/g, '')
    .replaceAll(/[:*](\w*)(\([^()]*\))?[?+*]?/g, (_, name: string) => encodeURIComponent(params[name] ?? 1))
