import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-lockfile-'))
afterAll(() => rmSync(folder, { recursive: true }))

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const ourLockfile = readFileSync(here('../../pnpm-lock.yaml'), 'utf8')

/** What the command says of a lockfile. */
const check = (lockfile: string): { readonly isPassed: boolean; readonly said: string } => {
  const path = join(folder, 'pnpm-lock.yaml')
  writeFileSync(path, lockfile)
  const { status, stdout, stderr } = spawnSync(process.execPath, [here('../check-lockfile.mjs'), path], {
    encoding: 'utf8',
  })
  return { isPassed: status === 0, said: stdout + stderr }
}

const withPackages = (...keys: readonly string[]): string =>
  [
    'packages:',
    '',
    ...keys.flatMap((key) => [`  ${key}:`, '    resolution: {integrity: sha512-}', '']),
    'snapshots:',
  ].join('\n')

describe('the lockfile rule', () => {
  it('passes our own lockfile', () => {
    expect(check(ourLockfile)).toEqual({
      isPassed: true,
      said: expect.stringMatching(/^\d{3,} packages, none of them with a known hole\n$/),
    })
  })

  it('refuses our own lockfile with one version changed, and says which, why and what to do', () => {
    const { isPassed, said } = check(ourLockfile.replace(/^ {2}jws@4\.0\.1:$/m, '  jws@4.0.0:'))
    expect(isPassed).toBe(false)
    expect(said).toMatch(/^jws 4\.0\.0: at least 4\.0\.1 is needed \(GHSA-869p-cjfg-cm3x: /)
    expect(said).toContain('`pnpm why --recursive jws`')
    expect(said).toContain('`overrides`')
  })

  it('refuses whatever is older than the fix of its release line, or has none', () => {
    const bad = [
      'jws@3.2.3',
      'jws@4.0.0',
      'body-parser@1.20.5',
      'body-parser@2.2.9',
      'path-to-regexp@1.9.0',
      'qs@6.9.14',
      'redis@3.1.1-rc.1',
      'proxy-addr@https://example.com/proxy-addr.tgz',
    ]
    const { isPassed, said } = check(withPackages('zod@4.6.7', ...bad.map((key) => `'${key}'`)))
    expect(isPassed).toBe(false)
    expect(new Set([...said.matchAll(/^(\S+) (\S+): /gm)].map(([, name, version]) => `${name}@${version}`))).toEqual(
      new Set(bad),
    )
  })

  it('passes the fix, what is newer, and packages of other names', () => {
    const good = [
      'jws@4.0.1',
      'jws@5.0.0',
      'body-parser@1.20.6',
      'path-to-regexp@0.1.13',
      'qs@6.100.0',
      '@types/qs@6.9.0',
    ]
    expect(check(withPackages(...good.map((key) => `'${key}'`)))).toEqual({
      isPassed: true,
      said: '6 packages, none of them with a known hole\n',
    })
  })

  it('names a package once for each hole it has', () => {
    const { said } = check(withPackages('qs@6.14.1'))
    expect(said.match(/^qs 6\.14\.1: /gm)).toHaveLength(2)
  })

  it.each([
    ['empty', ''],
    ['of another form', 'packages:\n\n  /jws/4.0.0:\n    resolution: {}\n'],
  ])('refuses a lockfile that is %s', (_, lockfile) => {
    expect(check(lockfile)).toEqual({ isPassed: false, said: expect.stringContaining('no packages were found in it') })
  })
})
