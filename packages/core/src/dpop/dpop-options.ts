import type { TokenScheme } from '../errors/auth-error.js'
import { invalidOption, optionError, readBoolean, readOptions } from '../option-checks.js'

/** Binds sessions to a key of their client (DPoP, RFC 9449). */
export interface DpopOptions {
  /**
   * What the client needs its key for. With `refresh-tokens`, each refresh of a bound session needs
   * a proof, and access tokens are bearer tokens. With `all-tokens`, each request with an access
   * token of a bound session needs a proof too.
   */
  readonly bind: 'refresh-tokens' | 'all-tokens'
  /**
   * Whether a login without a proof, and `sessions.create` without a thumbprint, are refused.
   * Unbound sessions from before continue until they end.
   * @default false: such a login opens a session that is not bound
   */
  readonly required?: boolean | undefined
  /**
   * The URLs of the root of this service as clients see it. Set them behind a proxy that removes a
   * prefix of the path, or if clients use other hosts than that of `issuer`.
   * @default the origin of `issuer`
   * @example
   * ```ts
   * ['https://api.example.com', 'https://example.com/api'] // The proxy removes `/api`.
   * ```
   */
  readonly publicUrls?: readonly string[] | undefined
}

/**
 * Reads the option `dpop`.
 *
 * @throws TypeError that names the option
 */
export const readDpop = (dpop: DpopOptions | undefined, issuer: string) => {
  if (dpop === undefined) return undefined
  const readers = { bind: readBind, required: readBoolean, publicUrls: readPublicUrls }
  const { bind, required, publicUrls } = readOptions('`dpop`', dpop, readers, { prefix: 'dpop.' })
  const bindsAccessTokens = bind === 'all-tokens'
  return Object.freeze({
    /** Whether access tokens of bound sessions are bound too. */
    bindsAccessTokens,
    /** The schemes of access tokens, for challenges. */
    schemes: toSchemes(bindsAccessTokens, required),
    /** Whether each new session is bound. */
    isRequired: required,
    /** The public URLs, normalized and without a slash at the end. */
    publicUrls: publicUrls ?? [readOrigin(issuer)],
  })
}

/** The option `dpop` with every default applied. */
export type DpopPolicy = NonNullable<ReturnType<typeof readDpop>>

const readBind = (name: string, bind: DpopOptions['bind']): DpopOptions['bind'] => {
  if (bind === 'refresh-tokens' || bind === 'all-tokens') return bind
  throw optionError(name, "'refresh-tokens' or 'all-tokens'", bind)
}

const toSchemes = (bindsAccessTokens: boolean, isRequired: boolean): readonly TokenScheme[] => {
  if (!bindsAccessTokens) return ['Bearer']
  return isRequired ? ['DPoP'] : ['Bearer', 'DPoP']
}

const readOrigin = (issuer: string): string => {
  const origin = isHttpUrl(issuer) ? new URL(issuer).origin : undefined
  if (origin !== undefined) return origin
  throw invalidOption('dpop.publicUrls', 'is required, because `issuer` is no URL', 'set the URLs that clients use.')
}

const readPublicUrls = (name: string, publicUrls: unknown): readonly string[] | undefined => {
  if (publicUrls === undefined) return undefined
  const expected = 'a list of URLs such as "https://api.example.com", without a query'
  if (!Array.isArray(publicUrls) || publicUrls.length === 0) throw optionError(name, expected, publicUrls)
  return publicUrls.map((url: unknown, position) => {
    if (!isHttpUrl(url)) throw optionError(`${name}[${position}]`, expected, url)
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname.replace(/\/+$/, '')}`
  })
}

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:\/\/[^?#@]+$/i.test(value)
