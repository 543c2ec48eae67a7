/** Prints the tables of docs/brute-force.md: `npm run simulate-attacks`. */
import { simulateFloods, toFloodTable } from './write-flood-table.js'
import { writeTable } from './write-table.js'

process.stdout.write(`${await writeTable()}\n\n${toFloodTable(await simulateFloods())}\n`)
