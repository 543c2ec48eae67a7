// Unpacks programs from Debian's packages into a folder without installing them. The programs run with the C library of their own suite,
// which may be newer than the C library of this machine.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { run } from '../processes.mjs'

/** The error for a package that is unavailable on this machine. */
export class Unavailable extends Error {}

/**
 * Opens suites of the Debian mirror that this machine's apt uses, with a separate apt configuration.
 *
 * @param suites the names of the suites; the last one is preferred
 * @param cache the folder for the lists of packages and the downloads
 * @param target the folder into which all packages are unpacked
 * @throws {Unavailable} when no mirror has the suites
 */
export const openSuites = async ({ suites, cache, target }) => {
  let reason = ''
  for (const mirror of await findMirrors()) {
    const apt = await configureApt(cache, mirror, suites)
    const failure = await apt('apt-get', ['-qq', '-o', 'APT::Update::Error-Mode=any', 'update']).then(
      () => undefined,
      (error) => error,
    )
    if (failure === undefined) return createUnpacker(apt, { cache, target })
    if (failure.message === 'interrupted') throw failure
    reason = `: ${lastLine(failure)}`
  }
  throw new Unavailable(`no mirror in the sources of this machine's apt has ${suites.join(' and ')}${reason}`)
}

const lastLine = (error) => error.message.trim().split('\n').at(-1)

const findMirrors = async () => {
  try {
    const lines = await run('apt-get', ['indextargets', '--format', '$(REPO_URI) $(COMPONENT)', 'Created-By: Packages'])
    const mirrors = lines.split('\n').flatMap((line) => (line.endsWith(' main') ? [line.split(' ')[0]] : []))
    return [...new Set(mirrors)].filter((mirror) => !/security/.test(mirror))
  } catch (error) {
    if (error.code === 'ENOENT') throw new Unavailable('this machine has no apt-get')
    throw error
  }
}

const configureApt = async (cache, mirror, suites) => {
  for (const path of ['lists/partial', 'archives/partial', 'downloads'])
    await mkdir(join(cache, path), { recursive: true })
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
  const sources = suites.map((suite) => `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`)
  await writeFile(join(cache, 'sources.list'), sources.join(''))
  // An empty list of installed packages: a program is downloaded with all of its libraries.
  await writeFile(join(cache, 'status'), '')
  const settings = {
    'Dir::Etc::sourcelist': join(cache, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferences': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State': cache,
    'Dir::State::lists': join(cache, 'lists'),
    'Dir::State::status': join(cache, 'status'),
    'Dir::Cache': cache,
    'APT::Default-Release': suites.at(-1),
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '3',
  }
  const config = join(cache, 'apt.conf')
  await writeFile(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  )
  const env = { ...process.env, APT_CONFIG: config, LC_ALL: 'C' }
  return (command, args, cwd = cache) => run(command, args, { env, cwd })
}

const createUnpacker = (apt, { cache, target }) => {
  const unpacked = new Set()
  // Outside of apt's cache, because apt prints no URI for files in its cache.
  const downloads = join(cache, 'downloads')

  /**
   * Unpacks packages and their libraries.
   *
   * @returns the folder, the version of the first package, and a function that wraps a program
   * @throws {Unavailable} when the suites lack a package
   */
  const unpack = async (packages) => {
    const files = await listArchives(apt, packages)
    const present = await readdir(downloads)
    const missing = files.filter((file) => !present.includes(file))
    if (missing.length > 0) await download(apt, missing, downloads)
    await mkdir(target, { recursive: true })
    for (const file of files.filter((file) => !unpacked.has(file))) {
      await run('dpkg-deb', ['--extract', join(downloads, file), target])
      unpacked.add(file)
    }
    const own = files.find((file) => file.startsWith(`${packages[0]}_`)) ?? ''
    return { folder: target, version: toVersion(own), wrap: await createWrapper(target) }
  }

  return { apt, unpack }
}

// Downloads into a draft folder, so that an interrupted download leaves no incomplete file.
const download = async (apt, files, downloads) => {
  const draft = await mkdtemp(`${downloads}-`)
  try {
    await apt('apt-get', ['download', '-qq', ...files.map(toRequest)], draft)
    for (const file of files) await rename(join(draft, file), join(downloads, file))
  } finally {
    await rm(draft, { recursive: true })
  }
}

const listArchives = async (apt, packages) => {
  const options = ['--print-uris', '-qq', '--yes', '--no-install-recommends']
  const listed = await apt('apt-get', ['install', ...options, ...packages]).catch((error) => {
    if (error.message === 'interrupted') throw error
    throw new Unavailable(`its mirror lacks ${packages.join(' or ')}: ${lastLine(error)}`)
  })
  // 'uri' name_version_architecture.deb size hash
  const archives = listed.split('\n').flatMap((line) => /^'\S+' (\S+)/.exec(line)?.[1] ?? [])
  return archives.filter((archive) => {
    const name = archive.split('_')[0]
    return packages.includes(name) || (/^z?lib/.test(name) && !/^lib(perl|pam|systemd-shared)/.test(name))
  })
}

// name_1%3a2.3-4_amd64.deb
const toRequest = (file) => {
  const [name, version] = file.split('_')
  return `${name}=${decodeURIComponent(version)}`
}

const toVersion = (file) =>
  decodeURIComponent(file.split('_')[1] ?? '')
    .replace(/^\d+:/, '')
    .replace(/[-+~].*$/, '')

/**
 * Returns the function that replaces an unpacked program by a script, which starts the program with the unpacked C library. If the
 * program starts other programs from its folder, wrap those as well.
 */
const createWrapper = async (target) => {
  const paths = await readdir(target, { recursive: true })
  const find = (pattern) => paths.find((path) => pattern.test(path)) ?? ''
  const loader = join(target, find(/\/ld-linux[^/]*\.so\.\d$/))
  // Older packages have libraries in /lib, newer packages only in /usr/lib.
  const triple = basename(dirname(find(/\/libc\.so\.6$/)))
  const libraries = ['lib', 'usr/lib'].map((path) => join(target, path, triple)).join(':')
  /** @param as the name of the script, in the folder of the program */
  return async (path, as = basename(path)) => {
    const program = join(target, path)
    const wrapper = join(dirname(program), as)
    const real = await keepReal(program, wrapper)
    const start = `exec '${loader}' --argv0 "$0" --library-path '${libraries}' '${real}' "$@"`
    await writeFile(wrapper, `#!/bin/sh\n${start}\n`, { mode: 0o755 })
    return wrapper
  }
}

const keepReal = async (program, wrapper) => {
  const renamed = `${wrapper}.real`
  if (existsSync(renamed)) return renamed
  const real = await realpath(program)
  if (real === wrapper) {
    await rename(program, renamed)
    return renamed
  }
  await rm(wrapper, { force: true })
  return real
}
