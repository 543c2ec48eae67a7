import { once } from 'node:events'
import * as http from 'node:http'
import { text } from 'node:stream/consumers'
import type { JwtAuth, User } from '@jwt-auth/express'
import { type AuditedRoute, type Judgement, judge } from './audit-routes.js'
import { type BadCredential, badCredentials } from './bad-credentials.js'
import { failure, nameRoute } from './expect-routes-guarded.js'
import type { Handler } from './express-layers.js'
import { findEndpoints, isHandler, type Step } from './find-endpoints.js'
import { listReachedSteps } from './find-guards.js'

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
 * Replaces the handlers of the application during the attack, so that none runs, even if a guard
 * accepts a bad credential. For each route, replaces the guards too at the end, and checks that the
 * URL leads to the functions behind them. Do not send other requests to the application in the
 * meantime.
 *
 * @throws an `AssertionError` with a table of the responses that a guard must not send; without a
 * guarded route, because nothing was checked then
 * @example
 * ```ts
 * it('refuses bad credentials', () => attackRoutes(app, { auth, userId: 1, params: { id: 7 } }))
 * ```
 */
export const attackRoutes = async <U extends User, C extends object>(
  app: http.RequestListener,
  { auth, userId, params = {}, urls = {} }: RouteAttack<U, C>,
): Promise<readonly AuditedRoute[]> => {
  const endpoints = findEndpoints(app)
  const targets = endpoints.map(judge).filter(({ guards }) => guards.length > 0)
  if (targets.length === 0) throw failure('the application has no guarded routes', [])
  const credentials = await badCredentials(auth, userId)
  const server = http.createServer(app)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`
  const handlers = endpoints.map(({ handler }) => handler)
  const restore = keepHandlers(endpoints.flatMap(({ steps }) => steps))
  const rows: Row[] = []
  try {
    for (const target of targets) {
      const { method, path } = target.route
      const url = new URL(urls[nameRoute(target.route)] ?? toUrl(path, params), origin)
      const options = { method: ['ALL', 'USE'].includes(method) ? 'GET' : method }
      const send: Send = (headers) => sendRequest(url, { ...options, headers })
      // A wrong URL may lead to another route.
      replace(handlers, () => passOn)
      rows.push(...(await attackRoute(target, credentials, send)))
      restore()
    }
  } finally {
    restore()
    server.close()
  }
  if (rows.length > 0) throw failure('responses that differ from those of a guard', rows)
  return targets.map(({ route }) => route)
}

const passOn = (_req: unknown, _res: unknown, next: () => void): void => next()

type Row = readonly string[]

/**
 * Sends a request to the attacked route. Resolves to the status, and to the code of jwt-auth in the
 * body.
 */
type Send = (
  headers: http.OutgoingHttpHeaders,
) => Promise<{ readonly status: number; readonly code?: string | undefined }>

const attackRoute = async (
  { route, endpoint, guards }: Judgement,
  credentials: readonly BadCredential[],
  send: Send,
): Promise<readonly Row[]> => {
  // An optional guard passes a request without a token on.
  const isAnonymous = (credential: BadCredential): boolean => credential.code === 'jwt_auth_no_auth_header'
  const sent = route.access === 'guarded' ? credentials : credentials.filter((one) => !isAnonymous(one))
  const steps = listReachedSteps(endpoint)
  const behind = steps.slice(steps.findIndex((step) => guards.includes(step))).filter(isHandler)
  let runs = 0
  const countRun = (_req: unknown, res: http.ServerResponse): void => {
    runs += 1
    res.end()
  }
  replace(behind, ({ path }) => (path === endpoint.path ? countRun : passOn))
  const rows: Row[] = []
  const report = (...cells: Row): number => rows.push([nameRoute(route), ...cells])
  for (const { name, headers, status, code } of sent) {
    const before = runs
    const received = await send({ ...headers })
    if (runs > before) report(name, 'a function behind the guard ran')
    // With `errorHandling: 'forward'`, the application writes the body.
    else if (received.status !== status || (received.code ?? code) !== code) {
      report(name, `expected ${status} ${code}, received ${received.status} ${received.code ?? ''}`)
    }
  }
  replace(guards, () => passOn)
  const before = runs
  const { status } = await send({})
  if (runs === before) report('no guard', `expected the handler, received ${status}: set \`params\` or \`urls\``)
  return rows
}

/** Replaces functions in the application. */
const replace = (steps: readonly Step[], toReplacement: (step: Step) => Handler): void => {
  for (const step of steps) for (const layer of step.layers) layer.handle = toReplacement(step)
}

/** Returns the function that undoes all later replacements. */
const keepHandlers = (steps: readonly Step[]): (() => void) => {
  const originals = new Map(steps.flatMap(({ layers }) => layers.map((layer) => [layer, layer.handle])))
  return () => originals.forEach((handle, layer) => void Object.assign(layer, { handle }))
}

const toUrl = (path: string, params: Readonly<Record<string, string | number>>): string =>
  path
    .replaceAll(/\{[^{}]*\}/g, '')
    .replaceAll(/[:*](\w*)(\([^()]*\))?[?+*]?/g, (_, name: string) => encodeURIComponent(params[name] ?? 1))

const sendRequest = async (url: URL, options: http.RequestOptions): ReturnType<Send> => {
  const outgoing = http.request(url, { ...options, agent: false, signal: AbortSignal.timeout(10_000) }).end()
  const [response]: readonly http.IncomingMessage[] = await once(outgoing, 'response')
  const body = response === undefined ? '' : await text(response)
  return { status: response?.statusCode ?? 0, code: /"code":"(\w+)"/.exec(body)?.[1] }
}
