import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The size of packages and their dependencies in `node_modules`. */
export interface InstalledSize {
  readonly packages: number
  readonly bytes: number
}

const folder = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Adds up packages and all their dependencies, each once. Counts only the published files of the
 * packages of this workspace.
 */
export const measureInstalledSize = (names: readonly string[]): InstalledSize => {
  const found = new Set<string>()
  const visit = (name: string, from: string): void => {
    const place = findPackage(name, from)
    if (found.has(place)) return
    found.add(place)
    for (const dependency of Object.keys(readManifest(place).dependencies)) visit(dependency, place)
  }
  for (const name of names) visit(name, folder)
  return { packages: found.size, bytes: [...found].reduce((sum, place) => sum + bytesOfPackage(place), 0) }
}

interface PackageManifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
}

const readManifest = (place: string): PackageManifest => ({
  dependencies: {},
  ...JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')),
})

/** Finds the folder of a package: in each `node_modules` on the way up, as Node does. */
const findPackage = (name: string, from: string): string => {
  const place = join(from, 'node_modules', name)
  if (existsSync(place)) return realpathSync(place)
  if (dirname(from) === from) throw new Error(`${name} is not installed.`)
  return findPackage(name, dirname(from))
}

const bytesOfPackage = (place: string): number => {
  const isOurs = readManifest(place).name.startsWith('@jwt-auth/')
  return isOurs ? bytesOf(join(place, 'dist')) + bytesOf(join(place, 'package.json')) : bytesOf(place)
}

const bytesOf = (place: string): number => {
  const { size, isDirectory } = statOf(place)
  if (!isDirectory) return size
  const inner = readdirSync(place).filter((name) => name !== 'node_modules')
  return inner.reduce((sum, name) => sum + bytesOf(join(place, name)), 0)
}

const statOf = (place: string): { readonly size: number; readonly isDirectory: boolean } => {
  const stats = statSync(place)
  return { size: stats.size, isDirectory: stats.isDirectory() }
}
