import { AuthError } from '../errors/auth-error.js'
import type { Credentials } from '../operations/authenticate.js'
import type { Parameters } from './read-body.js'

/** The longest parameter, in UTF-16 code units. */
const longestParameter = 4_096

/** Reads the credentials of the token operation. Throws `jwt_auth_invalid_request` with the names at fault. */
export const readCredentials = (parameters: Parameters): Credentials => {
  const { username, password } = readTexts(parameters, ['username', 'password'])
  return { username, password }
}

/** Reads the refresh token of the refresh operation. Throws `jwt_auth_invalid_request` with the name at fault. */
export const readPresentedRefreshToken = (parameters: Parameters): string =>
  readTexts(parameters, ['refresh_token']).refresh_token

const readTexts = <Name extends string>(parameters: Parameters, names: readonly Name[]): Record<Name, string> => {
  const missing = names.filter((name) => isMissing(parameters[name]))
  if (missing.length > 0) throw badParameters('Missing', missing)
  const invalid = names.filter((name) => !isText(parameters[name]))
  if (invalid.length > 0) throw badParameters('Invalid', invalid)
  // The parsing border: each name was just found to hold a string.
  return Object.fromEntries(names.map((name) => [name, parameters[name]])) as Record<Name, string>
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= longestParameter && value.isWellFormed()

const badParameters = (fault: 'Missing' | 'Invalid', params: readonly string[]): AuthError =>
  new AuthError('jwt_auth_invalid_request', { message: `${fault} parameter(s): ${params.join(', ')}`, params })
