import type { RawResponse } from './exchange.js'
import { fuzzUser, hostResponse } from './fuzz-host.js'
import { type FuzzedRequest, marker, type WrittenRequest } from './fuzzed-request.js'

/** An error response in docs/http-api.md: its status, message, and the challenge of a 401. */
interface Failure {
  readonly status: number
  readonly message: RegExp
  readonly challenge?: string
}

const plain = 'Bearer realm="jwt-auth"'
const invalid = `${plain}, error="invalid_token"`
const badRequest =
  /^(Invalid JSON body\.|(Missing|Invalid) parameter\(s\): (username(, password)?|password|refresh_token))$/
const badToken = /^(Invalid token\.|Expired token|Signature verification failed)$/

// The errors that a client can cause while storage works. None of them has a status of 500 or more.
const failures: Readonly<Record<string, Failure>> = {
  jwt_auth_invalid_request: { status: 400, message: badRequest },
  jwt_auth_no_auth_header: { status: 401, message: /^Authorization header not found\.$/, challenge: plain },
  jwt_auth_bad_auth_header: { status: 401, message: /^Authorization header malformed\.$/, challenge: invalid },
  jwt_auth_invalid_token: { status: 401, message: badToken, challenge: invalid },
  jwt_auth_failed: { status: 403, message: /^Invalid credentials\.$/ },
  jwt_auth_invalid_refresh_token: { status: 403, message: /^Invalid refresh token\.$/ },
  jwt_auth_token_already_revoked: { status: 403, message: /^Token already revoked$/ },
  jwt_auth_no_route: { status: 404, message: /^No route was found matching the URL\.$/ },
  jwt_auth_token_not_found: { status: 404, message: /^Token not found$/ },
  jwt_auth_method_not_allowed: { status: 405, message: /^Method not allowed\.$/ },
  jwt_auth_payload_too_large: { status: 413, message: /^Request body too large\.$/ },
  jwt_auth_unsupported_media_type: { status: 415, message: /^Unsupported media type\. Send application\/json\.$/ },
}

const headersOfAll = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
}

/** Returns how a response breaks the contract. Returns `undefined` when it does not. */
export const judgeResponse = (
  response: RawResponse | undefined,
  request: FuzzedRequest,
  written: WrittenRequest,
): string | undefined => {
  // Node closes connections with CONNECT.
  if (response === undefined)
    return request.method === 'CONNECT' ? undefined : 'the connection ended without a response'
  if (response.status >= 500) return `the status is ${response.status}`
  if (JSON.stringify(response).toLowerCase().includes(marker)) return 'the response repeats a part of the request'
  if (isRefusalOfNode(response) || isOfHost(response)) return undefined
  if (response.status === 200) return judgeSuccess(response, request, written)
  return judgeFailure(response, request)
}

// Node's parser refuses invalid HTTP itself, without a body or with an empty chunked body.
const isRefusalOfNode = ({ status, headers, body }: RawResponse): boolean =>
  [400, 408, 413, 417, 431].includes(status) &&
  ['', '0\r\n\r\n'].includes(body) &&
  readHeader(headers, 'content-type') === undefined

const isOfHost = ({ status, headers, body }: RawResponse): boolean =>
  status === 200 &&
  (body === hostResponse || (body === '' && readHeader(headers, 'x-content-type-options') === undefined))

const judgeSuccess = (
  { headers, body }: RawResponse,
  { method, target }: FuzzedRequest,
  { mayPassGuard, mayGetTokens }: WrittenRequest,
): string | undefined => {
  if (method === 'HEAD') return mayPassGuard ? undefined : 'the request was authenticated'
  const given = readJson(body)
  const isTokens = typeof given['refresh_token'] === 'string'
  if (!(isTokens ? mayGetTokens : mayPassGuard)) return `the request was authenticated: ${Object.keys(given).join()}`
  if (isTokens && !isAsAll(headers)) return 'tokens without the headers that every response must have'
  const isNamed = 'user_id' in given
  if (isNamed && given['user_id'] !== fuzzUser.id) return 'the request was authenticated as another user'
  return isNamed || /^jwt_auth_(valid_token|token_revoked)$/.test(String(given['code']))
    ? undefined
    : `an unexpected response to ${target}`
}

const judgeFailure = ({ status, headers, body }: RawResponse, { method }: FuzzedRequest): string | undefined => {
  if (!isAsAll(headers)) return `${status} without the headers that every response must have`
  const challenge = readHeader(headers, 'www-authenticate')
  if (method === 'HEAD') return body === '' ? undefined : 'a body in the response to HEAD'
  const { code, message, data, ...others } = readJson(body)
  const failure = failures[String(code)]
  if (failure === undefined || Object.keys(others).length > 0) return `${status} is not in the contract: ${body}`
  const { status: inBody, params, ...more } = isObject(data) ? data : {}
  if (status !== failure.status || inBody !== status)
    return `${String(code)} with the status ${status}, and ${String(inBody)} in the body`
  if (!failure.message.test(String(message))) return `${String(code)} with another message: ${String(message)}`
  if (Object.keys(more).length > 0 || !isListOfNames(params, String(message)))
    return `${String(code)} with other data: ${body}`
  if (challenge !== failure.challenge) return `${String(code)} with the challenge ${challenge}`
  return (readHeader(headers, 'allow') !== undefined) === (status === 405)
    ? undefined
    : `${status}, but a response has the header Allow exactly if its status is 405`
}

const isListOfNames = (params: unknown, message: string): boolean =>
  Array.isArray(params)
    ? message.endsWith(`parameter(s): ${params.join(', ')}`)
    : params === undefined && !message.includes('parameter')

const isAsAll = (headers: RawResponse['headers']): boolean =>
  readHeader(headers, 'etag') === undefined &&
  Object.entries(headersOfAll).every(([name, value]) => readHeader(headers, name) === value)

/** Returns the value of a header. The service never sends two headers of one name. */
const readHeader = (headers: RawResponse['headers'], wanted: string): string | undefined => {
  const values = headers.filter(([name]) => name === wanted).map(([, value]) => value)
  return values.length > 1 ? values.join(' and ') : values[0]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const readJson = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
