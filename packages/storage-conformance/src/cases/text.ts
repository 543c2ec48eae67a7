import assert from 'node:assert/strict'
import type { SessionRecord } from '@jwt-auth/core'
import { type ConformanceCase, casesOf } from '../conformance-case.js'
import { sampleSession, sampleUser, start } from '../sample-session.js'
import { assertStored, createAll } from '../stored-sessions.js'

const textIn = (text: string): Partial<SessionRecord> => ({
  userId: text,
  credentialVersion: text,
  userAgent: text,
  ipAddress: text,
  lastUserAgent: text,
  lastIpAddress: text,
  label: text,
})

/** One case that writes and looks up a text in every field that holds the host's text. */
const keptCase = (title: string, texts: readonly string[]): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const sessions = texts.map((text, number) => sampleSession(number, textIn(text)))
    await createAll(storage, sessions)
    await assertStored(storage, sessions, sessions)
    for (const session of sessions) {
      assert.deepEqual(await storage.listActive(sampleUser(session.userId), { now: start, limit: 1_000 }), [session])
      const ending = { endedAt: start, endReason: String(session.label) }
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'already-ended', ...ending })
    }
  },
})

/** The longest values of every field; ids and hashes are base64url. */
const longest = (letter: string): SessionRecord =>
  sampleSession(1, {
    id: 'aZ-_0'.padEnd(22, 'Q'),
    selectorHash: 'aZ-_1'.padEnd(43, 'Q'),
    verifierHash: 'aZ-_2'.padEnd(43, 'Q'),
    recentVerifiers: Array.from({ length: 8 }, (_, number) => ({
      verifierHash: `aZ-_${number}`.padEnd(43, 'Q'),
      salt: `aZ-_${number}`.padEnd(43, 'Q'),
      replacedAt: start - number,
    })),
    userId: letter.repeat(255 / letter.length),
    endedAt: start,
    endReason: letter.repeat(64 / letter.length),
    credentialVersion: letter.repeat(255 / letter.length),
    userAgent: letter.repeat(512 / letter.length),
    ipAddress: letter.repeat(64 / letter.length),
    lastUserAgent: letter.repeat(512 / letter.length),
    lastIpAddress: letter.repeat(64 / letter.length),
    label: letter.repeat(255 / letter.length),
  })

const longestCase = (title: string, letter: string): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const session = { ...longest(letter), endedAt: null, endReason: null }
    const { endedAt, endReason, ...rest } = longest(letter)
    await storage.create(session)
    assert.deepEqual(await storage.listActive(sampleUser(session.userId), { now: start, limit: 1_000 }), [session])
    await storage.endAllForUser(sampleUser(session.userId), { endedAt: start, endReason: endReason ?? '' })
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), { ...rest, endedAt, endReason })
  },
})

/** What the port promises about text that it keeps. */
export const textCases = casesOf('text', [
  keptCase('keeps quotes, backslashes, wildcards and what looks like code as they are', [
    `'; drop table sessions; --`,
    `"double", 'single', \`back\``,
    String.raw`C:\temp\new \' \" \u0041 \\`,
    '100%_?*[a-z]',
    `$1 \${name} {{name}} :name ?`,
    '{"json":[null,true]}',
  ]),
  keptCase('keeps letters of every script, emoji and those beyond 16 bits as they are', [
    'Grüße, ünïcödé',
    '日本語 한국어 العربية עברית ไทย',
    '🙂 👩‍👩‍👧‍👦 🇨🇭',
    '𝒳𐍈𠮷',
  ]),
  keptCase('keeps composed and decomposed letters apart, and joins none', [
    'caf\u00e9',
    'cafe\u0301',
    '\u212b',
    '\u00c5',
  ]),
  keptCase('keeps case, accents and width apart', ['name', 'Name', 'nàme', 'ｎａｍｅ', 'straße', 'strasse', 'ı', 'i']),
  keptCase('keeps spaces at both ends, and texts that differ in them apart', ['a', 'a ', ' a', 'a  ', 'a\u00a0']),
  keptCase('keeps invisible letters, and texts that differ in them apart', ['a', 'a\u200b', 'a\u00ad', '\ufeffa']),
  keptCase('keeps texts that look like something else as texts', [
    'null',
    'undefined',
    'true',
    '0',
    '-0',
    '007',
    'NaN',
  ]),
  longestCase('keeps the longest text of every field', 'a'),
  longestCase('keeps the longest text of every field in letters of three bytes', '語'),
  longestCase('keeps the longest text of every field in letters of four bytes', '🙂'),
  longestCase('keeps the longest text of every field in letters that have to be escaped', '"'),
])
