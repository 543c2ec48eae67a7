import { describe, expect } from 'vitest'
import { demo } from './support/demo-users.js'
import { authenticated, invalidToken, reportsFor, tokenRevoked } from './support/expected-responses.js'
import { readTokens } from './support/flows.js'
import { it } from './support/it.js'
import { pasteIntoShells, readShellLines } from './support/shell.js'
import { testVariables } from './support/site.js'

describe('a host app that starts from its sources', () => {
  it('prints lines for bash, dash and zsh that show what their comments say', async ({ startFromSources, signal }) => {
    const host = await startFromSources({ BASE_PATH: '/wp-json' })
    const printed = await host.printed('Stop with')
    const lines = readShellLines(printed)

    expect(printed).not.toContain(testVariables.JWT_AUTH_SECRET)
    expect(printed).toContain(`${host.origin}/wp-json/\n`)
    expect(host.origin).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    for (const { statuses, bodies } of await pasteIntoShells(lines, signal)) {
      const [login, reports, refreshed, revoked, refused] = bodies

      expect(statuses).toStrictEqual(lines.flatMap((line) => /^# (\d+): /.exec(line)?.[1] ?? []))
      for (const pair of [login, refreshed]) {
        const tokens = readTokens({ status: 200, body: pair })
        const { body } = authenticated(demo, tokens)

        // The access token is shown under one of its two names.
        expect({ ...pair, access_token: tokens.token }).toStrictEqual(body)
        expect(pair).not.toHaveProperty('access_token')
      }
      expect(reports).toStrictEqual(reportsFor(demo).body)
      expect(revoked).toStrictEqual(tokenRevoked.body)
      expect(refused).toStrictEqual(invalidToken.body)
    }
  })
})
