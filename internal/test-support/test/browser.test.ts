import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { findChromium } from '../src/browser.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

const noProgram = fileURLToPath(import.meta.url)

describe('Chromium', () => {
  it('is missing without a program in PATH, and the reason says how to install it', () => {
    vi.stubEnv('REQUIRE_DATABASES', undefined)
    vi.stubEnv('TEST_CHROMIUM', undefined)
    vi.stubEnv('PATH', '')
    expect(findChromium().missing).toBe(
      'Chromium is not installed. Install it (Debian: apt-get install chromium), or set TEST_CHROMIUM to its file.',
    )
  })

  it('is an error that says how to install it where REQUIRE_DATABASES is 1', () => {
    vi.stubEnv('REQUIRE_DATABASES', '1')
    vi.stubEnv('TEST_CHROMIUM', undefined)
    vi.stubEnv('PATH', '')
    expect(() => findChromium()).toThrow('apt-get install chromium')
  })

  it('is missing where TEST_CHROMIUM is none', () => {
    vi.stubEnv('REQUIRE_DATABASES', undefined)
    vi.stubEnv('TEST_CHROMIUM', 'none')
    expect(findChromium().missing).toContain('Unset TEST_CHROMIUM.')
  })

  it('is the program that TEST_CHROMIUM names, which must be executable', () => {
    vi.stubEnv('TEST_CHROMIUM', process.execPath)
    expect(findChromium().missing).toBeUndefined()
    vi.stubEnv('TEST_CHROMIUM', noProgram)
    expect(() => findChromium()).toThrow('TEST_CHROMIUM must be the file of a program')
  })
})
