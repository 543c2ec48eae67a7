import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ServiceSecrets } from '../keys/key-ring.js'
import type { EpochMs } from '../system.js'

const lifetimeMs = 300_000
// The clock of the instance that issued the nonce may be ahead.
const maxLeadMs = 5_000

/**
 * Creates the nonces of a service (RFC 9449, section 8). All instances of the service accept them,
 * and nothing is stored.
 */
export const createNonces = (secrets: ServiceSecrets) => ({
  /**
   * Returns a nonce: the time in whole seconds, a dot and a MAC. Clients with a wrong clock read
   * the time.
   */
  issue: (now: EpochMs): string => {
    const seconds = String(Math.floor(now / 1000))
    return `${seconds}.${toMac(secrets[0], seconds).toString('base64url')}`
  },
  /**
   * Returns whether an instance of this service issued a value less than five minutes ago. `ageing`
   * is the second half of this time.
   */
  check: (nonce: unknown, now: EpochMs): 'fresh' | 'ageing' | 'invalid' => {
    const [, seconds = '', mac = ''] = typeof nonce === 'string' ? (form.exec(nonce) ?? []) : []
    const age = now - Number(seconds) * 1000
    if (mac === '' || age < -maxLeadMs || age >= lifetimeMs) return 'invalid'
    const given = Buffer.from(mac, 'base64url')
    const isIssued = secrets.some((secret) => timingSafeEqual(toMac(secret, seconds), given))
    if (!isIssued) return 'invalid'
    return age < lifetimeMs / 2 ? 'fresh' : 'ageing'
  },
})

// Without leading zeros, and with the 43 characters of 32 bytes.
const form = /^([1-9]\d{0,11})\.([\w-]{43})$/

const toMac = (serviceSecret: Buffer, seconds: string): Buffer =>
  createHmac('sha256', serviceSecret).update(`jwt-auth dpop nonce\0${seconds}`).digest()
