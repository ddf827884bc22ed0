import { readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasCode, randomName } from './files.ts'

/**
 * One Svc process owns a cluster. The owner listens on a socket beside it: the kernel stops answering
 * for a process the moment it dies, however it dies, so a lock can be neither lost nor left behind.
 */
export type OwnerLock = { release(): Promise<void> }

type Answer = 'gone' | { state: string; pid: string }

const prefix = 'owner-'
const answerTimeoutMs = 1_000
const rivalTimeoutMs = 10_000

/**
 * Each contender publishes a socket under a name used once, and only then looks for others. Of two, the later
 * one is sure to see the earlier, and removing a dead one can never remove a living one that took its name.
 */
export async function takeOwnership(socketFolder: string, dataFolder: string): Promise<OwnerLock> {
  let state: 'claiming' | 'holding' = 'claiming'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(`${state} ${process.pid}\n`)
  })
  const name = `${prefix}${randomName()}`
  // Published by renaming: between its creation and `listen` a socket looks dead to others.
  await listen(server, join(socketFolder, `new-${name}`))
  await rename(join(socketFolder, `new-${name}`), join(socketFolder, name))
  server.unref()

  const release = async () => {
    await rm(join(socketFolder, name), { force: true })
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  try {
    for (const other of await readdir(socketFolder)) {
      if (other.startsWith(prefix) && other !== name) await outlast(join(socketFolder, other), other > name, dataFolder)
    }
  } catch (error) {
    await release()
    throw error
  }
  state = 'holding'
  return { release }
}

/** Returns when the other owner is gone, throws when it stays. Of two that are both still claiming, the lower name wins. */
async function outlast(path: string, otherYields: boolean, dataFolder: string): Promise<void> {
  const deadline = Date.now() + rivalTimeoutMs
  for (;;) {
    const answer = await ask(path)
    if (answer === 'gone') return rm(path, { force: true })
    if (answer.state !== 'claiming' || !otherYields || Date.now() > deadline) {
      throw new Error(
        `The database in ${dataFolder} is in use by another Svc process (${answer.pid}). ` +
          'Stop that one first, or give this one a data folder of its own.',
      )
    }
    await sleep(20)
  }
}

/** Silence is an answer too: a stopped or very busy process is still alive. */
function ask(path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      const [state, pid] = text.trim().split(' ')
      resolve({ state: state || 'silent', pid: pid ? `pid ${pid}` : 'it does not say which' })
    }
    const timer = setTimeout(finish, answerTimeoutMs)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', finish)
    socket.on('error', (error) => {
      clearTimeout(timer)
      if (hasCode(error, 'ECONNREFUSED', 'ENOENT')) resolve('gone')
      else if (hasCode(error, 'ECONNRESET', 'EPIPE', 'EAGAIN')) finish()
      else reject(error)
    })
  })
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      server.on('error', () => {})
      resolve()
    })
  })
}
