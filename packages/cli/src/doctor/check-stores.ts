import { getMember, hasMethod } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { callInTime, type Terminal } from '../terminal.js'
import { checkProxy } from './check-proxy.js'
import { type Finding, findProblem } from './finding.js'

/**
 * Asks each store of the configuration for what it holds, and the service for how it counts. The
 * writes change nothing.
 */
export const checkStores = async (config: CliConfig, terminal: Terminal): Promise<readonly Finding[]> => {
  const { storage, users } = config.options
  const ending = { id: 'jwt-auth-doctor', endedAt: terminal.now(), endReason: 'revoked' } as const
  const end = callInTime(terminal, 'storage.end', async (call) => storage.end(ending, call))
  const find = callInTime(terminal, 'users', async (call) =>
    hasMethod(users, 'check') ? users.check() : users.findByUsername('jwt-auth-doctor', call),
  )
  return Promise.all([
    end.then(() => findProblem('sessions', false, ''), toProblem('sessions')),
    find.then(() => findProblem('users', false, ''), toProblem('users')),
    checkProxy(config, terminal).catch(toProblem('counts of limits')),
  ])
}

const toProblem =
  (what: string) =>
  (error: unknown): Finding =>
    findProblem(what, true, `the store does not serve them: ${getMember(error, 'message') ?? error}`)
