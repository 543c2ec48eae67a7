import type { Door } from '../cluster/recorder.js'
import type { HttpAnswer, HttpMessage } from '../http-client.js'

const mostAtOnce = 4
const mostTries = 20

/**
 * The door, for whoever only wants to know what is left: a few requests at a time, each repeated while storage can't be asked.
 * A busy machine may not do all of them at once within the deadline of a storage call.
 */
export const patientDoor = ({ url, client }: Door): Door => {
  const waiting: (() => void)[] = []
  let free = mostAtOnce

  const enter = async (): Promise<void> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    else free -= 1
  }
  const leave = (): void => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  const sendPatiently = async (message: HttpMessage): Promise<HttpAnswer> => {
    let answer = await client.send(message)
    for (let tries = 1; answer.status === 503 && tries < mostTries; tries += 1) answer = await client.send(message)
    return answer
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
