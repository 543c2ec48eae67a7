// Packs the published packages, and serves them from a registry on loopback.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename } from 'node:path'
import { listen } from '../internal/test-support/src/server-process.ts'
import { run } from './processes.mjs'
import { root } from './workspace.mjs'

/**
 * Packs every published package into a folder, as `pnpm publish` does. Resolves to the paths of the
 * tarballs by package name.
 */
export const packPackages = async (folder) => {
  const args = ['--recursive', '--filter', './packages/*', 'pack', '--json', '--pack-destination', folder]
  const packed = JSON.parse(await run(`${root}/node_modules/.bin/pnpm`, args, { cwd: root }))
  return Object.fromEntries(packed.map(({ name, filename }) => [name, filename]))
}

const describePackage = async (tarball, origin) => {
  const manifest = JSON.parse(await run('tar', ['-xzOf', tarball, 'package/package.json']))
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
  const dist = { integrity, tarball: `${origin}/${basename(tarball)}` }
  const { name, version } = manifest
  return JSON.stringify({ name, 'dist-tags': { latest: version }, versions: { [version]: { ...manifest, dist } } })
}

/**
 * Starts a registry that has these tarballs, which are named by package. Sends clients to the configured
 * registry for all other packages. Resolves to its URL.
 */
export const startRegistry = async (tarballs) => {
  const configured = (await run('npm', ['config', 'get', 'registry'])).trim()
  const responses = new Map()
  const server = createServer(({ url }, res) => {
    const response = responses.get(decodeURIComponent(url))
    if (response !== undefined) res.end(response)
    else res.writeHead(307, { location: new URL(url.slice(1), configured).href }).end()
  })
  const origin = `http://127.0.0.1:${await listen(server.unref())}`
  for (const [name, tarball] of Object.entries(tarballs)) {
    responses.set(`/${name}`, await describePackage(tarball, origin))
    responses.set(`/${basename(tarball)}`, readFileSync(tarball))
  }
  return origin
}
