import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useForm } from '../fields/context.ts'
import type { ControlProps } from '../fields/inputs.tsx'
import { ApiError } from '../model/api.ts'
import type { FileTask, PendingFile } from '../model/pending-files.ts'
import { sayRefusedFile } from '../model/refusals.ts'
import { nameOf, texts } from '../texts/words.ts'
import { Buttons, type Stage, StageView, Uploaded } from './file-stages.tsx'
import { CannotUse } from './limits.ts'
import { CannotLoad } from './load.ts'
import { type PreparedFile, prepareFile } from './prepare.ts'
import { type UploadProgress, uploadFile } from './upload.ts'

type Props = ControlProps & { name: ComponentChildren; around: ComponentChildren }

/** Asks for a file: by a button, by dropping it, or with the camera. Shows it before it is sent. */
export function FileField({ path, id, label, describedBy, isInvalid, name, around }: Props) {
  const { store } = useForm()
  const stage = store.files.at(path) ?? idle
  const [first] = useState(stage.at)
  const [preview, setPreview] = usePreview()
  const [isOver, setOver] = useState(false)
  const file = store.state.files[path]
  const isIdle = stage.at === 'idle' || stage.at === 'failed'

  const send = async (prepared: PreparedFile) => {
    await store.files.begin(path, justBegun, (task) => sendFile(store, task, prepared))
    if (!store.files.at(path) && prepared.isPicture) setPreview(prepared.blob)
  }
  const take = async (chosen: File | undefined, fromPage = 1) => {
    if (!chosen) return
    // The document keeps its place from now on, also when another one is added before the picture is sent.
    ensureTypeOf(store, path)
    await store.files.begin(path, { at: 'preparing' }, (task) => takeFile(store, task, chosen, fromPage))
    // A file that is no picture is sent without a look.
    if (!store.files.at(path)) setPreview(undefined)
  }
  const remove = async () => {
    store.set(path, undefined)
    await store.flush()
    setPreview(undefined)
    store.files.drop(path)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    if (isIdle || stage.at === 'looking') void take(event.dataTransfer?.files[0])
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const area = useKeptFocus(stage.at, file !== undefined)
  return (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={describedBy} aria-invalid={isInvalid || undefined}>
      <legend>{name}</legend>
      {around}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button below does the same for keyboards */}
      <div
        class={`drop${isOver ? ' over' : ''}`}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        ref={area}
      >
        <StageView
          stage={stage}
          label={label}
          isOld={first === 'looking'}
          onUse={send}
          onCancel={() => store.files.drop(path)}
          onPages={take}
        />
        {stage.at === 'idle' && file && <Uploaded label={label} isNew={file.isNew} preview={preview} />}
        {isIdle && <Buttons id={id} label={label} hasFile={file !== undefined} onTake={take} onRemove={remove} />}
      </div>
    </fieldset>
  )
}

type Store = ReturnType<typeof useForm>['store']

const idle: Stage = { at: 'idle' }
const justBegun: PendingFile = { at: 'uploading', share: 0, isRetrying: false }

/** Prepares a file. A picture then waits for the customer's look; another file is sent. */
async function takeFile(
  store: Store,
  task: FileTask,
  chosen: File,
  fromPage: number,
): Promise<PendingFile | undefined> {
  try {
    const prepared = await prepareFile(chosen, fromPage)
    if (prepared.isPicture) return { at: 'looking', prepared, chosen, url: URL.createObjectURL(prepared.blob) }
    return await sendFile(store, task, prepared)
  } catch (error) {
    if (error instanceof CannotLoad)
      return { at: 'failed', message: texts.files.notLoaded, unprepared: { chosen, fromPage } }
    return { at: 'failed', message: error instanceof CannotUse ? error.message : texts.files.unreadable }
  }
}

/** Sends a file after the answers that are not saved yet: one of them may set what kind of document it belongs to. */
async function sendFile(store: Store, task: FileTask, prepared: PreparedFile): Promise<PendingFile | undefined> {
  task.show(justBegun)
  try {
    ensureTypeOf(store, task.field)
    await store.flush()
    const progress = (done: UploadProgress) => task.show({ at: 'uploading', ...done })
    if (task.signal.aborted) return undefined
    // The server may not know yet that an item was removed: the place would be that of another item.
    if (store.saveStatus !== 'saved') return { at: 'failed', message: texts.files.failed, prepared }
    const place = { field: task.field, moves: store.state.moves }
    store.accept(await uploadFile(place, prepared.blob, progress, task.signal))
    return undefined
  } catch (error) {
    const isRefused = error instanceof ApiError && [400, 413, 415].includes(error.status)
    return { at: 'failed', message: sayRefusedFile(error), ...(isRefused ? {} : { prepared }) }
  }
}

/** The picture that was sent from this page, until another one is chosen. */
function usePreview(): [preview: string | undefined, setPreview: (picture: Blob | undefined) => void] {
  const [picture, setPicture] = useState<Blob>()
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!picture) return setUrl(undefined)
    const made = URL.createObjectURL(picture)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [picture])
  return [url, setPicture]
}

/** Keeps the focus in the field when the button that had it goes away: the next button takes it. */
function useKeptFocus(stage: Stage['at'], hasFile: boolean) {
  const area = useRef<HTMLDivElement>(null)
  const hadFocus = useRef(false)
  hadFocus.current ||= area.current?.contains(document.activeElement) ?? false
  useEffect(() => {
    if (!hadFocus.current || stage === 'preparing' || stage === 'uploading') return
    hadFocus.current = false
    if (document.activeElement === document.body) area.current?.querySelector<HTMLElement>('button')?.focus()
  }, [stage, hasFile])
  return area
}

/** Sets what kind of document a file belongs to, before its first answer. */
function ensureTypeOf(store: Store, path: string): void {
  const document = path.slice(0, -(nameOf(path).length + 1))
  const isProof = nameOf(path) === 'proofOfAddressImage'
  if (document.includes('.documents[')) store.ensureType(document, isProof ? 'PROOF_OF_ADDRESS' : 'GOVERNMENT_ID')
}
