import type { IncomingMessage } from 'node:http'
import { describeValue } from '@jwt-auth/core/adapter'
import { toNetwork } from '@jwt-auth/core/wire'
import { type ReadAddress, readAddress } from './node-http.js'
import { warnOnce } from './warn-once.js'

/** The option `clientAddress`. It may return a list, because Node's type of a header is text or a list. */
type ClientAddress = (req: IncomingMessage) => string | readonly string[] | undefined

/** Creates the function that reads addresses. It warns if the application's function returns anything but an IP address. */
export const createAddressReader = (clientAddress: ClientAddress | undefined): ReadAddress => {
  if (clientAddress === undefined) return readAddress
  return (req) => {
    const address: unknown = clientAddress(req)
    if (typeof address === 'string' && toNetwork(address) !== 'unknown') return address
    // A socket loses its address when it closes.
    if (!req.socket.destroyed) warnOfAddress(address)
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

type Warning = 'unread-header' | 'trusts-everybody' | 'number-as-text'

const texts: Readonly<Record<Warning, string>> = {
  'unread-header':
    "a request has the header X-Forwarded-For or Forwarded, but the client's address is read from the socket. Behind a proxy all users therefore share one address, and its limit of failed logins. In Express set `trust proxy` to the number or the addresses of your proxies, for example app.set('trust proxy', 1). Elsewhere set the option `clientAddress` of jwtAuth. If no proxy is in front of this process, ignore this warning: a client sent the header.",
  'trusts-everybody':
    "Express's `trust proxy` is true, so that every client chooses its address by the header X-Forwarded-For and the limits of failed logins do not hold. Set `trust proxy` to the number or the addresses of your proxies, for example app.set('trust proxy', 1).",
  'number-as-text':
    "Express's `trust proxy` is the text of a number, which Express reads as an address. Express therefore does not trust your proxies, and all users behind a proxy share one address, and its limit of failed logins. Set `trust proxy` to a number, for example app.set('trust proxy', 1).",
}

/** Warns once per process when the limits cannot rely on the client's address. */
export const warnOfProxy = (req: IncomingMessage): void => {
  const warning = findWarning(req)
  if (warning !== undefined) warnOnce('JWT_AUTH_PROXY', texts[warning])
}

const findWarning = (req: IncomingMessage): Warning | undefined => {
  const trust = readTrust(req)
  if (trust === true) return 'trusts-everybody'
  if (typeof trust === 'string' && /^\s*\d+\s*$/.test(trust)) return 'number-as-text'
  const isForwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
  const isUnread = trust === undefined ? !('ip' in req) : !trust
  return isForwarded && isUnread ? 'unread-header' : undefined
}

/** Returns Express's setting `trust proxy`. `undefined` outside of Express. */
const readTrust = (req: IncomingMessage): unknown => {
  if (!('app' in req) || typeof req.app !== 'function' || !('get' in req.app)) return undefined
  return typeof req.app.get === 'function' ? Reflect.apply(req.app.get, req.app, ['trust proxy']) : undefined
}
