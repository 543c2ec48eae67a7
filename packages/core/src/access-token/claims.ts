import { isThumbprint } from '../keys/key.js'
import type { UserId } from '../ports/user-directory.js'
import { isRandomId } from '../session/session-record.js'
import { isUserId } from '../user-id.js'
import { createBareObject, isObject, type StrictObject } from './strict-json.js'

/**
 * The registered claims of an access token. Times are whole seconds since 1970 (RFC 7519, section
 * 2, NumericDate).
 */
export interface AccessTokenClaims<Id extends UserId = UserId> {
  /** The issuer: the option `issuer` when the token was issued. */
  readonly iss: string
  /** The id of the user, as text. */
  readonly sub: string
  /**
   * The audience: the option `audience`. Absent if the option is not set. A token of a later
   * version may have a list that contains it.
   */
  readonly aud?: string | readonly string[]
  /** When the token was issued. */
  readonly iat: number
  /** When the token becomes valid: when it was issued. */
  readonly nbf: number
  /** When the token expires. */
  readonly exp: number
  /** When the user logged in: when the session was opened. A refresh does not change it. */
  readonly auth_time: number
  /** The id of the token, unique for each token. */
  readonly jti: string
  /** The id of the session that the token belongs to. */
  readonly sid: string
  /**
   * The thumbprint of the key that a request with the token must prove to have (RFC 9449, section
   * 6.1). Absent if the token is a bearer token.
   */
  readonly cnf?: { readonly jkt: string }
  /**
   * The methods by which the user logged in, such as `['pwd', 'otp']` (RFC 8176): the attribute
   * `amr` of the session. Absent without the attribute.
   */
  readonly amr?: readonly string[]
  /**
   * The class of the login (OpenID Connect Core, section 2): the attribute `acr` of the session.
   */
  readonly acr?: string
  /**
   * Who acts as the user (RFC 8693, section 4.1): the attribute `act` of the session. Absent if the
   * user acts.
   */
  readonly act?: { readonly sub: string }
  /** The id of the user as a number or text, where existing clients of this API expect it. */
  readonly data: { readonly user: { readonly id: Id } }
}

/**
 * The type of a value that was written as JSON and read again: `Date` becomes `string`. Read-only
 * to the leaves.
 */
export type FromJson<T> = T extends { toJSON(): infer Written }
  ? FromJson<Written>
  : T extends object
    ? { readonly [Name in keyof T]: FromJson<T[Name]> }
    : T

/**
 * The user and the session of an access token. Deeply frozen. No object in it has inherited
 * members. `Id` is the type of your user ids, and `C` is what your option `claims` returns.
 */
export interface Auth<Id extends UserId = UserId, C extends object = object> {
  /** The id of the user, with its type. */
  readonly userId: Id
  /** The id of the session. */
  readonly sessionId: string
  /**
   * All claims of the token. A token that was issued before you changed the option `claims` has the
   * claims of that time until it expires.
   */
  readonly claims: AccessTokenClaims<Id> & FromJson<C>
}

/**
 * Returns the user and the session of checked claims. Every request with the token receives the
 * same object.
 */
export const toAuth = (claims: AccessTokenClaims): Auth =>
  Object.freeze(Object.assign(createBareObject(), { userId: claims.data.user.id, sessionId: claims.sid, claims }))

// 9999-12-31T23:59:59Z; later instants have no date in most languages.
const lastSecond = 253_402_300_799

const hasOneMember = (value: object): boolean => Object.keys(value).length === 1

// RFC 9449, section 6.1. A token that is bound in another way must not be accepted without a check.
const isConfirmation = (value: unknown): boolean => isObject(value) && hasOneMember(value) && isThumbprint(value['jkt'])

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText)

const isSecond = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= lastSecond

type Check = (value: unknown) => boolean

const optional =
  (isValid: Check): Check =>
  (value) =>
    value === undefined || isValid(value)

const attributeChecks = {
  amr: optional(isTextList),
  acr: optional(isText),
  act: optional((actor) => isObject(actor) && isText(actor['sub'])),
}

const claimChecks: Record<keyof AccessTokenClaims, Check> = {
  iss: isText,
  sub: isText,
  aud: optional((audience) => isText(audience) || isTextList(audience)),
  iat: isSecond,
  nbf: isSecond,
  exp: isSecond,
  auth_time: isSecond,
  jti: isRandomId,
  sid: isRandomId,
  cnf: optional(isConfirmation),
  ...attributeChecks,
  data: isObject,
}
const checks = Object.entries(claimChecks)

// Registered names that later versions may give a meaning.
const futureClaims = ['may_act', 'azp', 'events', 'sub_id']

/** The names that claims of the application cannot have. */
export const reservedClaimNames: ReadonlySet<string> = new Set([
  ...Object.keys(claimChecks),
  ...futureClaims,
  '__proto__',
])

/** Returns the name of an attribute that must become a claim and is not valid as that claim. */
export const findInvalidAttribute = (attributes: StrictObject): string | undefined =>
  futureClaims.find((name) => name in attributes) ??
  Object.entries(attributeChecks).find(([name, isValid]) => !isValid(attributes[name]))?.[0]

/** Returns the attributes of a session that are claims of its access tokens. */
export const toAttributeClaims = (attributes: StrictObject): StrictObject =>
  Object.fromEntries(Object.entries(attributes).filter(([name]) => Object.hasOwn(attributeChecks, name)))

/**
 * Returns whether every claim of a payload has its exact type. Does not check the issuer, the
 * audience and the times.
 */
export const isAccessTokenClaims = (payload: StrictObject): payload is AccessTokenClaims & StrictObject => {
  // Further members are ignored, which a later version may add (RFC 7519, section 4).
  const { data } = payload
  const id = isObject(data) && isObject(data['user']) ? data['user']['id'] : undefined
  return isUserId(id) && payload['sub'] === String(id) && checks.every(([name, isValid]) => isValid(payload[name]))
}
