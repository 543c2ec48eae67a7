import { getMember, hasMethod } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { type Finding, findProblem } from './finding.js'

const timeoutMs = 5_000

/** Asks each store of the configuration for what it holds. The writes change nothing. */
export const checkStores = async ({ options }: CliConfig, now: number): Promise<readonly Finding[]> => {
  const { storage, users, rateLimits } = options
  const limiter = rateLimits === false ? undefined : (rateLimits?.limiter ?? storage.limiter)
  const call = { signal: AbortSignal.timeout(timeoutMs), now }
  return Promise.all([
    tryOut('sessions', () => storage.end({ id: 'jwt-auth-doctor', endedAt: now, endReason: 'revoked' }, call)),
    tryOut('counts of limits', async () => {
      const reserved = await limiter?.reserve([{ key: 'jwt_auth_doctor', durationSeconds: 60 }], call)
      await limiter?.refund(reserved?.windows ?? [], call)
    }),
    tryOut('users', async () =>
      hasMethod(users, 'check') ? users.check() : users.findByUsername('jwt-auth-doctor', call),
    ),
  ])
}

const tryOut = async (what: string, work: () => Promise<unknown>): Promise<Finding> => {
  try {
    await work()
    return findProblem(what, false, '')
  } catch (error) {
    return findProblem(what, true, `the store does not serve them: ${getMember(error, 'message') ?? error}`)
  }
}
