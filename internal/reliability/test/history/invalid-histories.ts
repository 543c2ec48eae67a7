const ends = 'no session is used after its acknowledged end'
const chain = 'refresh tokens form one chain'
const grace = 'a replaced token is valid for its grace window only'
const own = 'each response is about the session of its requester'
const cause = 'every refusal has a cause'
const password = 'a changed password ends sessions at their next refresh'
const shared = 'no two sessions share a token'
const final = 'final reads show what is stored'
const contract = 'every response is in the contract'

/** What the checker must find: a rule, and the numbers of the operations that break it. */
type Finding = readonly [rule: string, ...operations: readonly number[]]

/** Histories with a violation planted in each, judged with a grace window of 30 ms. */
export const invalidHistories: readonly (readonly [name: string, text: string, findings: readonly Finding[]])[] = [
  [
    'validate accepts a token after another client was told that it is revoked',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-50  lost
      s1 revoke a1   15-20  already-revoked
      s1 validate a1 21-30  authenticated
      s1 visit! a1   51-52  refused
      s1 refresh! r1 53-54  refused
    `,
    [[ends, 3, 4]],
  ],
  [
    'a replay leaves the successor usable',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r1  50-52  refused
      s1 visit! a2   53-54  authenticated
      s1 refresh! r2 55-56  granted r3 a3
    `,
    [
      [ends, 3, 4],
      [ends, 3, 5],
    ],
  ],
  [
    'a revocation is undone by a restart',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-20  revoked
      s1 visit! a1   41-42  authenticated
      s1 refresh! r1 43-44  granted r2 a2
    `,
    [
      [ends, 2, 3],
      [ends, 2, 4],
    ],
  ],
  [
    'two revocations both report that they ended the session',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-20  revoked
      s1 revoke a1   11-19  revoked
      s1 visit! a1   41-42  refused
      s1 refresh! r1 43-44  refused
    `,
    [[ends, 3, 2]],
  ],
  [
    'a revocation reports that it ended the session after another reported that it had ended',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-20  lost
      s1 revoke a1   21-22  already-revoked
      s1 revoke a1   23-24  revoked
      s1 visit! a1   41-42  refused
      s1 refresh! r1 43-44  refused
    `,
    [[ends, 3, 4]],
  ],
  [
    'a revocation reports that it ended a session that a replay had ended',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r1  50-52  refused
      s1 revoke a2   53-54  revoked
      s1 visit! a2   55-56  refused
      s1 refresh! r2 57-58  refused
    `,
    [[ends, 3, 4]],
  ],
  [
    'a replaced token leads on after its grace window',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r1  44-46  granted r2 a3
      s1 visit! a3   47-48  authenticated
      s1 refresh! r2 49-50  granted r3 a4
    `,
    [[grace, 2, 3]],
  ],
  [
    'a token leads on although a later token shows that it was replaced long ago',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1   6-7   granted r2 a2
      s1 refresh r1   8-60  granted r3 a4
      s1 refresh r2  10-12  granted r3 a3
      s1 refresh r2  44-46  granted r3 a5
      s1 visit! a5   61-62  authenticated
      s1 refresh! r3 63-64  granted r4 a6
    `,
    [[grace, 4, 5]],
  ],
  [
    'a token leads on although it was replaced by more tokens than the session remembers',
    `
      s1 login        0-1   granted r1 a1
      s1 refresh r1   1-2   granted r2 a2
      s1 refresh r2   2-3   granted r3 a3
      s1 refresh r3   3-4   granted r4 a4
      s1 refresh r4   4-5   granted r5 a5
      s1 refresh r5   5-6   granted r6 a6
      s1 refresh r6   6-7   granted r7 a7
      s1 refresh r7   7-8   granted r8 a8
      s1 refresh r8   8-9   granted r9 a9
      s1 refresh r9   9-10  granted r10 a10
      s1 refresh r1  11-12  granted r10 a11
      s1 visit! a10  13-14  authenticated
      s1 refresh! r10 15-16 granted r11 a12
    `,
    [[grace, 11]],
  ],
  [
    'racing refreshes get two tokens',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  granted r3 a3
      s1 visit! a3   41-42  authenticated
      s1 refresh! r3 43-44  granted r4 a4
    `,
    [[chain, 1, 2, 3, 5]],
  ],
  [
    'a restart revives a replaced token',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r1  20-22  granted r3 a3
      s1 refresh r3  23-24  granted r4 a4
      s1 visit! a4   41-42  authenticated
      s1 refresh! r4 43-44  granted r5 a5
    `,
    [[chain, 1, 2, 3, 4, 6]],
  ],
  [
    'a token is current again after its successor was',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r2  13-14  granted r3 a3
      s1 refresh r1  15-16  granted r2 a4
      s1 visit! a4   41-42  authenticated
      s1 refresh! r3 43-44  granted r4 a5
    `,
    [[chain, 2, 3, 4]],
  ],
  [
    'a refresh leads to the token that was presented',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r1 a2
      s1 visit! a2   41-42  authenticated
      s1 refresh! r1 43-44  granted r2 a3
    `,
    [[chain, 1, 2]],
  ],
  [
    'three tokens lead round in a circle',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-30  granted r2 a2
      s1 refresh r2  11-29  granted r3 a3
      s1 refresh r3  12-28  granted r4 a4
      s1 refresh r4  13-27  granted r2 a5
      s1 visit! a5   41-42  authenticated
      s1 refresh! r4 43-44  granted r5 a6
    `,
    [[chain, 1, 2, 3, 4, 5, 7]],
  ],
  [
    'two sessions receive one refresh token',
    `
      s1 login        0-5   granted r1 a1
      s2 login        1-4   granted r2 a2
      s1 refresh r1  10-15  granted r3 a3
      s2 refresh r2  10-15  granted r3 a4
      s1 visit! a3   20-21  authenticated
      s1 refresh! r3 22-23  granted r4 a5
      s2 visit! a4   20-21  authenticated
      s2 refresh! r3 22-23  granted r5 a6
    `,
    [[shared, 3, 4]],
  ],
  [
    'two logins open one session',
    `
      s1 login        0-5   granted r1 a1
      s1 visit! a1   20-21  authenticated
      s1 refresh! r1 22-23  granted r3 a3
      s2 login        1-4   granted r2 a2 of s1
    `,
    [
      [shared, 1, 4],
      [own, 4],
      [final, 4],
    ],
  ],
  [
    'two refreshes within one second receive one access token',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  granted r2 a2
      s1 visit! a2   41-42  authenticated
      s1 refresh! r2 43-44  granted r3 a4
    `,
    [[shared, 2, 3]],
  ],
  [
    'a pair of tokens reaches another user',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2 of s2
      s1 visit! a1   41-42  authenticated
      s1 refresh! r2 43-44  granted r3 a4
    `,
    [[own, 1, 2]],
  ],
  [
    'the guard names another caller',
    `
      s1 login        0-5   granted r1 a1
      s1 visit a1    10-20  authenticated of s2
      s1 visit! a1   41-42  authenticated
      s1 refresh! r1 43-44  granted r2 a2
    `,
    [[own, 1, 2]],
  ],
  [
    'the guard authenticates a request without naming its caller',
    `
      s1 login        0-5   granted r1 a1
      s1 visit a1    10-20  authenticated of nobody
      s1 visit! a1   41-42  authenticated
      s1 refresh! r1 43-44  granted r2 a2
    `,
    [[own, 1, 2]],
  ],
  [
    'the loser of a race is refused',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-20  granted r2 a2
      s1 refresh r1  11-21  refused
      s1 visit! a2   41-42  refused
      s1 refresh! r2 43-44  refused
    `,
    [
      [cause, 3],
      [cause, 4],
      [cause, 5],
    ],
  ],
  [
    'an acknowledged rotation is lost, so that its token looks replayed',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 visit! a2   13-14  authenticated
      s1 refresh! r2 15-16  refused
    `,
    [[cause, 4]],
  ],
  [
    'a revocation that nobody sent is reported',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-12  already-revoked
      s1 visit! a1   13-14  refused
      s1 refresh! r1 15-16  refused
    `,
    [
      [cause, 2],
      [cause, 3],
      [cause, 4],
    ],
  ],
  [
    'a lost revocation that did not take place is the only cause of a later refusal',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-12  lost
      s1 visit a1    13-14  authenticated
      s1 visit a1    15-16  refused
      s1 visit! a1   17-18  refused
      s1 refresh! r1 19-20  refused
    `,
    [
      [cause, 4],
      [cause, 5],
      [cause, 6],
    ],
  ],
  [
    'an old token that was granted within its grace window is the only cause of a later refusal',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 refresh r1  38-45  granted r2 a3
      s1 visit! a3   51-52  refused
      s1 refresh! r2 53-54  refused
    `,
    [
      [cause, 4],
      [cause, 5],
    ],
  ],
  [
    'a session outlives the end of all sessions of its user',
    `
      s1 create       0-5   granted r1 a1
      u1 revoke-all  10-20  done
      s1 visit! a1   21-22  authenticated
      s1 refresh! r1 23-24  refused
    `,
    [[ends, 2, 3]],
  ],
  [
    'the end of the sessions of another user ends a session',
    `
      s1 login        0-5   granted r1 a1
      u2 revoke-all  10-20  done
      s1 visit! a1   21-22  refused
      s1 refresh! r1 23-24  refused
    `,
    [
      [cause, 3],
      [cause, 4],
    ],
  ],
  [
    'a login with an old password opens a session that outlives the change',
    `
      s1 login        8-20  granted r1 a1
      u1 change-password 9-10 done
      s1 visit! a1   21-22  authenticated
      s1 refresh! r1 23-24  granted r2 a2
    `,
    [[password, 2, 4]],
  ],
  [
    'a login with the right password is refused',
    `
      u1 change-password 1-2 done
      s1 login        8-20  refused
    `,
    [[cause, 2]],
  ],
  [
    'a refresh returns 500',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  500
      s1 visit! a1   13-14  authenticated
      s1 refresh! r1 15-16  granted r2 a2
    `,
    [[contract, 2]],
  ],
  [
    'no final read receives a response',
    `
      s1 login        0-5   granted r1 a1
      s1 refresh r1  10-12  granted r2 a2
      s1 visit! a2   13-14  lost
    `,
    [[final, 3]],
  ],
  [
    'a final read is too early',
    `
      s1 login        0-5   granted r1 a1
      s1 revoke a1   10-20  revoked
      s1 visit! a1   19-22  refused
      s1 refresh! r1 23-24  refused
    `,
    [[final, 3, 4]],
  ],
]
