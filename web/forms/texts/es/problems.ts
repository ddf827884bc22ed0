import type { Texts } from '../en.ts'

const phone = 'Introduzca el número de teléfono con el prefijo del país, como +1 415 555 0123'
const website = 'Introduzca una dirección web como https://example.com'
const email = 'Introduzca un correo electrónico como nombre@example.com'
const number = '{field}: introduzca un número, como 25 o 12.5'
const choose = '{field}: elija una opción de la lista'
const fill = 'Complete: {field}'

export const problems: Texts['problems'] = {
  byName: { phoneNumber: phone, website, email, ownershipPercentage: number },
  byRule: {
    REQUIRED: fill,
    TOO_LONG: '{field}: acorte la respuesta',
    'TOO_LONG: {demand}': '{field}: acorte la respuesta a {characters}',
    TOO_SHORT: '{field}: introduzca al menos {characters}',
    DATE: '{field}: introduzca una fecha real, con día, mes y año de cuatro cifras',
    POSTAL_CODE: '{field}: en este país tiene la forma {demand}',
    POSTAL_CODE_LETTERS: '{field}: use como máximo 20 letras, cifras, espacios y guiones',
    REGION: choose,
    NATIONAL_ID: '{field}: indique país, tipo y número juntos, o deje los tres vacíos',
    COUNTRY: '{field}: elija un país de la lista',
    PHONE_NUMBER: phone,
    WEB_ADDRESS: website,
    EMAIL: email,
    NUMBER: number,
    CHOICE: choose,
  },
  invalid: '{field}: esta respuesta no se puede aceptar. Revísela',
  impossibleDate: '{field}: esta fecha no puede ser correcta. Revise el día, el mes y el año',
  refused:
    '{field}: no se pudo guardar su último cambio. Revise lo que figura ahora e introdúzcalo de nuevo si hace falta',
  missing: { fill, choose: 'Elija: {field}', add: 'Añada: {field}' },
  noControlPerson:
    'Una persona debe controlar la empresa, por ejemplo como administradora: edite esa persona y responda «Sí» allí',
}

export const refusedFiles: Texts['files']['refused'] = {
  FILE_SIZE: 'El archivo es demasiado pequeño o demasiado grande: debe tener entre 100 KB y 10 MB. Elija otro.',
  FILE_TYPE: 'Este tipo de archivo no se puede usar. Elija una foto (JPG, PNG, HEIC, WebP) o un PDF.',
  FILE_DAMAGED: 'El archivo está dañado y no se puede abrir. Elija otro.',
  FILE_PIXELS: 'La imagen es demasiado pequeña o demasiado grande. Haga otra foto del documento.',
  FILE_ANIMATED: 'La imagen es animada. Elija una fija.',
  FILE_PASSWORD: 'El archivo está protegido con contraseña. Quite la contraseña o haga una foto del documento.',
  FILE_PAGES: 'El archivo tiene demasiadas páginas: el máximo es 50. Elija uno más corto.',
  FILE_CONTENT:
    'El archivo contiene partes que no podemos aceptar. Imprímalo en un PDF nuevo o haga una foto del documento.',
}
