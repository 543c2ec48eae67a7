import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSecret } from '../../src/keys/read-secret.js'

const root = new URL('../../../../', import.meta.url)

const listFiles = (folder: string, extension: string): readonly string[] =>
  readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listFiles(`${path}/`, extension)
    return path.endsWith(extension) ? [path] : []
  })

/** Where readers copy from: every page, and the sources of the examples. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...listFiles('docs/', '.md'),
  ...listFiles('packages/', 'README.md'),
  ...listFiles('examples/', '.ts'),
  ...listFiles('examples/', '.mts'),
].filter((page) => !page.includes('/test/'))

const read = (page: string): string => readFileSync(new URL(page, root), 'utf8')

// `secret: '…'`, `JWT_AUTH_SECRET=…`, `"k": "…"`, and commands that generate a secret.
const assigned = /\b(?:\w*secret|\w*key|k|d)["']?\s*[:=]\s*(?:(["'`])([^"'`\n]+)\1|([^\s"'`,;|)\]}]{8,}))/gi
const commands = /`((?:node -e|openssl) [^`]+)`/g

/** Returns everything that a page shows in place of a secret. */
const findSecrets = (text: string): readonly string[] => [
  ...[...text.matchAll(assigned)].map(([, , quoted, bare]) => quoted ?? bare ?? ''),
  ...[...text.matchAll(commands)].map(([, command]) => command ?? ''),
]

describe('a secret in a page or an example', () => {
  it('is found in assignments, JWKs and commands', () => {
    const text = 'secret: \'one\', JWT_AUTH_SECRET=two-long-enough\n{"k": "three"} `openssl rand -base64 48`'
    expect(findSecrets(text)).toEqual(['one', 'two-long-enough', 'three', 'openssl rand -base64 48'])
  })

  const found = pages.flatMap((page) => [...new Set(findSecrets(read(page)))].map((secret) => [secret, page] as const))

  it('is searched in every page and example', () => {
    expect(pages).toEqual(
      expect.arrayContaining(['README.md', 'docs/guide/keys.md', 'examples/quickstart/src/app.mts']),
    )
    expect(found.map(([secret]) => secret)).toContainEqual(expect.stringContaining('randomBytes(48)'))
  })

  it.each(found)('is rejected by the library: %s (%s)', (secret) => {
    expect(() => readSecret('secret', secret, 'HS256')).toThrow(TypeError)
  })

  it.each(pages)('is not a private key: %s', (page) => {
    expect(read(page)).not.toMatch(/-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]/)
  })
})
