import type { AuthErrorCode } from '@jwt-auth/core'
import { errorTable, listRoutes, type Route } from '@jwt-auth/core/internal'
import type { JwtAuth } from './jwt-auth.js'
import { type HttpOptions, readHttpOptions } from './options.js'

/** What a document says besides the routes. */
interface OpenApiOptions {
  /**
   * The URLs to which the paths are appended: where the application mounts the middleware, such as
   * `https://api.example.com`. @default `['/']`, the root of the site that serves the document
   */
  readonly servers?: readonly string[] | undefined
}

/** A JSON object in an OpenAPI document. */
type OpenApiObject = Readonly<Record<string, unknown>>

/** An OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1). */
export interface OpenApiDocument {
  /** The version of OpenAPI. */
  readonly openapi: '3.1.1'
  /** The title, the version of the routes and the licence. */
  readonly info: OpenApiObject
  /** Where the application mounts the middleware. */
  readonly servers: readonly OpenApiObject[]
  /** The group of the operations. */
  readonly tags: readonly OpenApiObject[]
  /** The operations, by path and method. */
  readonly paths: Readonly<Record<string, OpenApiObject>>
  /** The bodies, the response `Unauthorized` and the security schemes. */
  readonly components: Readonly<Record<'schemas' | 'responses' | 'securitySchemes', OpenApiObject>>
}

/**
 * Returns the OpenAPI 3.1 document of the routes of a service, with its namespace, its errors and,
 * if it has the option `cookies`, its cookie. Merge your own paths into it. For your guarded
 * routes, the document has the security scheme `bearerAuth` and the response `Unauthorized`.
 *
 * @throws TypeError if `auth` was not created by `jwtAuth`
 * @example
 * ```ts
 * const document = openApiDocument(auth, { servers: ['https://api.example.com'] })
 * app.get('/openapi.json', (req, res) => res.json(document))
 * ```
 */
export const openApiDocument = (
  auth: Pick<JwtAuth, 'jwks' | 'close'>,
  { servers = ['/'] }: OpenApiOptions = {},
): OpenApiDocument => {
  const http = readHttpOptions(auth)
  const bindsAccessTokens = http.dpop?.bindsAccessTokens === true
  return {
    openapi: '3.1.1',
    info: {
      title: 'Token authentication',
      version: '1.0.0',
      description: 'Exchanges passwords for tokens, and refreshes, validates and revokes tokens.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: servers.map((url) => ({ url })),
    tags: [tag],
    paths: Object.fromEntries(
      listRoutes(http).flatMap((route) =>
        route.paths.map((path) => [
          `${http.namespace}${path}`,
          { [route.method.toLowerCase()]: toOperation(route, path, http) },
        ]),
      ),
    ),
    components: {
      schemas: createSchemas(http),
      responses: {
        Unauthorized: toErrorResponse(401, [...tokenErrors, ...(bindsAccessTokens ? proofErrors : [])]),
      },
      securitySchemes: {
        bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...(bindsAccessTokens && { dpopAuth: { type: 'http', scheme: 'dpop', bearerFormat: 'JWT' } }),
        ...(http.cookies && { refreshCookie: { type: 'apiKey', in: 'cookie', name: http.cookies.name } }),
      },
    },
  }
}

const tag = { name: 'Authentication', description: 'Tokens and the current user.' }

const failures = ['jwt_auth_rate_limited', 'jwt_auth_internal_error', 'jwt_auth_unavailable'] as const
const bodyErrors = [
  'jwt_auth_invalid_request',
  'jwt_auth_payload_too_large',
  'jwt_auth_unsupported_media_type',
] as const
const tokenErrors = ['jwt_auth_no_auth_header', 'jwt_auth_bad_auth_header', 'jwt_auth_invalid_token'] as const

const proofErrors = ['jwt_auth_invalid_dpop_proof', 'jwt_auth_use_dpop_nonce'] as const

const cookieErrors = ['jwt_auth_untrusted_origin', 'jwt_auth_invalid_request'] as const

const toOperation = (route: Route, path: string, { cookies, formBodies, dpop }: HttpOptions): OpenApiObject => {
  const { name, summary, body, result, errors = [] } = route
  const cookie = cookies && route.cookie
  const hasProof = body === undefined ? dpop?.bindsAccessTokens === true : dpop !== undefined
  const codes = new Set<AuthErrorCode>([
    ...(body === undefined ? tokenErrors : bodyErrors),
    ...errors,
    ...failures,
    ...(cookie ? cookieErrors : []),
    ...(hasProof ? proofErrors : []),
  ])
  const parameters = [
    ...(path.endsWith('/{id}') ? [idParameter] : []),
    ...(cookie ? [transportParameter] : []),
    ...(hasProof ? [proofParameter] : []),
  ]
  // The specification names the operations by their paths below `/token`.
  const isAlias = path !== route.paths[0]
  const bearer = [{ bearerAuth: [] }, ...(hasProof ? [{ dpopAuth: [] }] : [])]
  const statuses = new Set(Array.from(codes, (code) => errorTable[code].status).toSorted())
  return {
    operationId: isAlias ? `${name}Alias` : name,
    summary,
    tags: [tag.name],
    ...(isAlias && { deprecated: true }),
    security: body === undefined ? bearer : cookie === 'reads' ? [{}, { refreshCookie: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: toRequestBody(body, formBodies, cookie === 'reads') }),
    responses: {
      ...(result === undefined ? { 204: ended } : { 200: toSuccess(result, cookie !== undefined) }),
      ...Object.fromEntries(
        Array.from(statuses, (status) => [
          status,
          // The codes of a 401 are the same on all routes with an access token.
          status === 401 && body === undefined
            ? { $ref: '#/components/responses/Unauthorized' }
            : toErrorResponse(status, [...codes]),
        ]),
      ),
    },
  }
}

const text = { type: 'string' }

const transportParameter = {
  name: 'X-JWT-Auth-Transport',
  in: 'header',
  description: 'Keeps the refresh token in a cookie and out of bodies. Only pages of trusted origins may send it.',
  schema: { const: 'cookie' },
}

const proofParameter = {
  name: 'DPoP',
  in: 'header',
  description: 'The proof of the key that the session is bound to (RFC 9449).',
  schema: text,
}

const idParameter = { name: 'id', in: 'path', required: true, schema: text }

const toRequestBody = (names: readonly string[], formBodies: boolean, isOptional: boolean): OpenApiObject => {
  const properties = Object.fromEntries(names.map((name) => [name, { ...text, minLength: 1, maxLength: 4096 }]))
  const media = { schema: { type: 'object', properties, ...(!isOptional && { required: names }) } }
  const content = { 'application/json': media, ...(formBodies && { 'application/x-www-form-urlencoded': media }) }
  return { required: !isOptional, content }
}

const toSuccess = (result: string, setsCookie: boolean): OpenApiObject => ({
  description: 'Success.',
  headers: {
    ...ended.headers,
    ...(setsCookie && {
      'Set-Cookie': { description: 'The refresh token, if the request asks for a cookie.', schema: text },
    }),
  },
  content: toJson({ $ref: `#/components/schemas/${result}` }),
})

const ended = { description: 'The session has ended.', headers: { 'Cache-Control': { schema: { const: 'no-store' } } } }

const toErrorResponse = (status: number, all: readonly AuthErrorCode[]): OpenApiObject => {
  const codes = all.filter((code) => errorTable[code].status === status)
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join('\n\n'),
    ...errorHeaders[status],
    content: toJson({
      allOf: [
        { $ref: '#/components/schemas/Error' },
        { properties: { code: { enum: codes }, data: { properties: { status: { const: status } } } } },
      ],
    }),
  }
}

