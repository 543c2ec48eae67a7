/** Simulates attacks on the default limits: `npm run simulate-attacks`. */
import { writeMeasurements } from '@jwt-auth/test-support'
import { simulateFloods, toFloodTable } from './floods.js'
import { simulateGuesses } from './guesses.js'

const guessing = `In a simulated day, each address of the attacker guesses once a second, and waits exactly as long as
a response tells it. Every hour, the victim logs in from a known network and from a new network.
jwt-auth has both limits of the two plain defences, and accepts the right password from known
networks. Each cell has the guesses of a day, and the share of the victim's logins that succeed from
the known and from the new network.`

const floods = `In a simulated minute, too many logins reach one processor for hashes, each of 210 ms. The attackers
ignore \`Retry-After\`. The owner logs in every second from a known network, and does not retry. Every
three seconds, a newcomer logs in from a new network, and retries after \`Retry-After\`; the table
counts logins that succeed within ten seconds. The p95 is the owner's response time, divided by the
time of one hash. The last four columns are for a queue in the order of arrival.`

const sections = {
  'Guessing at one account': `${guessing}\n\n${await simulateGuesses()}`,
  Floods: `${floods}\n\n${toFloodTable(await simulateFloods())}`,
}
for (const [title, text] of Object.entries(sections)) {
  process.stdout.write(`## ${title}\n\n${text}\n\n`)
  if (process.argv.includes('--write')) await writeMeasurements('npm run simulate-attacks', title, text)
}
