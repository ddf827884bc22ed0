import type { ComponentChildren, FunctionComponent } from 'preact'
import { labelOf } from '../model/labels.ts'
import { readText } from '../model/paths.ts'
import { isRequired } from '../model/problems.ts'
import { byPath, nameOf, texts } from '../texts/words.ts'
import { useFields } from './context.ts'
import { DateInput } from './date-input.tsx'
import {
  CheckList,
  ChoiceInput,
  type ControlProps,
  HiddenNumber,
  NumberInput,
  SuggestInput,
  TextInput,
  YesNo,
} from './inputs.tsx'
import { kindOf } from './kinds.ts'

export type FieldProps = { path: string; problem?: string | undefined; note?: string | undefined }

/** A control for files, with the name of its field and what stands around it. */
export type FileControl = FunctionComponent<ControlProps & { name: ComponentChildren; around: ComponentChildren }>

/** The element that a link of the error summary points to. */
export function idOf(path: string): string {
  return `f-${path.replaceAll(/[^A-Za-z0-9]+/g, '-')}`
}

/** One question: its label, its hint, its problem, and the control for its kind. Only some forms have files. */
export function Question({ path, problem, note, File }: FieldProps & { File?: FileControl }) {
  const { store, catalog } = useFields()
  const { state } = store
  const kind = kindOf(path, catalog, state.values)
  const id = idOf(path)
  const hint = hintOf(path, state.values, catalog.postalCodes.examples)
  const label = labelOf(path, state.values)
  const isOptional = !isRequired(state, path)
  const describedBy =
    [hint && `${id}-hint`, note && `${id}-note`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined
  const control = { path, id, describedBy, isInvalid: problem !== undefined, isRequired: !isOptional, label }
  const isGroup = kind === 'date' || kind === 'yesNo' || kind === 'checks'
  const name = (
    <>
      {label} {isOptional && <span class="quiet">{texts.optional}</span>}
    </>
  )
  const around = (
    <>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {note && (
        <p class="note" id={`${id}-note`}>
          {note}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </>
  )
  if (kind === 'file' && File) return <File {...control} name={name} around={around} />
  return isGroup ? (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={describedBy}>
      <legend>{name}</legend>
      {around}
      {kind === 'date' && <DateInput {...control} />}
      {kind === 'yesNo' && <YesNo {...control} />}
      {kind === 'checks' && <CheckList {...control} />}
    </fieldset>
  ) : (
    <div class="field">
      <label for={id}>{name}</label>
      {around}
      {controlOf(kind, control)}
    </div>
  )
}

function controlOf(kind: string, control: ControlProps): ComponentChildren {
  switch (kind) {
    case 'choice':
      return <ChoiceInput {...control} />
    case 'suggest':
      return <SuggestInput {...control} />
    case 'number':
      return <NumberInput {...control} />
    case 'hidden number':
      return <HiddenNumber {...control} />
    default:
      return <TextInput {...control} kind={kind} />
  }
}

function hintOf(path: string, values: unknown, examples: Readonly<Record<string, string>>): string | undefined {
  const name = nameOf(path)
  if (name === 'postalCode') {
    const example = examples[readText(values, path.replace(/postalCode$/, 'countryCode'))]
    return example && texts.postalHint(example)
  }
  return byPath(texts.bank.hints, path) ?? byPath(texts.hints, path)
}
