import { createHmac } from 'node:crypto'
import { parseObject } from './read-json.js'

/** The secret every test host signs with. */
export const testSecret = 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2eTi6oKx4vRq0w'

/** Another one, as an attacker or a mistaken instance would hold it. */
export const otherSecret = 'p0OiU8yT6rE4wQ2aS1dF3gH5jK7lZ9xC8vB6nM4qW2eR'

export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/** Reads a token's parts without checking anything. */
export const decodeToken = (token: string): DecodedToken => {
  const [header = '', claims = ''] = token.split('.')
  return { header: decode(header), claims: decode(claims) }
}

/** How a forged token differs from the genuine one. */
export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  readonly secret?: string
  readonly hash?: string
}

/** Changes a genuine token and signs it anew, with the right secret unless another is named. */
export const forgeToken = (
  genuine: string,
  { header, claims, secret = testSecret, hash = 'sha256' }: Forgery,
): string => {
  const decoded = decodeToken(genuine)
  const input = `${encode({ ...decoded.header, ...header })}.${encode({ ...decoded.claims, ...claims })}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}

const decode = (part: string): Readonly<Record<string, unknown>> =>
  parseObject(Buffer.from(part, 'base64url').toString('utf8'))

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
