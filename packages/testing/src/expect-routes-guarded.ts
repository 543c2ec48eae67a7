import { AssertionError } from 'node:assert'
import { checkOptionNames, optionError } from '@jwt-auth/core/internal'
import { type AuditedRoute, auditRoutes } from './audit-routes.js'

/** Which routes need no guard. */
export interface ExpectedRoutes {
  /**
   * The routes that are not guarded on purpose, as method and path, such as `GET /health`. @default
   * []
   */
  readonly except?: readonly string[] | undefined
}

/**
 * Checks that a guard stands before every route of an application of Express 4 or 5: see
 * {@link auditRoutes}. A route with an optional guard is an exception too.
 *
 * @throws an `AssertionError` with a table of the routes that are not guarded, and of the
 * exceptions that no route needs; without routes, because nothing was checked then
 * @example
 * ```ts
 * it('guards every route', () => expectRoutesGuarded(app, { except: ['GET /health'] }))
 * ```
 */
export const expectRoutesGuarded = (app: object, options: ExpectedRoutes = {}): void => {
  const { except = [] } = checkOptionNames(options, { except: true }, 'expectRoutesGuarded')
  if (!Array.isArray(except)) throw optionError('expectRoutesGuarded.except', 'a list of routes', except)
  const routes = auditRoutes(app)
  if (routes.length === 0) throw failure('the application has no routes')
  const open = routes.filter(({ access }) => access !== 'guarded')
  const unexpected = open.filter((route) => !except.includes(nameRoute(route)))
  const needless = except.filter((name) => !open.map(nameRoute).includes(name))
  const rows = [
    ...unexpected.map((route) => [route.access, nameRoute(route), route.reason ?? '']),
    ...needless.map((name) => ['needless', name, 'is guarded or does not exist']),
  ]
  if (rows.length > 0) throw failure('the routes without a guard differ from the option `except`', rows)
}

/** Returns the method and the path of a route, as exceptions name it. */
export const nameRoute = ({ method, path }: Pick<AuditedRoute, 'method' | 'path'>): string => `${method} ${path}`

/** Creates the error that fails a test in every test runner. */
export const failure = (message: string, rows: readonly (readonly string[])[] = []): AssertionError => {
  const lines = rows.map((cells) => `\n  ${cells.filter(Boolean).join('  ')}`)
  return new AssertionError({ message: `jwt-auth: ${message}${rows.length > 0 ? `:\n${lines.join('')}` : ''}` })
}
