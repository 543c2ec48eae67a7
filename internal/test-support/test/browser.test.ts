import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findChromium, findFirefox } from '../src/browser.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

const noProgram = fileURLToPath(import.meta.url)

describe.each([
  { name: 'Chromium', find: findChromium, variable: 'TEST_CHROMIUM', debian: 'chromium' },
  { name: 'Firefox', find: findFirefox, variable: 'TEST_FIREFOX', debian: 'firefox-esr' },
])('$name', ({ name, find, variable, debian }) => {
  it('is missing without a program in PATH, and the reason says how to install it', () => {
    vi.stubEnv('REQUIRE_DATABASES', undefined)
    vi.stubEnv(variable, undefined)
    vi.stubEnv('PATH', '')
    expect(find().missing).toBe(
      `${name} is not installed. Install it (Debian: apt-get install ${debian}), or set ${variable} to its file.`,
    )
  })

  it('is an error that says how to install it where REQUIRE_DATABASES is 1', () => {
    vi.stubEnv('REQUIRE_DATABASES', '1')
    vi.stubEnv(variable, undefined)
    vi.stubEnv('PATH', '')
    expect(() => find()).toThrow(`apt-get install ${debian}`)
  })

  it('is missing where its variable is none', () => {
    vi.stubEnv('REQUIRE_DATABASES', undefined)
    vi.stubEnv(variable, 'none')
    expect(find().missing).toContain(`Unset ${variable}.`)
  })

  it('is the program that its variable names, which must be executable', () => {
    vi.stubEnv(variable, process.execPath)
    expect(find().missing).toBeUndefined()
    vi.stubEnv(variable, noProgram)
    expect(() => find()).toThrow(`${variable} must be the file of a program`)
  })
})
