import type { Endpoint } from '../cluster/recorder.js'
import type { HttpMessage, JsonResponse } from '../http-client.js'

const maxInFlight = 4
const maxTries = 20

/**
 * Returns an endpoint for final reads: it sends few requests at a time, and repeats each while storage is unavailable. A busy
 * machine cannot respond to all of them concurrently within the deadline of a storage call.
 */
export const patientEndpoint = ({ url, client }: Endpoint): Endpoint => {
  const waiting: (() => void)[] = []
  let free = maxInFlight

  const enter = async (): Promise<void> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  const sendPatiently = async (message: HttpMessage): Promise<JsonResponse> => {
    let response = await client.send(message)
    for (let tries = 1; response.status === 503 && tries < maxTries; tries += 1) response = await client.send(message)
    return response
  }

  return {
    url,
    client: {
      close: client.close,
      send: async (message) => {
        await enter()
        try {
          return await sendPatiently(message)
        } finally {
          leave()
        }
      },
    },
  }
}
