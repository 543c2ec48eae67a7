import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { encodePart, signParts as signWith, type TokenPart } from '@jwt-auth/test-support/token-forger'

/** The second at which the tests start. */
export const startSecond = startOfTests / 1000

/** The claims of an access token that the service issues at the start of the tests. */
export const validClaims = {
  iss: testIssuer,
  sub: '1',
  iat: startSecond,
  nbf: startSecond,
  exp: startSecond + 3_600,
  auth_time: startSecond,
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  sid: 'BBBBBBBBBBBBBBBBBBBBBB',
  data: { user: { id: 1 } },
} as const

/** The parts of a token: an object is written as JSON, text and bytes as they are. */
export interface ForgedParts {
  readonly header: TokenPart
  readonly payload: TokenPart
}

/** Signs two parts with a valid signature: only their content, or its spelling, can be wrong. */
export const forgeToken = ({ header, payload }: ForgedParts, hash = 'sha256', secret = testSecret): string =>
  signParts(encodePart(header), encodePart(payload), { hash, secret })

/** Signs two encoded parts as they are spelled. */
export const signParts = (
  header: string,
  payload: string,
  { hash = 'sha256', secret = testSecret }: { readonly hash?: string; readonly secret?: string } = {},
): string => signWith(header, payload, { hash, secret })

/** Changes the unused bits of the last character of an encoded part, which still decodes to the same bytes. */
export const withStrayBits = (part: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  if (part.length % 4 === 0) throw new Error('The last character of this part has no unused bits.')
  const last = alphabet.indexOf(part.slice(-1))
  return part.slice(0, -1) + alphabet.charAt(last + 1)
}
