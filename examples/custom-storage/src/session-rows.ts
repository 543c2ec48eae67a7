import type { SessionRecord } from '@jwt-auth/core/adapter'

/** The part of a session that only lookups read. No method changes it, so that no other method needs to parse it. */
type Login = Pick<
  SessionRecord,
  'credentialVersion' | 'dpopThumbprint' | 'userAgent' | 'ipAddress' | 'label' | 'attributes'
>

/** The part of a session that the adapter searches, compares and changes. */
export type State = Omit<SessionRecord, keyof Login>

/** Divides a record into its two rows. */
export const divide = (session: SessionRecord): { readonly state: State; readonly login: Login } => {
  const { credentialVersion, dpopThumbprint, userAgent, ipAddress, label, attributes, ...state } = session
  return { state, login: { credentialVersion, dpopThumbprint, userAgent, ipAddress, label, attributes } }
}

/** Parses the row of a state. Each call returns a new object, which the caller of the adapter may change. */
export const parseState = (row: string): State => parseRow<State>(row, stateFields)

/** Parses the row of a login. */
export const parseLogin = (row: string): Login => parseRow<Login>(row, loginFields)

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isInstant: Check = Number.isSafeInteger
const isTextOrNull: Check = (value) => value === null || isText(value)

const isRecentVerifier: Check = (value) =>
  isText(Reflect.get(Object(value), 'verifierHash')) &&
  isText(Reflect.get(Object(value), 'salt')) &&
  isInstant(Reflect.get(Object(value), 'replacedAt'))

const stateFields: Readonly<Record<keyof State, Check>> = {
  id: isText,
  issuer: isText,
  // JSON keeps the type: `1` and `'1'` are two users.
  userId: (value) => isText(value) || isInstant(value),
  selectorHash: isText,
  verifierHash: isText,
  recentVerifiers: (value) => Array.isArray(value) && value.every(isRecentVerifier),
  createdAt: isInstant,
  rotatedAt: isInstant,
  lastUsedAt: isInstant,
  idleExpiresAt: isInstant,
  absoluteExpiresAt: isInstant,
  endedAt: (value) => value === null || isInstant(value),
  endReason: isTextOrNull,
  lastUserAgent: isTextOrNull,
  lastIpAddress: isTextOrNull,
}

const loginFields: Readonly<Record<keyof Login, Check>> = {
  credentialVersion: isTextOrNull,
  dpopThumbprint: isTextOrNull,
  userAgent: isTextOrNull,
  ipAddress: isTextOrNull,
  label: isTextOrNull,
  attributes: isTextOrNull,
}

/** Parses a row. The error names the field, and contains no stored value. */
const parseRow = <Row>(row: string, fields: Readonly<Record<keyof Row & string, Check>>): Row => {
  const value = parseJson(row)
  for (const [field, isValid] of Object.entries<Check>(fields)) {
    if (isValid(Reflect.get(Object(value), field))) continue
    throw new TypeError(`lmdbStorage could not read a session: the field ${field} holds an unknown value.`)
  }
  // Every field has just been checked.
  return value as Row
}

// The error of `JSON.parse` would repeat the text. For `undefined`, the caller throws an error that names the first field.
const parseJson = (row: string): unknown => {
  try {
    return JSON.parse(row)
  } catch {
    return undefined
  }
}
