import { AssertionError } from 'node:assert'
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
export const expectRoutesGuarded = (app: object, { except = [] }: ExpectedRoutes = {}): void => {
  const routes = auditRoutes(app)
  if (routes.length === 0) throw failure('the application has no routes', [])
  const open = routes.filter(({ access }) => access !== 'guarded')
  const unexpected = open
    .filter((route) => !except.includes(nameRoute(route)))
    .map((route) => [route.access, nameRoute(route), route.reason ?? ''])
  if (unexpected.length > 0) throw failure('routes without a guard before their handler', unexpected)
  const needless = except.filter((name) => !open.some((route) => nameRoute(route) === name)).map((name) => [name])
  if (needless.length > 0) throw failure('exceptions for routes that are guarded or do not exist', needless)
}

/** Returns the method and the path of a route, as exceptions name it. */
export const nameRoute = ({ method, path }: Pick<AuditedRoute, 'method' | 'path'>): string => `${method} ${path}`

/** Creates the error that fails a test in every test runner. */
export const failure = (message: string, rows: readonly (readonly string[])[]): AssertionError =>
  new AssertionError({
    message: [`jwt-auth: ${message}`, ...(rows.length > 0 ? [formatTable(rows)] : [])].join(':\n\n'),
  })

/** Formats rows as a table: all cells of a column are as wide as the widest. */
const formatTable = (rows: readonly (readonly string[])[]): string => {
  const widthOf = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0))
  return rows
    .map((row) => `  ${row.map((cell, column) => cell.padEnd(widthOf(column))).join('  ')}`.trimEnd())
    .join('\n')
}