const toHeader = (name: string, pattern: string): OpenApiObject => ({
  headers: { [name]: { required: true, schema: { ...text, pattern } } },
})

const errorHeaders: Readonly<Record<number, OpenApiObject>> = {
  401: toHeader('WWW-Authenticate', '^(Bearer|DPoP) realm="'),
  429: toHeader('Retry-After', '^[0-9]+$'),
  503: toHeader('Retry-After', '^[0-9]+$'),
}

const toJson = (schema: OpenApiObject): OpenApiObject => ({ 'application/json': { schema } })

const toObject = (properties: OpenApiObject, optional: readonly string[] = [], isOpen = false): OpenApiObject => ({
  type: 'object',
  properties,
  ...(isOpen && { additionalProperties: { description: 'Members that the application adds.' } }),
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
})

const userId = { type: ['integer', 'string'] }
const userFields = { user_id: userId, user_email: text, user_nicename: text, user_display_name: text }
const instant = { ...text, format: 'date-time' }
const textOrNull = { type: ['string', 'null'] }

const createSchemas = ({ cookies, dpop, hasProfile, sessionRoutes }: HttpOptions): OpenApiObject => ({
  AuthenticationResult: toObject(
    {
      token: text,
      ...userFields,
      refresh_token: text,
      access_token: { ...text, description: 'The same as `token`.' },
      token_type: dpop?.bindsAccessTokens ? { enum: ['Bearer', 'DPoP'] } : { const: 'Bearer' },
      expires_in: { type: 'integer', description: 'The seconds until the access token expires.' },
    },
    // A response that sets the cookie has no `refresh_token`.
    cookies && ['refresh_token'],
    hasProfile,
  ),
  ValidToken: toObject({ code: { const: 'jwt_auth_valid_token' }, data: toObject({ status: { const: 200 } }) }),
  RevokedToken: toObject({
    code: { const: 'jwt_auth_token_revoked' },
    data: toObject({
      status: { const: 200 },
      revoked_at: {
        ...text,
        pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
        description: '`YYYY-MM-DD HH:MM:SS` in UTC.',
      },
    }),
  }),
  CurrentUser: toObject(
    {
      ...userFields,
      id: { ...userId, description: 'The same as `user_id`.' },
      email: { ...text, description: 'The same as `user_email`.' },
      slug: { ...text, description: 'The same as `user_nicename`.' },
      name: { ...text, description: 'The same as `user_display_name`.' },
      link: { ...text, description: 'May be empty.' },
    },
    [],
    hasProfile,
  ),
  Error: toObject({
    code: text,
    message: text,
    data: toObject(
      {
        status: { type: 'integer' },
        params: { type: 'array', items: text, description: 'The missing or invalid parameters.' },
        retry_after: { type: 'integer', description: 'The seconds to wait.' },
        max_age: { type: 'integer', description: 'The maximum age of the login, in seconds.' },
      },
      ['params', 'retry_after', 'max_age'],
    ),
  }),
  ...(sessionRoutes && { Sessions: toObject({ sessions: { type: 'array', items: session } }) }),
})

const session = toObject({
  id: text,
  current: { type: 'boolean', description: 'Whether it is the session of the access token.' },
  created_at: instant,
  last_used_at: instant,
  expires_at: instant,
  user_agent: { ...textOrNull, description: 'Of the login. Text that the client wrote: escape it.' },
  ip_address: { ...textOrNull, description: 'Of the login.' },
  last_user_agent: { ...textOrNull, description: 'Of the last login or refresh. Escape it.' },
  last_ip_address: { ...textOrNull, description: 'Of the last login or refresh.' },
  label: textOrNull,
  bound: { type: 'boolean', description: 'Whether the session is bound to a key of its client.' },
})
