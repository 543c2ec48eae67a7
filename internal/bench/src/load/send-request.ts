import { type Agent, type ClientRequestArgs, request } from 'node:http'

/** A request of a load. */
export interface LoadRequest {
  readonly options: ClientRequestArgs
  readonly body?: string
}

/** A response. */
export interface LoadResponse {
  /** 0 stands for an incomplete or missing response. */
  readonly status: number
  /** The value of `Retry-After`. 0 without the header. */
  readonly retryAfterSeconds: number
}

/** Sends a request and reads its response to the end. Never rejects. */
export const sendRequest = (url: string, agent: Agent, { options, body }: LoadRequest): Promise<LoadResponse> =>
  new Promise((resolve) => {
    request(url, { ...options, agent })
      .once('error', () => resolve({ status: 0, retryAfterSeconds: 0 }))
      .once('response', (response) => {
        response.resume().once('close', () =>
          resolve({
            status: response.complete ? (response.statusCode ?? 0) : 0,
            retryAfterSeconds: Number(response.headers['retry-after'] ?? 0),
          }),
        )
      })
      .end(body)
  })
