import { getMember, isPlainHttp } from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { type Finding, findProblem, unknown } from './finding.js'

/** Checks options that `jwtAuth` accepts, but that are wrong in production. */
export const checkOptions = ({ options }: CliConfig): readonly Finding[] => {
  const { storage, rateLimits, purgeIntervalSeconds } = options
  const isInProcess = storage.isInProcess === true
  const limiter = rateLimits !== false && (rateLimits?.limiter ?? storage.limiter)
  const hasLocalLimits = limiter === undefined && !isInProcess
  return [
    findProblem('sessions', isInProcess, 'are in the memory of one process, and end with it. Use a database.'),
    findProblem('limits', rateLimits === false, 'are off: anybody may guess passwords. Remove `rateLimits: false`.'),
    findProblem('shared limits', hasLocalLimits, 'are counted in each process alone. Set `rateLimits.limiter`.'),
    purgeIntervalSeconds === false
      ? unknown('purge', '`purgeIntervalSeconds` is false. Let a job run `npx @jwt-auth/cli sessions purge` each day.')
      : findProblem('purge', false, ''),
  ]
}

const timeoutMs = 3_000

/** Checks that the issuer is served over HTTPS, with a certificate that clients accept. */
export const checkIssuer = async (issuer: string): Promise<Finding> => {
  if (!issuer.startsWith('https:')) {
    return findProblem('TLS', isPlainHttp(issuer), 'the issuer has no https: others can read passwords and tokens.')
  }
  try {
    await fetch(issuer, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    return findProblem('TLS', false, '')
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error
    const code = String(getMember(cause, 'code') ?? cause)
    return /CERT|SIGNED|ALTNAME|VERIFY/.test(code)
      ? findProblem('TLS', true, `clients do not accept the certificate of ${issuer} (${code}).`)
      : unknown('TLS', `${issuer} could not be reached (${code}).`)
  }
}
