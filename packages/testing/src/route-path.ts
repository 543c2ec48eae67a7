/**
 * What a part of a path matches: itself (`text`) or any part (`parameter`). An `opaque` part has a
 * syntax that is not read here, such as a wildcard. A `hidden` part is a whole path that is not
 * read here, such as a regular expression, or that Express does not show.
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
  /** Whether a second slash may follow, which is not part of the rest of the path. */
  readonly isLoose: boolean
}

/** A path, as the parts between its slashes. `/` has none. */
export type RoutePath = readonly PathPart[]

/**
 * Parses what the application passed as a path: text, or a regular expression. `undefined` is a
 * path that Express does not show.
 */
export const parsePath = (path: unknown, isCaseSensitive: boolean, hasLooseEnd: boolean): RoutePath => {
  const toKey = (text: string): string => (isCaseSensitive ? text : `${text.toLowerCase()}/i`)
  if (typeof path === 'string' && isRegular(path)) {
    const texts = path.split('/').filter((text) => text !== '')
    const isLoose = (position: number): boolean => hasLooseEnd && position === texts.length - 1
    return texts.map((text, position) => ({ text, key: toKey(text), kind: toKind(text), isLoose: isLoose(position) }))
  }
  const text = path === undefined ? '…' : String(path).replace(/^\//, '')
  return [{ text, key: text, kind: 'hidden', isLoose: false }]
}

/**
 * Returns whether the slashes separate the parts of a path. Express compares `a` and `//a`
 * literally with the start of a URL. In Express 4, `/a/:b?c`, `/a/?b`, `/a/{0}b` and `/a/c|b` match
 * `/ab`.
 */
const isRegular = (path: string): boolean =>
  /^(\/[^/]+)*\/?$/.test(path) && !/[\\[|]|\{\d|\?[^/]/.test(path.replaceAll(/\([^()]*\)/g, ''))

const toKind = (text: string): PartKind => {
  if (/^[\w.~%@-]+$/.test(text)) return 'text'
  return /^:\w+$/.test(text) ? 'parameter' : 'opaque'
}

/** Writes a path as the application would. */
export const formatPath = (path: RoutePath): string => `/${path.map(({ text }) => text).join('/')}`

/**
 * Whether every URL of a route is below a mount path, or some are not (`elsewhere`). `unclear` if
 * the paths do not tell.
 */
export type Comparison = 'below' | 'elsewhere' | 'unclear'

/** Compares the path of a route with a mount path. */
export const compareToMount = (route: RoutePath, mount: RoutePath): Comparison => {
  const comparisons = mount.map((part, position) => compareParts(route[position], part))
  // The URL `/a//b` reaches the route `/b` of a router at `/a`, and no function at `/a/b`.
  const isLoose = mount.slice(0, -1).some((part, position) => part !== route[position] && route[position]?.isLoose)
  return comparisons.find((comparison) => comparison !== 'below') ?? (isLoose ? 'unclear' : 'below')
}

/** Returns whether no URL is below both paths, because their texts differ at one place. */
export const areDisjoint = (one: RoutePath, other: RoutePath): boolean =>
  one.some((part, position) => {
    const counterpart = other[position]
    return part.kind === 'text' && counterpart?.kind === 'text' && part.key !== counterpart.key
  })

const compareParts = (part: PathPart | undefined, mount: PathPart): Comparison => {
  // The same object: both are in the router that is mounted there.
  if (part === mount) return 'below'
  if (mount.kind === 'hidden' || part?.kind === 'hidden') return 'unclear'
  if (part?.key === mount.key) return 'below'
  if (mount.kind === 'opaque' || part?.kind === 'opaque') return 'unclear'
  return part !== undefined && mount.kind === 'parameter' ? 'below' : 'elsewhere'
}
