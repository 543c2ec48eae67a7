/** Prints the tables of docs/security/brute-force.md: `npm run simulate-attacks`. */
import { writeFloodTable } from './write-flood-table.js'
import { writeTable } from './write-table.js'

process.stdout.write(`${await writeTable()}\n\n${await writeFloodTable()}\n`)
