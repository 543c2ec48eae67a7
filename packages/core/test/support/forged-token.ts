import { createHmac } from 'node:crypto'
import { testIssuer, testSecret } from './test-service.js'
import { startOfTests } from './test-system.js'

/** The second at which the tests begin. */
export const startSecond = startOfTests / 1000

/** The claims of an access token as the service itself would write them at the start of the tests. */
export const goodClaims = {
  iss: testIssuer,
  sub: '1',
  iat: startSecond,
  nbf: startSecond,
  exp: startSecond + 3_600,
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  sid: 'BBBBBBBBBBBBBBBBBBBBBB',
  data: { user: { id: 1 } },
} as const

/** The parts of a token: JSON for an object, anything else as it stands. */
export interface ForgedParts {
  readonly header: object | string | Uint8Array
  readonly payload: object | string | Uint8Array
}

/** Signs the two parts genuinely: only what is in them, or how they are spelled, is wrong. */
export const forgeToken = ({ header, payload }: ForgedParts, hash = 'sha256', secret = testSecret): string =>
  signParts(toPart(header), toPart(payload), { hash, secret })

/** Signs two encoded parts as they are spelled. */
export const signParts = (
  header: string,
  payload: string,
  { hash = 'sha256', secret = testSecret }: { readonly hash?: string; readonly secret?: string } = {},
): string => `${header}.${payload}.${createHmac(hash, secret).update(`${header}.${payload}`).digest('base64url')}`

export const toPart = (part: object | string | Uint8Array): string => {
  if (typeof part === 'string') return Buffer.from(part, 'utf8').toString('base64url')
  if (part instanceof Uint8Array) return Buffer.from(part).toString('base64url')
  return Buffer.from(JSON.stringify(part), 'utf8').toString('base64url')
}

/** Gives an encoded part a last character with stray bits: it decodes to the same bytes. */
export const withStrayBits = (part: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  if (part.length % 4 === 0) throw new Error('A part of whole groups leaves no room for stray bits.')
  const last = alphabet.indexOf(part.slice(-1))
  return part.slice(0, -1) + alphabet.charAt(last + 1)
}
