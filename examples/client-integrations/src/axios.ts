import type { AuthClient } from '@jwt-auth/client'
import axios, { type AxiosError, type AxiosInstance } from 'axios'

declare module 'axios' {
  interface AxiosRequestConfig {
    /** The access token of the request. */
    token?: string | undefined
    /** The access token that the server refused before. */
    refused?: string | undefined
    /** The user of the request. */
    userId?: number | string | undefined
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
    // After a 401, the client refreshes once for all requests. It logs out if the session has ended.
    const token = await auth.getAccessToken({ refused: config.refused })
    const userId = auth.getSnapshot().user?.id
    if (config.refused && config.userId !== userId)
      throw new Error('Another user has logged in, or nobody is logged in.')
    if (token !== undefined) config.headers.set('Authorization', `Bearer ${token}`)
    return Object.assign(config, { token, userId })
  })

  api.interceptors.response.use(undefined, async (error: AxiosError) => {
    const { config, response } = error
    if (response?.status !== 401 || !config?.token || config.refused) throw error
    return api.request({ ...config, refused: config.token })
  })
  return api
}
