import type { CallOptions } from '@jwt-auth/core'
import {
  createBuckets,
  defaultNamespace,
  deriveLimitSecret,
  readIssuers,
  readRateLimits,
  readServiceKeys,
} from '@jwt-auth/core/internal'
import type { CliConfig } from '../config.js'
import { callInTime, type Terminal } from '../terminal.js'
import { type Finding, findProblem, unknown } from './finding.js'

// RFC 5737, section 3: no client has this address.
const address = '192.0.2.1'
const timeoutMs = 3_000

/**
 * Checks that a client cannot choose its address: sends a refused token with a header
 * `X-Forwarded-For` of its own to the service, and looks where it was counted.
 */
export const checkProxy = async ({ options }: CliConfig, terminal: Terminal): Promise<Finding> => {
  const { storage, namespace = defaultNamespace } = options
  const [issuer] = readIssuers('issuer', options.issuer)
  const policy = readRateLimits(options.rateLimits)
  const limiter = policy?.limiter ?? storage.limiter
  if (policy === undefined || limiter === undefined) return unknown('proxy', 'To check it, store the counts of limits.')
  const secret = deriveLimitSecret(readServiceKeys(options).serviceSecrets[0], issuer)
  const bucket = createBuckets(policy, secret).ofTokens('validate', address)
  const now = terminal.now()
  const reserve = (call: CallOptions) => limiter.reserve([bucket], { now, ...call })
  const count = async () => (await callInTime(terminal, 'limiter.reserve', reserve)).windows[0]?.count ?? 0

  const url = `${issuer}${namespace}/token/validate`
  const before = await count()
  const headers = { Authorization: 'Bearer jwt-auth-doctor', 'X-Forwarded-For': address }
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { method: 'POST', headers, redirect: 'manual', signal }).catch(() => undefined)
  const challenge = response?.headers.get('WWW-Authenticate') ?? ''
  if (!challenge.includes('invalid_token')) return unknown('proxy', `The service could not be asked at ${url}.`)
  const isChosen = (await count()) > before + 1
  const fix = 'Let `trust proxy` or `clientAddress` count your proxies only.'
  return findProblem('proxy', isChosen, `clients choose their address by X-Forwarded-For, and avoid the limits. ${fix}`)
}
