import type { AuthClient } from '@jwt-auth/client'
import axios, { type AxiosError, type AxiosInstance } from 'axios'

declare module 'axios' {
  interface AxiosRequestConfig {
    /** Whether the request was sent before, with a token that the server refused. */
    isRepeated?: boolean
  }
}

/**
 * Creates an axios instance that sends the access token of a client. It repeats a request once after a 401.
 *
 * @param origin the origin of the API: no other origin receives the token
 */
export const createApi = (auth: AuthClient, origin: string): AxiosInstance => {
  const api = axios.create({ baseURL: origin, allowAbsoluteUrls: false })

  api.interceptors.request.use(async (config) => {
    const token = await auth.getAccessToken()
    if (token !== undefined) config.headers.set('Authorization', `Bearer ${token}`)
    return config
  })

  api.interceptors.response.use(undefined, async (error: AxiosError) => {
    const { config, response } = error
    if (response?.status !== 401 || config === undefined || config.isRepeated) throw error
    // The client refreshes when the server refuses its token also here, and logs out if the session has ended.
    const { ok } = await auth.fetch('/jwt-auth/v1/token/validate', { method: 'POST' })
    if (!ok) throw error
    return api.request({ ...config, isRepeated: true })
  })
  return api
}
