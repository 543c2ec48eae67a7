import { bearer, type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'

const marker = 'echo-me-7f3a'

const markedMessages: readonly (HttpMessage & { readonly name: string })[] = [
  {
    name: 'in a header',
    ...json({}, { 'X-Marker': marker, Origin: `https://${marker}.example`, Cookie: `a=${marker}` }),
  },
  { name: 'in the credential', ...bearer(marker) },
  { name: 'in the scheme', headers: { Authorization: `${marker} abc` } },
  { name: 'in the content type', ...json({}, { 'Content-Type': `application/${marker}` }) },
  { name: 'in the charset', ...json({}, { 'Content-Type': `application/json; charset=${marker}` }) },
  { name: 'in the content coding', ...json({}, { 'Content-Encoding': marker }) },
  { name: 'in the user agent and the address', ...json({}, { 'User-Agent': marker, 'X-Forwarded-For': marker }) },
  { name: 'in broken JSON', ...json({}), body: `{"username":"${marker}` },
  { name: 'in names', ...json({ [marker]: marker }) },
  { name: 'in parameters', ...json({ username: marker, password: marker, refresh_token: marker }) },
  { name: 'in parameters of another type', ...json({ username: [marker], password: {}, refresh_token: { marker } }) },
]

const targets = ['token', 'token/refresh', 'token/validate', 'token/revoke', 'me', 'validate', marker]

describe('a response under the namespace', () => {
  it.each(byName(markedMessages))(
    'repeats nothing of a request, in the body or in a header: text %s',
    async (_, message) => {
      const { send } = await startHost(express5Framework)
      for (const target of targets) {
        for (const method of ['GET', 'POST', 'PUT']) {
          const response = await send(method, `/jwt-auth/v1/${target}?${marker}=${marker}`, message)
          expect(JSON.stringify(response)).not.toContain(marker)
          expect(parseJson(response.text)).toMatchObject({ data: { status: response.status } })
        }
      }
    },
  )
})
