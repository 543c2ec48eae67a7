import type { RawAnswer } from './exchange.js'
import { fuzzUser, hostAnswer } from './fuzz-host.js'
import { marker } from './fuzzed-body.js'
import type { FuzzedRequest, WrittenRequest } from './fuzzed-request.js'

/** An error as docs/http-api.md writes it: status, message, and the challenge of a 401. */
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

// What a client can bring about while storage is well: nothing at or above 500.
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

/** What is wrong with an answer by the contract; `undefined` when nothing is. */
export const judgeAnswer = (
  answer: RawAnswer | undefined,
  request: FuzzedRequest,
  written: WrittenRequest,
): string | undefined => {
  if (answer === undefined) return mayEndInSilence(request) ? undefined : 'the connection ended without an answer'
  if (answer.status >= 500) return `the answer is ${answer.status}`
  if (JSON.stringify(answer).toLowerCase().includes(marker)) return 'the answer repeats the request'
  if (isRefusalOfNode(answer) || isOfHost(answer)) return undefined
  if (answer.status === 200) return judgeSuccess(answer, request, written)
  return judgeFailure(answer, request)
}

// Node has nobody to hand CONNECT to, and a request that never ends may find its sender gone.
const mayEndInSilence = ({ method, framing }: FuzzedRequest): boolean =>
  method === 'CONNECT' || framing === 'too short' || framing === 'both'

/** Node's own parser answers what is no HTTP before anybody else sees it: with no body, or with one of no chunks. */
const isRefusalOfNode = ({ status, headers, body }: RawAnswer): boolean =>
  [400, 408, 413, 417, 431].includes(status) &&
  ['', '0\r\n\r\n'].includes(body) &&
  readHeader(headers, 'content-type') === undefined

const isOfHost = ({ status, headers, body }: RawAnswer): boolean =>
  status === 200 &&
  (body === hostAnswer || (body === '' && readHeader(headers, 'x-content-type-options') === undefined))

const judgeSuccess = (
  { headers, body }: RawAnswer,
  { method, target }: FuzzedRequest,
  { mayPassGuard, mayRevoke, mayGetTokens }: WrittenRequest,
): string | undefined => {
  if (method === 'HEAD') return mayPassGuard ? undefined : 'somebody was let in'
  const given = readJson(body)
  const isTokens = typeof given['refresh_token'] === 'string'
  const isRevocation = given['code'] === 'jwt_auth_token_revoked'
  const isEntitled = isTokens ? mayGetTokens : isRevocation ? mayRevoke : mayPassGuard
  if (!isEntitled) return `somebody was let in: ${Object.keys(given).join()}`
  if (isTokens && !isAsAll(headers)) return 'tokens without the headers of all answers'
  const isNamed = 'user_id' in given
  if (isNamed && given['user_id'] !== fuzzUser.id) return 'somebody was let in as somebody else'
  return isNamed || /^jwt_auth_(valid_token|token_revoked)$/.test(String(given['code']))
    ? undefined
    : `no answer to ${target}`
}

const judgeFailure = ({ status, headers, body }: RawAnswer, { method }: FuzzedRequest): string | undefined => {
  if (!isAsAll(headers)) return `${status} without the headers of all answers`
  const challenge = readHeader(headers, 'www-authenticate')
  if (method === 'HEAD') return body === '' ? undefined : 'a body to HEAD'
  const { code, message, data, ...others } = readJson(body)
  const failure = failures[String(code)]
  if (failure === undefined || Object.keys(others).length > 0) return `${status} is no error of the contract: ${body}`
  const { status: told, params, ...more } = isObject(data) ? data : {}
  if (status !== failure.status || told !== status)
    return `${String(code)} with the status ${status}, told as ${String(told)}`
  if (!failure.message.test(String(message))) return `${String(code)} with another message: ${String(message)}`
  if (Object.keys(more).length > 0 || !isListOfNames(params, String(message)))
    return `${String(code)} with other data: ${body}`
  if (challenge !== failure.challenge) return `${String(code)} with the challenge ${challenge}`
  return (readHeader(headers, 'allow') !== undefined) === (status === 405)
    ? undefined
    : `${status} and Allow do not go together`
}

const isListOfNames = (params: unknown, message: string): boolean =>
  Array.isArray(params)
    ? message.endsWith(`parameter(s): ${params.join(', ')}`)
    : params === undefined && !message.includes('parameter')

const isAsAll = (headers: RawAnswer['headers']): boolean =>
  readHeader(headers, 'etag') === undefined &&
  Object.entries(headersOfAll).every(([name, value]) => readHeader(headers, name) === value)

/** A header's value; several of one name are none of ours. */
const readHeader = (headers: RawAnswer['headers'], wanted: string): string | undefined => {
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
