// The root folder and the published packages of this workspace.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Returns the text of a page. */
export const readPage = (path) => readFileSync(join(root, path), 'utf8')

/** Returns the folder, relative to the root, and the manifest of each published package. */
export const publishedPackages = () =>
  readdirSync(join(root, 'packages'))
    .map((name) => join('packages', name))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readPage(join(folder, 'package.json'))) }))
