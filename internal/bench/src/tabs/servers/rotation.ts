import { randomUUID } from 'node:crypto'
import { lifetimeSeconds } from '../tab-client.js'

/** The tokens of a stand-in server. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  readonly expiresAtMs: number
}

/** The session of one user. */
export interface Rotation {
  readonly logIn: () => IssuedTokens
  /** Returns new tokens. A refresh token that has already been replaced ends the session (RFC 9700, section 4.14.2). */
  readonly refresh: (refreshToken: string) => IssuedTokens | undefined
  readonly isValid: (accessToken: string) => boolean
  readonly hasSession: () => Promise<boolean>
}

/** Creates the sessions of a stand-in server: a refresh token works once. */
export const createRotation = (now: () => number): Rotation => {
  let current: IssuedTokens | undefined
  const issue = (): IssuedTokens => {
    current = {
      accessToken: randomUUID(),
      refreshToken: randomUUID(),
      expiresAtMs: now() + lifetimeSeconds * 1_000,
    }
    return current
  }
  return {
    logIn: issue,
    refresh: (refreshToken) => {
      if (refreshToken === current?.refreshToken) return issue()
      current = undefined
      return undefined
    },
    isValid: (accessToken) => accessToken === current?.accessToken && now() < current.expiresAtMs,
    hasSession: async () => current !== undefined,
  }
}
