import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect } from 'node:net'
import type { RequestHandler, Router } from 'express'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { judge } from '../src/audit-routes.js'
import { findEndpoints } from '../src/find-endpoints.js'
import { createAuth, type ExpressVersion, passOn, versions } from './support/routes.js'

/** A call of `use` with functions or with a router, or a route. */
type Mount = { readonly path: Path | undefined } & (
  | { readonly kind: 'use' | 'route'; readonly functions: readonly FunctionName[] }
  | { readonly kind: 'router'; readonly mounts: readonly Mount[] }
)

type Path = string | readonly string[] | RegExp
type FunctionName = 'guard' | 'forwarding guard' | 'optional guard' | 'pass on' | 'fail' | 'continue' | 'respond'

const auth = createAuth()
const guards = {
  guard: auth.guard(),
  'forwarding guard': auth.guard({ errorHandling: 'forward' }),
  'optional guard': auth.guard({ optional: true }),
}
const fail: RequestHandler = (_req, _res, next) => next(new Error('failed'))
const continueAfterError = (_error: unknown, _req: unknown, _res: unknown, next: () => void): void => next()

const functionNames = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<FunctionName>('guard', 'respond') },
  {
    weight: 5,
    arbitrary: fc.constantFrom<FunctionName>('forwarding guard', 'optional guard', 'pass on', 'fail', 'continue'),
  },
)

// A path that a version does not accept is skipped.
const syntax = ['*', '*w', '{*w}', '{:x}', 'a{b}', '{b}', 'a?', ':x?', '?b', ':x?b', '(a|b)', 'a|b', '{0}b', '+b']
const segment = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'a', 'b', 'A', ':x') },
  { weight: 1, arbitrary: fc.constantFrom('', ...syntax) },
)
const text = fc
  .tuple(
    fc.oneof({ weight: 15, arbitrary: fc.constant('/') }, { weight: 1, arbitrary: fc.constantFrom('', '//') }),
    fc.array(segment, { maxLength: 3 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('/') }),
  )
  .map(([start, segments, end]) => `${start}${segments.join('/')}${end}`)
