import type { AuthClient } from '@jwt-auth/client'
import axios, { type AxiosInstance } from 'axios'

/**
 * Creates an axios instance whose requests are sent by the client: with the access token, once more after a 401, and with a proof if
 * the token is bound to a key.
 *
 * @param origin the origin of the API: no other origin receives the token
 */
export const createApi = (auth: AuthClient, origin: string): AxiosInstance =>
  axios.create({ baseURL: origin, allowAbsoluteUrls: false, adapter: 'fetch', env: { fetch: auth.fetch } })
