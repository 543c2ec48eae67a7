import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { demo, readTokens } from './support/client.js'
import { authenticated, invalidToken, reportsFor, tokenRevoked } from './support/expected-responses.js'
import { it } from './support/it.js'
import { testVariables } from './support/site.js'

const run = promisify(execFile)

/** The HTTP statuses and bodies that the lines printed in a shell. */
interface Shown {
  readonly statuses: readonly string[]
  readonly bodies: readonly object[]
}

/** Returns the lines of the output that are written for a shell, including comments. */
const readShellLines = (printed: string): readonly string[] =>
  [...printed.matchAll(/^ {2}(.*)$/gm)].flatMap(([, line = '']) => line)

/** Runs the lines one by one in each supported shell of this machine. Rejects when a line fails. */
const pasteIntoShells = async (lines: readonly string[], signal: AbortSignal): Promise<readonly Shown[]> => {
  const shells = await Promise.all(['bash', 'dash', 'zsh'].map(findShell))
  return Promise.all(shells.flat().map((shell) => pasteInto(shell, lines, signal)))
}

const findShell = (shell: string): Promise<readonly string[]> =>
  run(shell, ['-c', ':']).then(
    () => [shell],
    () => [],
  )

const pasteInto = async (shell: string, lines: readonly string[], signal: AbortSignal): Promise<Shown> => {
  const running = run(shell, ['-eu'], { signal })
  running.child.stdin?.end(['exec 2>&1', ...lines, ''].join('\n'))
  const { stdout } = await running
  const shown = stdout.split('\n').filter(Boolean)
  return {
    statuses: shown.flatMap((line) => /^HTTP (\d+)$/.exec(line)?.[1] ?? []),
    bodies: shown.filter((line) => !line.startsWith('HTTP ')).map(parseObject),
  }
}

const parseObject = (text: string): object => Object(JSON.parse(text))

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
