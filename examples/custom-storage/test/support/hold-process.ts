import { once } from 'node:events'
import { open } from 'lmdb'

const db = open({ path: process.argv[2] ?? '', encoding: 'string' })

// Keeps the lock of all writers until the standard input of this process ends.
db.transactionSync(() => {
  db.putSync('held', 'this value is committed only if the process is not killed')
  process.stdout.write('held')
  return once(process.stdin.resume(), 'end')
})
