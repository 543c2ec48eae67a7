import { createHmac } from 'node:crypto'
import { parseObject } from './read-json.js'

/** The secret with which the services of the tests sign. */
export const testSecret = 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2eTi6oKx4vRq0w'

/** Another secret, such as an attacker or a wrongly configured instance would have. */
export const otherSecret = 'p0OiU8yT6rE4wQ2aS1dF3gH5jK7lZ9xC8vB6nM4qW2eR'

/** How a token is signed. */
export interface Signing {
  /** @default testSecret */
  readonly secret?: string
  /** @default 'sha256' */
  readonly hash?: string
}

/** A part of a token: an object is written as JSON, text and bytes as they are. */
export type TokenPart = object | string | Uint8Array

/** Encodes a part of a token in base64url. */
export const encodePart = (part: TokenPart): string => {
  if (typeof part === 'string' || part instanceof Uint8Array) return Buffer.from(part).toString('base64url')
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

/** Signs two encoded parts as they are spelled. */
export const signParts = (header: string, payload: string, { secret = testSecret, hash = 'sha256' }: Signing = {}) => {
  const input = `${header}.${payload}`
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`
}

/** Signs two parts with a valid signature: only their content, or its spelling, can be wrong. */
export const signToken = (parts: { readonly header: TokenPart; readonly payload: TokenPart }, signing?: Signing) =>
  signParts(encodePart(parts.header), encodePart(parts.payload), signing)

/** Reads a token's parts without checking anything. */
export const decodeToken = (token: string) => {
  const [header = '', claims = ''] = token.split('.')
  return { header: decodePart(header), claims: decodePart(claims) }
}

const decodePart = (part: string): Readonly<Record<string, unknown>> =>
  parseObject(Buffer.from(part, 'base64url').toString())

/** How a forged token differs from a valid one. A claim that is `undefined` is omitted. */
export interface Forgery extends Signing {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
}

/**
 * Changes a valid token and signs the result, with the service's secret unless another is given.
 */
export const forgeToken = (token: string, { header, claims, ...signing }: Forgery): string => {
  const valid = decodeToken(token)
  return signToken({ header: { ...valid.header, ...header }, payload: { ...valid.claims, ...claims } }, signing)
}
