import { writeTable } from './write-table.js'

process.stdout.write(`${await writeTable()}\n`)
