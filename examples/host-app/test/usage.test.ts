import { describe, expect, it } from 'vitest'
import { describeUsage } from '../src/usage.js'
import { readShellLines } from './support/shell.js'

const lines = readShellLines(describeUsage('http://[::1]:3000/wp-json'))
const comments = lines.filter((line) => line.startsWith('#'))

describe('the printed lines for a shell', () => {
  it('have a comment before each request, with the status that it shows', () => {
    const beforeRequests = lines.filter((_, place) => lines[place + 1]?.includes('curl '))

    expect(comments).toStrictEqual(beforeRequests)
    expect(comments).toHaveLength(5)
  })

  it.each(comments)('have a comment without special characters of a shell: %s', (comment) => {
    expect(comment).toMatch(/^# \d{3}: [\w ,.]+$/)
  })

  it('quote every address', () => {
    const requests = lines.filter((line) => line.includes('curl '))

    for (const line of requests) expect(line).toMatch(/ 'http:\/\/\[::1\]:3000\/wp-json\/[\w/-]+' /)
  })
})