const path = fc.oneof(
  { weight: 8, arbitrary: text },
  { weight: 2, arbitrary: fc.array(text, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom(/^\/a/, /a$/) },
)

const { mount } = fc.letrec<{ mount: Mount }>((tie) => ({
  mount: fc.oneof(
    { maxDepth: 2 },
    fc.record({
      kind: fc.constant('use' as const),
      path: fc.option(path, { nil: undefined }),
      functions: fc.array(functionNames, { minLength: 1, maxLength: 2 }),
    }),
    fc.record({
      kind: fc.constant('route' as const),
      path,
      functions: fc.array(functionNames, { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant('router' as const),
      path: fc.option(path, { nil: undefined }),
      mounts: fc.array(tie('mount'), { minLength: 1, maxLength: 3 }),
    }),
  ),
}))
// Most applications start with a guard.
const mounts = fc
  .tuple(
    fc.option(path, { nil: undefined }),
    fc.constantFrom<FunctionName>('guard', 'guard', 'forwarding guard', 'pass on'),
    fc.array(mount, { minLength: 1, maxLength: 4 }),
  )
  .map(([at, first, rest]): readonly Mount[] => [{ kind: 'use', path: at, functions: [first] }, ...rest])
const routing = fc.record({ caseSensitive: fc.boolean(), strict: fc.boolean() })

const use = (at: Path | undefined, ...functions: readonly FunctionName[]): Mount => ({
  kind: 'use',
  path: at,
  functions,
})
const route = (at: Path): Mount => ({ kind: 'route', path: at, functions: ['respond'] })
const router = (at: Path, ...inner: readonly Mount[]): Mount => ({ kind: 'router', path: at, mounts: inner })
const lax = { caseSensitive: false, strict: false }

/** Applications whose guards look as if they stood before every handler. A URL passes each of them in a version. */
const known: readonly (readonly Mount[])[] = [
  [use(['/', '/b'], 'guard'), route('/a')],
  [use('//a', 'guard'), route('/a/b')],
  [use('/a//', 'guard'), route('/a/b')],
  [use('a', 'guard'), route('/a')],
  [use('/a', 'guard'), route('//a/b')],
  [use('/a', 'guard'), route('/a/:x?b')],
  [use('/a', 'guard'), route('/a/?b')],
  [use('/a', 'guard'), route('/a/{0}b')],
  [use('/a', 'guard'), route('/a/b|a')],
  [use('/a/b', 'guard'), router('/a', route('/b'))],
  [use('/a', 'guard'), router('', route('/a'))],
  [use(undefined, 'forwarding guard'), use(undefined, 'continue'), route('/a')],
  [use(undefined, 'forwarding guard'), use('/a/a', 'continue'), route('/a/:x')],
  [use(undefined, 'fail'), use(undefined, 'guard'), use(undefined, 'continue'), route('/a')],
  [use('/a', 'respond'), use(undefined, 'guard'), route('/a/b')],
]

/** Every URL of at most three of these segments. */
const urls = ['a', 'b', 'A', 'ab', ''].flatMap((one, _, all) => [
  `/${one}`,
  ...all.flatMap((two) => [`/${one}/${two}`, ...all.map((three) => `/${one}/${two}/${three}`)]),
])

describe.each(versions)('auditRoutes on %s, compared with requests without a token', (_, express) => {
  it('calls no route guarded that responds, and lists each function with a path that responds', async () => {
    const answered = new Map<unknown, string>()
    const { request } = await listen()
    const property = fc.asyncProperty(mounts, routing, async (added, own) => {
      const mounted = new Set<unknown>()
      const app = express().set('env', 'test').set('case sensitive routing', own.caseSensitive)
      app.set('strict routing', own.strict)
      addAll(app, added, { express, own, answered, mounted })
      const judged = findEndpoints(app).map(judge)
      answered.clear()
      if (judged.some(({ route }) => route.access === 'guarded')) await request(app)
      for (const [handle, url] of answered) {
        const routes = judged.flatMap(({ route, endpoint }) => (endpoint.handler.handle === handle ? [route] : []))
        if (mounted.has(handle)) expect(routes, `no row for what ${url} reaches`).not.toEqual([])
        // One function can respond at several paths.
        const isGuarded = routes.length > 0 && routes.every(({ access }) => access === 'guarded')
        expect(isGuarded, `${url} reaches ${JSON.stringify(routes)}`).toBe(false)
      }
    })
    const examples = known.map((mounts): [readonly Mount[], typeof lax] => [mounts, lax])
    await fc.assert(property, { numRuns: known.length + 100, examples })
  })
})

interface Target {
  readonly express: ExpressVersion
  readonly own: object
  /** The functions that responded, each with a URL. */
  readonly answered: Map<unknown, string>
  /** The functions that are mounted with `use`. */
  readonly mounted: Set<unknown>
}

const addAll = (router: Router, mounts: readonly Mount[], target: Target): void => {
  for (const added of mounts) {
    try {
      add(router, added, target)
    } catch {
      // This version refuses the path.
    }
  }
}

const add = (router: Router, added: Mount, target: Target): void => {
  const { kind, path: at } = added
  const place = at === undefined ? [] : [at]
  if (kind === 'router') {
    const inner = target.express.Router(target.own)
    addAll(inner, added.mounts, target)
    Reflect.apply(router.use, router, [...place, inner])
    return
  }
  const functions = added.functions.map((name) => createFunction(name, kind === 'route', target.answered))
  Reflect.apply(kind === 'use' ? router.use : router.get, router, [...place, ...functions])
  if (kind === 'use') for (const each of functions) target.mounted.add(each)
}

const createFunction = (name: FunctionName, isInRoute: boolean, answered: Map<unknown, string>): unknown => {
  if (name === 'pass on') return passOn
  if (name === 'fail') return fail
  if (name === 'continue') return continueAfterError
  if (name !== 'respond') return guards[name]
  const respond: RequestHandler = (req, res) => {
    // Without a path, or at `/`, a mounted function is no route.
    if (isInRoute || /[^/]/.test(req.baseUrl)) answered.set(respond, req.originalUrl)
    res.end()
  }
  return respond
}

/** Starts a server, and returns a function that sends a request for each URL to an application. */
const listen = async () => {
  let app: RequestListener = () => {}
  const server = createServer((req, res) => app(req, res)).listen(0, '127.0.0.1')
  // Node adds listeners for each request of a pipeline.
  server.on('connection', (socket) => socket.setMaxListeners(0))
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = Object(server.address())
  const messages = urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: a\r\n\r\n`).join('')
  const request = async (next: RequestListener): Promise<void> => {
    app = next
    const socket = connect(port, '127.0.0.1')
    socket.write(messages)
    let received = ''
    for await (const chunk of socket.setEncoding('utf8')) {
      received += chunk
      if (received.split('HTTP/1.1 ').length > urls.length) break
    }
  }
  return { request }
}
