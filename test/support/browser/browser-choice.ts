/** The facts about a machine that decide which browser its tests use. */
export type Machine = {
  /** Such as linux-arm64. */
  platform: string
  /** The path in CHROME_PATH. */
  named: string | undefined
  /** Whether the pinned package is installed and brings a browser for this platform. */
  hasPackage: boolean
  /** The machine's own Chromium or Chrome. */
  installed: string | undefined
  /** ID of /etc/os-release: debian, ubuntu, alpine; undefined without that file. */
  system: string | undefined
  isRoot: boolean
}

export type BrowserChoice =
  | { use: 'path'; executablePath: string }
  | { use: 'package' }
  | { use: 'apt'; why: string }
  | { use: 'none'; why: string }

const aptSystems = ['debian', 'ubuntu']

/** The pinned browser where it exists, so that all developers see the same; elsewhere the machine's own. */
export function chooseBrowser(machine: Machine): BrowserChoice {
  if (machine.named) return { use: 'path', executablePath: machine.named }
  if (machine.hasPackage) return { use: 'package' }
  if (machine.installed) return { use: 'path', executablePath: machine.installed }
  const why = `no package brings a browser for ${machine.platform}, and this machine has no Chromium or Chrome`
  const hasApt = machine.system !== undefined && aptSystems.includes(machine.system)
  if (hasApt && machine.isRoot) return { use: 'apt', why }
  return { use: 'none', why: `${why}. ${remedy}` }
}

export const remedy = 'Install Chromium, or name a browser in CHROME_PATH'
