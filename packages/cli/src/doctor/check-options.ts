import type { CliConfig } from '../config.js'
import { type Finding, findProblem, unknown } from './finding.js'

/** Checks options that `jwtAuth` accepts, but that are wrong in production. */
export const checkOptions = ({ options, trustProxy }: CliConfig): readonly Finding[] => {
  const { storage, rateLimits, clientAddress, issuer } = options
  const isInProcess = storage.isInProcess === true
  const hasLocalLimits = rateLimits !== false && rateLimits?.limiter === undefined && !isInProcess
  const isProxyKnown = trustProxy !== undefined || clientAddress !== undefined || isLoopback(issuer)
  return [
    findProblem('sessions', isInProcess, 'are in the memory of one process, and end with it. Use a database.'),
    findProblem('limits', rateLimits === false, 'are off: anybody may guess passwords. Remove `rateLimits: false`.'),
    findProblem('shared limits', hasLocalLimits, 'are counted in each process alone. Set `rateLimits.limiter`.'),
    isProxyKnown
      ? findProblem(
          'proxy',
          trustProxy === true,
          '`trust proxy` is true: clients choose their address. Name the proxies.',
        )
      : unknown('proxy', 'To check it, export `trustProxy`: the setting `trust proxy` of your application.'),
  ]
}

/** Returns whether the host of a URL is this machine. */
export const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
