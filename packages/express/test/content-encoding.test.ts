import { describe, expect, it } from 'vitest'
import { unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import { authenticated, expectAnswer, unsupportedMediaType } from './support/expected-answers.js'
import { json, readTokens } from './support/flows.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }

describe.each(byName(unparsedHosts))('a content coding on %s', (_, { framework, before }) => {
  it.each(['gzip', 'br', 'deflate', 'zstd'])('is answered 415, and nothing is asked: %s', async (coding) => {
    const host = await startHost(framework, { before })
    const message = json(credentials, { 'Content-Type': 'application/json', 'Content-Encoding': coding })

    expectAnswer(await host.send('POST', '/jwt-auth/v1/token', message), unsupportedMediaType)
    expect({ users: host.users.calls, storage: host.storage.calls }).toStrictEqual({ users: [], storage: [] })
  })

  it('is no coding when it is identity', async () => {
    const host = await startHost(framework, { before })
    const message = json(credentials, { 'Content-Type': 'application/json', 'Content-Encoding': 'identity' })
    const answer = await host.send('POST', '/jwt-auth/v1/token', message)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })
})
