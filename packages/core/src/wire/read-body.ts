import { types } from 'node:util'
import { AuthError } from '../errors/auth-error.js'
import { splitAtSemicolons } from './header-parts.js'
import type { Parameters, WireBody } from './request.js'

/** The longest body that is accepted, in bytes. */
const longestBody = 16 * 1024

/** The longest `Content-Type` that is accepted, in characters. */
const longestContentType = 256

/** The options that the reading of a body depends on. */
export interface BodyOptions {
  /** Whether `application/x-www-form-urlencoded` bodies are accepted. */
  readonly formBodies: boolean
}

/**
 * Reads the members of a request body. A missing body is an empty object, so that the error names
 * the missing members.
 *
 * @throws AuthError `jwt_auth_unsupported_media_type`, `jwt_auth_payload_too_large`, or
 *   `jwt_auth_invalid_request` if the body is not a JSON object
 */
export const readBody = async (body: WireBody, { formBodies }: BodyOptions): Promise<Parameters> => {
  if (!body.isPresent) return {}
  const parse = chooseParser(body.contentType, formBodies)
  if (parse === undefined || isEncoded(body)) throw new AuthError('jwt_auth_unsupported_media_type')
  if ((body.length ?? measure(body.parsed)) > longestBody) throw new AuthError('jwt_auth_payload_too_large')
  return toParameters(body.parsed === undefined ? await readAndParse(body, parse) : reparse(body.parsed, parse))
}

// An earlier parser may have decoded the body. This one decodes none (RFC 9110, section 15.5.16).
const isEncoded = ({ contentEncoding, parsed }: WireBody): boolean =>
  parsed === undefined && contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity'

type Parse = (text: string) => unknown

const chooseParser = (contentType: string | undefined, formBodies: boolean): Parse | undefined => {
  const mediaType = toMediaType(contentType)
  if (mediaType === 'application/json') return parseJson
  return formBodies && mediaType === 'application/x-www-form-urlencoded' ? parseForm : undefined
}

// In lower case. `undefined` if it is too long or has a charset other than UTF-8. Without Node's
// `MIMEType`: its time is quadratic in a run of spaces.
const toMediaType = (contentType = ''): string | undefined => {
  if (contentType.length > longestContentType) return undefined
  const [mediaType, ...parameters] = splitAtSemicolons(contentType.toLowerCase())
  return parameters.every(allowsUtf8) ? mediaType : undefined
}

const allowsUtf8 = (parameter: string): boolean =>
  !parameter.startsWith('charset=') || /^charset=("?)utf-?8\1$/.test(parameter)

const readAndParse = async (body: WireBody, parse: Parse): Promise<unknown> => {
  const bytes = await body.read(longestBody)
  if (bytes === 'too-large') throw new AuthError('jwt_auth_payload_too_large')
  return bytes.length === 0 ? {} : parse(decode(bytes))
}

// A chunked body that another parser has read has no `Content-Length`. Its length is measured from
// the parsed value, in bytes.
const measure = (parsed: unknown): number => {
  if (parsed === undefined) return 0
  if (types.isUint8Array(parsed)) return parsed.length
  return typeof parsed === 'string' ? Buffer.byteLength(parsed) : measureJson(parsed)
}

// JSON.parse accepts any depth, but JSON.stringify recurses. A body too deep for the stack was
// longer than the limit.
const measureJson = (parsed: unknown): number => {
  try {
    return Buffer.byteLength(JSON.stringify(parsed))
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

// The application's parser may have set an object, or (express.text, express.raw) the text or the
// bytes.
const reparse = (parsed: unknown, parse: Parse): unknown => {
  if (typeof parsed === 'string') return parse(parsed)
  return types.isUint8Array(parsed) ? parse(decode(parsed)) : parsed
}

const decoder = new TextDecoder('utf-8', { fatal: true })

const decode = (bytes: Uint8Array): string => orInvalid(() => decoder.decode(bytes))

const parseJson: Parse = (text) => orInvalid(() => JSON.parse(text))

const orInvalid = <T>(parse: () => T): T => {
  try {
    return parse()
  } catch {
    throw invalidBody()
  }
}

const parseForm: Parse = (text) => toFormParameters(new URLSearchParams(text))

const toParameters = (value: unknown): Parameters => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidBody()
  return Object.fromEntries(Object.entries(value))
}

const invalidBody = (): AuthError => new AuthError('jwt_auth_invalid_request')

/**
 * Collects the entries of a form in one pass. A repeated name becomes a list, which is not a
 * string: neither of the two values is preferred.
 */
export const toFormParameters = (
  entries: Iterable<readonly [name: string, value: string]>,
): Readonly<Record<string, string | readonly string[]>> => {
  const parameters = new Map<string, string | string[]>()
  for (const [name, value] of entries) {
    const earlier = parameters.get(name)
    if (earlier === undefined) parameters.set(name, value)
    else if (typeof earlier === 'string') parameters.set(name, [earlier, value])
    else earlier.push(value)
  }
  return Object.fromEntries(parameters)
}
