import { getMember, hasMethod } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { checkProxy } from './check-proxy.js'
import { type Finding, findProblem } from './finding.js'

const timeoutMs = 5_000

/** Asks each store of the configuration for what it holds, and the service for how it counts. The writes change nothing. */
export const checkStores = async (config: CliConfig, now: number): Promise<readonly Finding[]> => {
  const { storage, users } = config.options
  const call = { signal: AbortSignal.timeout(timeoutMs) }
  const end = async () => storage.end({ id: 'jwt-auth-doctor', endedAt: now, endReason: 'revoked' }, call)
  const find = async () => (hasMethod(users, 'check') ? users.check() : users.findByUsername('jwt-auth-doctor', call))
  return Promise.all([
    end().then(() => findProblem('sessions', false, ''), toProblem('sessions')),
    find().then(() => findProblem('users', false, ''), toProblem('users')),
    checkProxy(config, now).catch(toProblem('counts of limits')),
  ])
}

const toProblem =
  (what: string) =>
  (error: unknown): Finding =>
    findProblem(what, true, `the store does not serve them: ${getMember(error, 'message') ?? error}`)
