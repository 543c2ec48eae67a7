import type { IncomingMessage } from 'node:http'
import { describeValue } from '@jwt-auth/core/adapter'
import { toNetwork } from '@jwt-auth/core/wire'
import { type ReadAddress, readAddress } from './node-http.js'
import { warnOnce } from './warnings.js'

/**
 * The option `clientAddress`. It may return a list, because Node's type of a header is text or a
 * list.
 */
type ClientAddress = (req: IncomingMessage) => string | readonly string[] | undefined

/**
 * Creates the function that reads addresses. It warns if the application's function returns
 * anything but an IP address.
 */
export const createAddressReader = (clientAddress: ClientAddress | undefined): ReadAddress => {
  if (clientAddress === undefined) return readAddress
  return (req) => {
    const address: unknown = clientAddress(req)
    if (typeof address === 'string' && toNetwork(address) !== 'unknown') return address
    // A socket loses its address when it closes.
    if (!req.socket?.destroyed) warnOfAddress(address)
    return undefined
  }
}

const warnOfAddress = (address: unknown): void =>
  warnOnce(
    'JWT_AUTH_PROXY',
    `option \`clientAddress\` returned ${describeAddress(address)}. All such requests share one limit of failed logins. Return one address, for example the last entry of X-Forwarded-For behind one proxy. Ignore this warning if the request did not come through your proxy.`,
  )

// Never repeats text, which a client may have sent.
const describeAddress = (address: unknown): string => {
  if (typeof address === 'object' && address !== null && 'then' in address) {
    return 'a promise, and no IP address: the function must not be async'
  }
  if (Array.isArray(address) || (typeof address === 'string' && address.includes(','))) {
    return 'a list, and no IP address: a client can forge the first entries'
  }
  return `${describeValue(address)}, and no IP address`
}
