import { chromium } from 'playwright-core'
import { launch as launchPuppeteer } from 'puppeteer-core'
import { findProgram, isExecutable } from './own-servers.js'
import { explainMissing } from './prerequisite.js'

// Without the requests that a browser sends on its own, and without the sandbox, which containers
// and root do not allow. The tests open pages of this repository only.
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// Pages come back from the browser's history as they do for users.
const ignoreDefaultArgs = ['--disable-back-forward-cache']

/**
 * Returns Chromium: the program that the variable `TEST_CHROMIUM` names, or one found on `PATH`.
 * The value `none` makes it missing.
 *
 * @throws Error when the variable names no program
 *
 * @example
 * describeEach([findChromium()], 'the page in $name', ({ launch }) => { … })
 */
export const findChromium = () => {
  const { file = '', missing } = findBrowser({
    name: 'Chromium',
    programs: ['chromium', 'chromium-browser', 'google-chrome'],
    debian: 'chromium',
    variable: 'TEST_CHROMIUM',
  })
  return {
    name: 'Chromium',
    missing,
    /** Starts the browser without a window, with additional flags. The caller must close it. */
    launch: (more: readonly string[] = []) =>
      chromium.launch({ executablePath: file, args: [...flags, ...more], ignoreDefaultArgs }),
  }
}

// Firefox makes the timers of background tabs wait for a second.
const prefs = { 'dom.min_background_timeout_value': 0, 'dom.timeout.enable_budget_timer_throttling': false }

/**
 * Returns Firefox: the program that the variable `TEST_FIREFOX` names, or one found on `PATH`. The
 * value `none` makes it missing. playwright-core drives only a Firefox of its own, so puppeteer-core
 * drives this one.
 *
 * @throws Error when the variable names no program
 */
export const findFirefox = () => {
  const { file = '', missing } = findBrowser({
    name: 'Firefox',
    programs: ['firefox-esr', 'firefox'],
    debian: 'firefox-esr',
    variable: 'TEST_FIREFOX',
  })
  return {
    name: 'Firefox',
    missing,
    /**
     * Starts Firefox without a window. It resolves the hosts to this machine. The caller must close
     * it.
     */
    launch: (hosts: readonly string[] = []) =>
      launchPuppeteer({
        browser: 'firefox',
        executablePath: file,
        acceptInsecureCerts: true,
        extraPrefsFirefox: { ...prefs, 'network.dns.localDomains': hosts.join(',') },
      }),
  }
}

interface BrowserPlaces {
  readonly name: string
  readonly programs: readonly string[]
  /** The package of Debian. */
  readonly debian: string
  /** The variable that may name the file. */
  readonly variable: string
}

const findBrowser = ({ name, programs, debian, variable }: BrowserPlaces) => {
  const given = process.env[variable] || undefined
  if (given === 'none')
    return { file: undefined, missing: explainMissing(false, `${variable} is \`none\`. Unset ${variable}.`) }
  if (given !== undefined) {
    if (!isExecutable(given)) throw new TypeError(`${variable} must be the file of a program, not ${given}.`)
    return { file: given, missing: undefined }
  }
  const file = findProgram(...programs)
  const explanation = `${name} is not installed. Install it (Debian: apt-get install ${debian}), or set ${variable} to its file.`
  return { file, missing: explainMissing(file !== undefined, explanation) }
}
