import { createHmac, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from '../keys/key-ring.js'
import type { EpochMs } from '../system.js'

const lifetimeMs = 300_000
// The clock of the instance that issued the nonce may be ahead.
const maxLeadMs = 5_000

/** What a nonce is: `ageing` in the second half of its life. */
export type NonceState = 'fresh' | 'ageing' | 'invalid'

/** Issues and checks the nonces of proofs (RFC 9449, section 8). */
export interface Nonces {
  /**
   * Returns a nonce: the time in whole seconds, a dot and a MAC. Clients with a wrong clock read
   * the time.
   */
  readonly issue: (now: EpochMs) => string
  /** Returns whether an instance of this service issued a value less than five minutes ago. */
  readonly check: (nonce: unknown, now: EpochMs) => NonceState
}

/** Creates the nonces of a service. All instances of the service accept them, and nothing is stored. */
export const createNonces = (keyRing: Pick<KeyRing, 'serviceSecrets'>): Nonces => ({
  issue: (now) => {
    const seconds = String(Math.floor(now / 1000))
    return `${seconds}.${toMac(keyRing.serviceSecrets[0], seconds).toString('base64url')}`
  },
  check: (nonce, now) => {
    const [, seconds = '', mac = ''] = typeof nonce === 'string' ? (form.exec(nonce) ?? []) : []
    const age = now - Number(seconds) * 1000
    if (mac === '' || age < -maxLeadMs || age >= lifetimeMs) return 'invalid'
    const given = Buffer.from(mac, 'base64url')
    const isIssued = keyRing.serviceSecrets.some((secret) => timingSafeEqual(toMac(secret, seconds), given))
    if (!isIssued) return 'invalid'
    return age < lifetimeMs / 2 ? 'fresh' : 'ageing'
  },
})

// Without leading zeros, and with the 43 characters of 32 bytes.
const form = /^([1-9]\d{0,11})\.([\w-]{43})$/

const toMac = (serviceSecret: Buffer, seconds: string): Buffer =>
  createHmac('sha256', serviceSecret).update(`jwt-auth dpop nonce\0${seconds}`).digest()
