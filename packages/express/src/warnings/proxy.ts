import type { IncomingMessage } from 'node:http'
import { getMember, hasMethod } from '@jwt-auth/core/adapter'
import { warnOnce } from './warn-once.js'

const texts = {
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

const findWarning = (req: IncomingMessage): keyof typeof texts | undefined => {
  const trust = readTrust(req)
  if (trust === true) return 'trusts-everybody'
  if (typeof trust === 'string' && /^\s*\d+\s*$/.test(trust)) return 'number-as-text'
  const isForwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
  const isUnread = trust === undefined ? !('ip' in req) : !trust
  return isForwarded && isUnread ? 'unread-header' : undefined
}

/** Returns Express's setting `trust proxy`. `undefined` outside of Express. */
const readTrust = (req: IncomingMessage): unknown => {
  const app = getMember(req, 'app')
  return typeof app === 'function' && hasMethod(app, 'get') ? app.get('trust proxy') : undefined
}
