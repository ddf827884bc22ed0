import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { makeFolder } from '../runner/folder.ts'

/** A line of sdn.csv. */
export function sdnLine(number: number, name: string, type = 'individual', remarks = '-0- '): string {
  const empty = Array(7).fill('-0- ')
  return [number, `"${name}"`, type === '' ? '-0- ' : `"${type}"`, '"SDGT"', ...empty, `"${remarks}"`].join(',')
}

export function altLine(number: number, name: string): string {
  return `${number},${number * 10},"aka","${name}",-0- `
}

/** A folder as an operator downloads it: SDN.CSV and ALT.CSV with CRLF and the control-Z at the end. */
export async function makeListFolder(sdn: readonly string[], alt: readonly string[] = []): Promise<string> {
  const { folder, remove } = await makeFolder('svc watch list ')
  onTestFinished(remove)
  await writeFile(path.join(folder, 'SDN.CSV'), `${sdn.join('\r\n')}\r\n\u001A`)
  await writeFile(path.join(folder, 'ALT.CSV'), `${alt.join('\r\n')}\r\n\u001A`)
  return folder
}
