import { MIMEType } from 'node:util'
import { AuthError } from '../errors/auth-error.js'
import { toFormParameters } from './form-parameters.js'
import type { WireBody } from './request.js'

/** The longest body that is read, in bytes. */
export const longestBody = 16 * 1024

/** The members of a request body: unknown values under unknown names. */
export type Parameters = Readonly<Record<string, unknown>>

/**
 * Reads a request body into its members. No body at all is an empty object: what is missing is then said by name. Throws
 * `jwt_auth_unsupported_media_type`, `jwt_auth_payload_too_large`, or `jwt_auth_invalid_request` for what is no JSON object.
 */
export const readBody = async (
  body: WireBody,
  { formBodies }: { readonly formBodies: boolean },
): Promise<Parameters> => {
  if (!body.isPresent) return {}
  const parse = chooseParser(body.contentType, formBodies)
  if (parse === undefined || isEncoded(body)) throw new AuthError('jwt_auth_unsupported_media_type')
  if ((body.length ?? measure(body.parsed)) > longestBody) throw new AuthError('jwt_auth_payload_too_large')
  return toParameters(body.parsed === undefined ? await readAndParse(body, parse) : reparse(body.parsed, parse))
}

// A parser before us may have undone it; we undo none (RFC 9110, section 15.5.16).
const isEncoded = ({ contentEncoding, parsed }: WireBody): boolean =>
  parsed === undefined && contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity'

type Parse = (text: string) => unknown

const chooseParser = (contentType: string | undefined, formBodies: boolean): Parse | undefined => {
  const mediaType = readMediaType(contentType)
  if (mediaType === 'application/json') return parseJson
  return formBodies && mediaType === 'application/x-www-form-urlencoded' ? parseForm : undefined
}

/** The media type in lower case; `undefined` when it can't be read, or is in another charset than UTF-8. */
const readMediaType = (contentType: string | undefined): string | undefined => {
  try {
    const { essence, params } = new MIMEType(contentType ?? '')
    const charset = params.get('charset')?.toLowerCase() ?? 'utf-8'
    return charset === 'utf-8' || charset === 'utf8' ? essence : undefined
  } catch {
    return undefined
  }
}

const readAndParse = async (body: WireBody, parse: Parse): Promise<unknown> => {
  const bytes = await body.read(longestBody)
  if (bytes === 'too-large') throw new AuthError('jwt_auth_payload_too_large')
  return bytes.length === 0 ? {} : parse(decode(bytes))
}

// A body that came in chunks and was parsed before us: what is left of it stands for its length, in bytes.
const measure = (parsed: unknown): number => {
  if (parsed === undefined) return 0
  if (parsed instanceof Uint8Array) return parsed.length
  return typeof parsed === 'string' ? Buffer.byteLength(parsed) : measureJson(parsed)
}

// JSON is parsed at any depth, but written by recursion: what is too deep for the stack was longer than the limit.
const measureJson = (parsed: unknown): number => {
  try {
    return Buffer.byteLength(JSON.stringify(parsed))
  } catch (error) {
    if (error instanceof RangeError) return Number.POSITIVE_INFINITY
    throw error
  }
}

// The host's own parser may have left an object, or (express.text, express.raw) what it read.
const reparse = (parsed: unknown, parse: Parse): unknown => {
  if (typeof parsed === 'string') return parse(parsed)
  return parsed instanceof Uint8Array ? parse(decode(parsed)) : parsed
}

const decoder = new TextDecoder('utf-8', { fatal: true })

const decode = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes)
  } catch {
    throw invalidBody()
  }
}

const parseJson: Parse = (text) => {
  try {
    return JSON.parse(text)
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
