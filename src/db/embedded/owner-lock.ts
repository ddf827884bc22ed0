import { readdir, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasErrorCode, randomName } from './files.ts'

/**
 * The lock of the one Svc process that owns a cluster or a folder. The owner listens on a socket beside it. The kernel
 * closes the socket when the process dies, so a lock never outlives its owner.
 */
export type OwnerLock = { release(): Promise<void> }

type Answer = 'gone' | { state: string; pid: string }

const prefix = 'owner-'
const answerTimeoutMs = 1_000
const rivalTimeoutMs = 10_000

/**
 * Takes the lock of `owned`, such as "The database in /srv/svc". Waits up to `patienceMs` for an owner that is about to
 * end. Each contender first publishes a socket under a unique name and then looks for others: of two, the
 * later one always sees the earlier one. Unique names make the removal of a dead socket safe.
 */
export async function takeOwnership(socketFolder: string, owned: string, patienceMs = 0): Promise<OwnerLock> {
  let state: 'claiming' | 'holding' = 'claiming'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(`${state} ${process.pid}\n`)
  })
  const name = `${prefix}${randomName()}`
  // The rename publishes it: between creation and `listen` a socket looks dead to others.
  await listen(server, join(socketFolder, `new-${name}`))
  await rename(join(socketFolder, `new-${name}`), join(socketFolder, name))
  server.unref()

  const release = async () => {
    await rm(join(socketFolder, name), { force: true })
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  try {
    for (const other of await readdir(socketFolder)) {
      if (other.startsWith(prefix) && other !== name)
        await outlast(join(socketFolder, other), { otherYields: other > name, owned, patienceMs })
    }
  } catch (error) {
    await release()
    throw error
  }
  state = 'holding'
  return { release }
}

/** Returns when the other owner is gone, throws when it stays. While both are claiming, the lower name wins. */
async function outlast(
  path: string,
  { otherYields, owned, patienceMs }: { otherYields: boolean; owned: string; patienceMs: number },
): Promise<void> {
  const since = Date.now()
  for (;;) {
    const answer = await ask(path)
    if (answer === 'gone') return rm(path, { force: true })
    const timeoutMs = answer.state !== 'claiming' ? patienceMs : otherYields ? rivalTimeoutMs : 0
    if (Date.now() - since >= timeoutMs) {
      throw new Error(
        `${owned} is in use by another Svc process (${answer.pid}). ` +
          'Stop that one first, or give this one a data folder of its own.',
      )
    }
    await sleep(20)
  }
}

/** Asks the other process for its state. Silence means that it is alive but stopped or very busy. */
function ask(path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(path)
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      const [state, pid] = text.trim().split(' ')
      resolve({ state: state || 'silent', pid: pid ? `pid ${pid}` : 'pid unknown' })
    }
    const timer = setTimeout(finish, answerTimeoutMs)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', finish)
    socket.on('error', (error) => {
      clearTimeout(timer)
      if (hasErrorCode(error, 'ECONNREFUSED', 'ENOENT')) resolve('gone')
      else if (hasErrorCode(error, 'ECONNRESET', 'EPIPE', 'EAGAIN')) finish()
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
