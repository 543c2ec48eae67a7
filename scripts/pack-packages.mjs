// Packs the published packages for tests.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './processes.mjs'
import { publishedPackages, root } from './workspace.mjs'

const pnpm = join(root, 'node_modules', '.bin', 'pnpm')

/**
 * Packs every published package into an empty folder, as `pnpm publish` does. Resolves to the paths
 * of the tarballs by package name.
 */
export const packPackages = async (folder) => {
  for (const { folder: source } of publishedPackages()) {
    await run(pnpm, ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, source) })
  }
  const files = readdirSync(folder)
  const paths = publishedPackages().map(({ manifest: { name, version } }) => {
    const file = `${name.slice(1).replace('/', '-')}-${version}.tgz`
    if (!files.includes(file)) throw new Error(`${name} was not packed as ${file}`)
    return [name, join(folder, file)]
  })
  return Object.fromEntries(paths)
}
