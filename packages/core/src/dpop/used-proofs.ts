import { hash } from 'node:crypto'
import type { EpochMs } from '../system.js'

/** The longest time for which a proof is accepted: `iat` may lie a minute ahead or behind. */
const generationMs = 120_000
// Two generations of this size take 18 MB.
const generationSize = 100_000

/**
 * Creates the memory of the proofs that this process has accepted (RFC 9449, section 11.1). It
 * remembers each proof for two minutes, unless more than 100,000 proofs arrive within two minutes.
 * The function returns `false` if this process has seen a proof of this key with this `jti` before.
 */
export const createUsedProofs = () => {
  let [recent, earlier] = [new Set<string>(), new Set<string>()]
  let startedAt = Number.NEGATIVE_INFINITY
  return ({ thumbprint, jti }: { readonly thumbprint: string; readonly jti: string }, now: EpochMs): boolean => {
    if (recent.size >= generationSize || now - startedAt >= generationMs) {
      ;[recent, earlier] = [new Set(), recent]
      startedAt = now
    }
    const id = hash('sha256', `${thumbprint}.${jti}`, 'base64')
    if (recent.has(id) || earlier.has(id)) return false
    recent.add(id)
    return true
  }
}
