import type { Defence } from './defence.js'
import { toMarkdownTable } from './markdown-table.js'
import { createOurDefence } from './our-defence.js'
import { createPlainDefence } from './plain-defence.js'
import { simulateDay, victimsAddress } from './simulate-day.js'

interface Attack {
  readonly name: string
  readonly addresses: readonly string[]
}

const toAddress = (number: number): string => `10.0.${number >> 8}.${number & 255}`

const botnet = Array.from({ length: 1_000 }, (_, number) => toAddress(number))

const attacks: readonly Attack[] = [
  { name: 'one address', addresses: botnet.slice(0, 1) },
  { name: '1,000 addresses (a botnet)', addresses: botnet },
  { name: '10 addresses', addresses: botnet.slice(0, 10) },
  { name: 'one address in the network of the victim', addresses: [victimsAddress] },
]

const tenInThreeHours = { points: 10, durationSeconds: 10_800 }
const hundredInADay = { points: 100, durationSeconds: 86_400 }

const defences: readonly { readonly name: string; readonly create: () => Defence }[] = [
  { name: 'jwt-auth', create: createOurDefence },
  { name: '10 per address in 3 hours', create: () => createPlainDefence(({ address }) => address, tenInThreeHours) },
  { name: '100 per account in a day', create: () => createPlainDefence(() => 'the account', hundredInADay) },
]

/** Simulates every attack against every defence. Returns a Markdown table with a column for each defence. */
export const writeTable = async (): Promise<string> => {
  const rows: string[][] = []
  for (const { name, addresses } of attacks) {
    const cells: string[] = []
    for (const { create } of defences) {
      const { guesses, fromKnownNetwork, fromNewNetwork } = await simulateDay(create(), addresses)
      cells.push([guesses.toLocaleString('en'), toPercent(fromKnownNetwork), toPercent(fromNewNetwork)].join('; '))
    }
    rows.push([name, ...cells])
  }
  return toMarkdownTable(['Attacker', ...defences.map(({ name }) => name)], ['---', '--:', '--:', '--:'], rows)
}

const toPercent = (successes: number): string => `${Math.round((successes / 24) * 100)} %`
