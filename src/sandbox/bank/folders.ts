import { mkdir, open, readdir, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { isUuid, newId } from '../../lib/ids.ts'

/** A file that the bank has taken out of the folder of outgoing files. */
export type TakenFile = { deliveryId: string; name: string; path: string }

export type BankFolders = Awaited<ReturnType<typeof openBankFolders>>

/** The bank's view of the shared folder: it takes files out of outgoing/, and puts files into incoming/. */
export async function openBankFolders(folder: string, leaseMs: number) {
  const [outgoing, incoming] = [path.join(folder, 'outgoing'), path.join(folder, 'incoming')]
  const [taken, received] = [path.join(folder, 'sandbox-bank', 'taken'), path.join(folder, 'sandbox-bank', 'received')]
  for (const each of [outgoing, incoming, taken, received]) await mkdir(each, { recursive: true, mode: 0o700 })
  return {
    /** True when files wait in outgoing/, or a worker has taken some and not handled them yet. */
    hasFiles: async (): Promise<boolean> => (await Promise.all([outgoing, taken].map(listFiles))).flat().length > 0,

    /**
     * Takes the files that wait in outgoing/, and those of a worker that died. The rename decides between two workers,
     * and the name of a taken file is unique: a second copy of a file is another delivery.
     */
    takeFiles: async (): Promise<TakenFile[]> => {
      const found: TakenFile[] = []
      for (const name of await listFiles(outgoing)) {
        const deliveryId = newId()
        const to = path.join(taken, `${deliveryId} ${name}`)
        if (await moveIfThere(path.join(outgoing, name), to)) found.push({ deliveryId, name, path: to })
      }
      const isOurs = new Set(found.map((file) => path.basename(file.path)))
      for (const base of await listFiles(taken)) {
        const [deliveryId = '', ...rest] = base.split(' ')
        const file = { deliveryId, name: rest.join(' '), path: path.join(taken, base) }
        if (!isOurs.has(base) && isUuid(deliveryId) && (await isAbandoned(file.path, leaseMs))) found.push(file)
      }
      return found
    },

    /** Keeps a file that the bank has handled. */
    keep: async (file: TakenFile): Promise<void> => {
      await moveIfThere(file.path, path.join(received, path.basename(file.path)))
    },

    /** Puts a whole file into incoming/: readers never see a part of it. */
    deliver: async (name: string, content: Buffer): Promise<void> => {
      const unfinished = path.join(incoming, `.${newId()}.tmp`)
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(content)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(unfinished, path.join(incoming, name))
    },
  }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.') && !entry.name.endsWith('.tmp'))
    .map(({ name }) => name)
    .sort()
}

/** False when another worker has moved the file first. */
async function moveIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** A rename sets the change time, so a file that lies there longer than a lease belongs to a dead worker. */
async function isAbandoned(file: string, leaseMs: number): Promise<boolean> {
  try {
    return Date.now() - (await stat(file)).ctimeMs > leaseMs
  } catch {
    return false
  }
}
