// Writes the files of a release into an empty folder: the tarballs of the built packages, a bill of
// materials (CycloneDX) of what an application installs with them, and the changes.
//
// Usage: npm run release -- FOLDER
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createFolder } from '../internal/test-support/src/temporary-folder.ts'
import { packPackages } from './packages.mjs'
import { run } from './processes.mjs'
import { publishedPackages, readPage } from './workspace.mjs'

const [, , target] = process.argv
if (target === undefined) throw new TypeError('usage: npm run release -- FOLDER')
const folder = resolve(target)
const packages = publishedPackages()
const { version, license } = packages[0].manifest
if (readPage('README.md').includes('#region unpublished')) {
  throw new Error('README.md says that the packages are not on npm: npm run version-packages removes this note')
}

/** Returns the changes of this version. Most packages have the same changes. */
const readNotes = () => {
  const names = new Map()
  for (const { folder: source, manifest } of packages) {
    const changelog = readPage(join(source, 'CHANGELOG.md'))
    const [changes] = changelog.split(`\n## ${manifest.version}\n`)[1].split(/^## /m)
    names.set(changes, [...(names.get(changes) ?? []), manifest.name])
  }
  return [...names].map(([changes, of]) => `## ${of.join(', ')}\n${changes}`).join('\n')
}

const writeBillOfMaterials = async (tarballs) => {
  // npm takes the name of the application from its folder.
  const application = join(createFolder(), 'jwt-auth')
  mkdirSync(application)
  writeFileSync(join(application, 'package.json'), JSON.stringify({ version, license }))
  await run('npm', ['install', '--silent', '--ignore-scripts', ...tarballs], { cwd: application })
  const sbom = await run('npm', ['sbom', '--silent', '--sbom-format=cyclonedx'], { cwd: application })
  writeFileSync(join(folder, 'sbom.cdx.json'), sbom.replaceAll(`file:${folder}/`, 'file:'))
}

writeFileSync(join(folder, 'notes.md'), readNotes())
const tarballs = Object.values(await packPackages(folder))
await writeBillOfMaterials(tarballs)
console.log(`${tarballs.length} packages of version ${version}, sbom.cdx.json and notes.md`)
