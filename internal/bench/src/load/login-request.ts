import type { LoadRequest } from './send-request.js'

interface Login {
  readonly username: string
  readonly password: string
  /** The address that the application's proxy names as the client's. */
  readonly address: string
}

/** Returns the request of a login that arrives through a proxy. */
export const toLoginRequest = ({ username, password, address }: Login): LoadRequest => ({
  options: {
    method: 'POST',
    path: '/jwt-auth/v1/token',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
  },
  body: JSON.stringify({ username, password }),
})
