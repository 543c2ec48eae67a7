// Replaces the list of breached passwords by one that contains `password password`, so that no test calls a service.
import { createHash } from 'node:crypto'
import { hashCheaply } from '@jwt-auth/test-support/cheap-hashes'

hashCheaply()

const digest = createHash('sha1').update('password password').digest('hex').toUpperCase()

globalThis.fetch = async () => new Response(`${digest.slice(5)}:7`)
