// Packs the built packages into a folder of an application, and prints the line that installs them there.
//
// Usage: npm run pack -- APPLICATION [package …], as in an install line; by default the packages of README.md
import { mkdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { packPackages } from './packages.mjs'
import { publishedPackages } from './workspace.mjs'

const [, , target, ...words] = process.argv
if (target === undefined) throw new TypeError('usage: npm run pack -- APPLICATION [package …]')
const application = resolve(target)
const folder = join(application, 'jwt-auth-packages')
mkdirSync(folder, { recursive: true })
const tarballs = await packPackages(folder)
const chosen = words.length > 0 ? words : ['express', '@jwt-auth/express', '@jwt-auth/storage-memory']
// npm would look for these in the registry.
const needed = publishedPackages().flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}))
const names = new Set([...chosen, ...needed.filter((name) => name in tarballs)])
const files = [...names].map((name) => (name in tarballs ? `./${relative(application, tarballs[name])}` : name))
console.log(`Run this line in ${application}:\n\nnpm install ${files.join(' ')}`)
