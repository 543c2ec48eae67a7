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

/** Creates a case that writes and looks up each text in every field whose text the application or the client chooses. */
const keptCase = (title: string, texts: readonly string[]): Omit<ConformanceCase, 'capability'> => ({
  title,
  run: async (storage) => {
    const sessions = texts.map((text, number) => sampleSession(number, textIn(text)))
    await createAll(storage, sessions)
    await assertStored(storage, sessions, sessions)
    for (const session of sessions) {
      assert.deepEqual(await storage.list(sampleUser(session.userId), { activeAt: start, limit: 1_000 }), [session])
      const ending = { endedAt: start, endReason: String(session.label) }
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'ended' })
      assert.deepEqual(await storage.end(session.id, ending), { outcome: 'already-ended', ...ending })
    }
  },
})

/** Returns a session with the longest text in every field. Ids and hashes are base64url. */
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
    assert.deepEqual(await storage.list(sampleUser(session.userId), { activeAt: start, limit: 1_000 }), [session])
    await storage.endAllForUser(sampleUser(session.userId), { endedAt: start, endReason: endReason ?? '' })
    assert.deepEqual(await storage.findBySelectorHash(session.selectorHash), { ...rest, endedAt, endReason })
  },
})

/** The requirements for text that a storage stores. */
export const textCases = casesOf('text', [
  keptCase('every text field keeps quotes, backslashes, wildcards and code unchanged', [
    `'; drop table sessions; --`,
    `"double", 'single', \`back\``,
    String.raw`C:\temp\new \' \" \u0041 \\`,
    '100%_?*[a-z]',
    `$1 \${name} {{name}} :name ?`,
    '{"json":[null,true]}',
  ]),
  keptCase('every text field keeps letters of many scripts, emoji and characters beyond 16 bits unchanged', [
    'Grüße, ünïcödé',
    '日本語 한국어 العربية עברית ไทย',
    '🙂 👩‍👩‍👧‍👦 🇨🇭',
    '𝒳𐍈𠮷',
  ]),
  keptCase('every text field keeps composed and decomposed characters distinct', [
    'caf\u00e9',
    'cafe\u0301',
    '\u212b',
    '\u00c5',
  ]),
  keptCase('every text field keeps texts that differ in case, accents or width distinct', [
    'name',
    'Name',
    'nàme',
    'ｎａｍｅ',
    'straße',
    'strasse',
    'ı',
    'i',
  ]),
  keptCase('every text field keeps leading and trailing spaces, and keeps texts that differ only in spaces distinct', [
    'a',
    'a ',
    ' a',
    'a  ',
    'a\u00a0',
  ]),
  keptCase('every text field keeps invisible characters, and keeps texts that differ only in them distinct', [
    'a',
    'a\u200b',
    'a\u00ad',
    '\ufeffa',
  ]),
  keptCase('every text field keeps text that looks like null, a boolean or a number as text', [
    'null',
    'undefined',
    'true',
    '0',
    '-0',
    '007',
    'NaN',
  ]),
  longestCase('every text field keeps its longest text', 'a'),
  longestCase('every text field keeps its longest text in characters of three bytes', '語'),
  longestCase('every text field keeps its longest text in characters of four bytes', '🙂'),
  longestCase('every text field keeps its longest text in characters that must be escaped', '"'),
])
