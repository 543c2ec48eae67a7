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
  { name: 'a botnet of 1,000', addresses: botnet },
  { name: 'a victim-locker with 10 addresses', addresses: botnet.slice(0, 10) },
  { name: "a victim-locker in the victim's own network", addresses: [victimsAddress] },
]

const tenInThreeHours = { points: 10, durationSeconds: 10_800 }
const hundredInADay = { points: 100, durationSeconds: 86_400 }

const defences: readonly { readonly name: string; readonly create: () => Defence }[] = [
  { name: 'ours', create: createOurDefence },
  { name: '10 in 3 h per address', create: () => createPlainDefence(({ address }) => address, tenInThreeHours) },
  { name: '100 in a day per account', create: () => createPlainDefence(() => 'the account', hundredInADay) },
]

const headings = [
  'Attacker',
  'Limits',
  'Guesses per day',
  'Victim logged in, known network',
  'Victim logged in, new network',
]

/** Simulates every attack against every defence; a Markdown table of what came of it. */
export const writeTable = async (): Promise<string> => {
  const rows: string[][] = []
  for (const attack of attacks) {
    for (const defence of defences) {
      const { guesses, fromKnownNetwork, fromNewNetwork } = await simulateDay(defence.create(), attack.addresses)
      const victim = [fromKnownNetwork, fromNewNetwork].map(toPercent)
      rows.push([attack.name, defence.name, guesses.toLocaleString('en'), ...victim])
    }
  }
  return toMarkdownTable(headings, ['---', '---', '--:', '--:', '--:'], rows)
}

const toPercent = (letIn: number): string => `${Math.round((letIn / 24) * 100)} %`
