import type { IncomingMessage } from 'node:http'
import { describeValue, toNetwork } from '@jwt-auth/core/internal'
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
    if (!req.socket?.destroyed) {
      warnOnce(
        'JWT_AUTH_PROXY',
        `option \`clientAddress\` returned ${describeValue(address, true)}, and no IP address. All such requests share one limit of failed logins. Return one address, for example the last entry of X-Forwarded-For behind one proxy; the function must not be async. Ignore this warning if the request did not come through your proxy.`,
        'clientAddress',
      )
    }
    return undefined
  }
}
