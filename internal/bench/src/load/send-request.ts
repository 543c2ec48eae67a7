import { type Agent, type ClientRequestArgs, request } from 'node:http'

/** A request of a load. */
export interface LoadRequest {
  readonly options: ClientRequestArgs
  readonly body?: string
}

/** What came back. */
export interface LoadAnswer {
  /** 0 when the answer did not come, or not whole. */
  readonly status: number
  /** How long the server asks to be left alone; 0 when it does not. */
  readonly retryAfterSeconds: number
}

/** Sends a request and reads its answer to the end. Never rejects. */
export const sendRequest = (url: string, agent: Agent, { options, body }: LoadRequest): Promise<LoadAnswer> =>
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
