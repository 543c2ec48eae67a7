// Hashes at bcrypt's lowest cost: the programs set none, and their tests hash often.
import { createRequire } from 'node:module'

const bcrypt = createRequire(new URL('../../../../packages/passwords/package.json', import.meta.url))('bcrypt')
const { hash, compare } = bcrypt
bcrypt.hash = (password) => hash(password, 4)
bcrypt.compare = (password, stored) => compare(password, stored.replace(/^\$2b\$\d\d(?=\$jwtauthdummy)/, '$2b$04'))
