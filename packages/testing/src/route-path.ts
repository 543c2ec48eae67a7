/**
 * What a part of a path matches: itself (`text`) or any part (`parameter`). An `opaque` part has a
 * syntax that is not read here, such as a wildcard. A `hidden` part is a regular expression, or a
 * mount path that Express does not show.
 */
type PartKind = 'text' | 'parameter' | 'opaque' | 'hidden'

/** A part of a path between two slashes. */
interface PathPart {
  /** As the application wrote it. */
  readonly text: string
  /**
   * The text as the router compares it. Differs between routers that ignore the case and those that
   * do not.
   */
  readonly key: string
  readonly kind: PartKind
}

/** A path, as the parts between its slashes. `/` has none. */
export type RoutePath = readonly PathPart[]

/**
 * Parses what the application passed as a path: text, or a regular expression. `undefined` is a
 * path that Express does not show.
 */
export const parsePath = (path: unknown, isCaseSensitive: boolean): RoutePath => {
  const toKey = (text: string): string => (isCaseSensitive ? text : `${text.toLowerCase()}/i`)
  if (typeof path === 'string') {
    const texts = path.split('/').filter((text) => text !== '')
    return texts.map((text) => ({ text, key: toKey(text), kind: toKind(text) }))
  }
  const text = path instanceof RegExp ? String(path).slice(1) : '…'
  return [{ text, key: text, kind: 'hidden' }]
}

const toKind = (text: string): PartKind => {
  if (/^[\w.~%@-]+$/.test(text)) return 'text'
  return /^:\w+$/.test(text) ? 'parameter' : 'opaque'
}

/** Writes a path as the application would. */
export const formatPath = (path: RoutePath): string => `/${path.map(({ text }) => text).join('/')}`

/** Returns whether a path equals another path or is below it, as they are written. */
export const isBelow = (path: RoutePath, other: RoutePath): boolean =>
  other.every(({ text, kind }, position) => path[position]?.text === text && kind !== 'hidden')

/**
 * Whether every URL of a route is below a mount path, or some are not (`elsewhere`). `unclear` if
 * the paths do not tell.
 */
export type Comparison = 'below' | 'elsewhere' | 'unclear'

/** Compares the path of a route with a mount path. */
export const compareToMount = (route: RoutePath, mount: RoutePath): Comparison =>
  mount.map((part, position) => compareParts(route[position], part)).find((comparison) => comparison !== 'below') ??
  'below'

const compareParts = (part: PathPart | undefined, mount: PathPart): Comparison => {
  // The same object: both are in the router that is mounted there.
  if (part === mount) return 'below'
  if (mount.kind === 'hidden' || part?.kind === 'hidden') return 'unclear'
  if (part?.key === mount.key) return 'below'
  if (mount.kind === 'opaque' || part?.kind === 'opaque') return 'unclear'
  return part !== undefined && mount.kind === 'parameter' ? 'below' : 'elsewhere'
}
