import { types } from 'node:util'
import { AuthError } from '../errors/auth-error.js'
import { splitAtSemicolons } from './header-parts.js'
import type { Parameters, WireBody } from './request.js'

/** The longest body that is accepted, in bytes. */
const longestBody = 16 * 1024

/** The longest `Content-Type` that is accepted, in characters. */
const longestContentType = 256

/**
 * Reads the members of a request body. A missing body is an empty object, so that the error names
 * the missing members.
 *
 * @throws AuthError `jwt_auth_unsupported_media_type`, `jwt_auth_payload_too_large`, or
 *   `jwt_auth_invalid_request` if the body is not a JSON object
 */
export const readBody = async (body: WireBody, formBodies: boolean): Promise<Parameters> => {
  if (!body.isPresent) return {}
  const { parsed, contentEncoding = 'identity' } = body
  const parse = findParser(body.contentType, formBodies)
  // An earlier parser may have decoded the body. This one decodes none (RFC 9110, section 15.5.16).
  const isEncoded = parsed === undefined && contentEncoding.toLowerCase() !== 'identity'
  if (parse === undefined || isEncoded) throw new AuthError('jwt_auth_unsupported_media_type')
  if ((body.length ?? measure(parsed)) > longestBody) throw new AuthError('jwt_auth_payload_too_large')
  const value = toValue(parsed === undefined ? await body.read(longestBody) : parsed, parse)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value))
  }
  throw new AuthError('jwt_auth_invalid_request')
}

type Parse = (text: string) => unknown

// Without Node's `MIMEType`: its time is quadratic in a run of spaces.
const findParser = (contentType = '', formBodies: boolean): Parse | undefined => {
  if (contentType.length > longestContentType) return undefined
  const [mediaType, ...parameters] = splitAtSemicolons(contentType.toLowerCase())
  const isUtf8 = parameters.every((one) => !one.startsWith('charset=') || /^charset=("?)utf-?8\1$/.test(one))
  if (!isUtf8) return undefined
  if (mediaType === 'application/json') return JSON.parse
  return formBodies && mediaType === 'application/x-www-form-urlencoded' ? parseForm : undefined
}

// A chunked body that another parser has read has no `Content-Length`. Its length is measured from
// the parsed value, in bytes.
const measure = (parsed: unknown): number => {
  if (parsed === undefined) return 0
  if (types.isUint8Array(parsed)) return parsed.length
  try {
    return Buffer.byteLength(typeof parsed === 'string' ? parsed : JSON.stringify(parsed))
  } catch (error) {
    // JSON.parse accepts any depth, but JSON.stringify recurses. A body too deep for the stack was
    // longer than the limit.
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

// The application's parser may have set an object, or (express.text, express.raw) the text or the
// bytes.
const toValue = (content: unknown, parse: Parse): unknown => {
  try {
    const text = types.isUint8Array(content) ? decoder.decode(content) : content
    if (typeof text !== 'string') return text
    return text === '' ? {} : parse(text)
  } catch {
    throw new AuthError('jwt_auth_invalid_request')
  }
}

/**
 * Reads the text of a form in one pass. The value of a repeated name is `false`, which is not a
 * string: neither of its values is preferred.
 */
export const parseForm = (text: string): Readonly<Record<string, string | false>> => {
  const parameters = new Map<string, string | false>()
  for (const [name, value] of new URLSearchParams(text)) parameters.set(name, !parameters.has(name) && value)
  return Object.fromEntries(parameters)
}
