import { Secret, TOTP } from 'otpauth'

const periodSeconds = 30

/**
 * Returns the time step of a code of an authenticator app (RFC 6238), or `undefined` for a wrong code. Accepts the codes of the step
 * before and after, for clocks that differ.
 */
export const findTimeStep = (secret: string, code: unknown, now: number): number | undefined => {
  // The library throws for other digits, such as Arabic ones.
  if (typeof code !== 'string' || !/^[0-9]{6}$/.test(code)) return undefined
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: periodSeconds })
  const delta = totp.validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? undefined : totp.counter({ timestamp: now }) + delta
}
