import type { Texts } from '../en.ts'

const phone = 'Saisissez le numéro de téléphone avec l’indicatif du pays, par exemple +1 415 555 0123'
const website = 'Saisissez une adresse web telle que https://example.com'
const email = 'Saisissez une adresse e-mail telle que nom@example.com'
const number = '{field} : saisissez un nombre, par exemple 25 ou 12.5'
const choose = '{field} : choisissez dans la liste'
const fill = 'Veuillez renseigner : {field}'

export const problems: Texts['problems'] = {
  byName: { phoneNumber: phone, website, email, ownershipPercentage: number },
  byRule: {
    REQUIRED: fill,
    TOO_LONG: '{field} : veuillez raccourcir la réponse',
    'TOO_LONG: {demand}': '{field} : veuillez raccourcir la réponse à {characters}',
    TOO_SHORT: '{field} : veuillez saisir au moins {characters}',
    DATE: '{field} : saisissez une date réelle, avec jour, mois et année à quatre chiffres',
    POSTAL_CODE: '{field} : dans ce pays, il a la forme {demand}',
    POSTAL_CODE_LETTERS: '{field} : utilisez au plus 20 lettres, chiffres, espaces et traits d’union',
    REGION: choose,
    NATIONAL_ID: '{field} : indiquez ensemble le pays, le type et le numéro, ou laissez les trois vides',
    COUNTRY: '{field} : choisissez un pays dans la liste',
    PHONE_NUMBER: phone,
    WEB_ADDRESS: website,
    EMAIL: email,
    NUMBER: number,
    CHOICE: choose,
  },
  invalid: '{field} : cette réponse ne peut pas être acceptée. Veuillez la vérifier',
  impossibleDate: '{field} : cette date ne peut pas être exacte. Vérifiez le jour, le mois et l’année',
  refused:
    '{field} : votre dernière modification n’a pas pu être enregistrée. Vérifiez ce qui figure ici et saisissez-la à nouveau si nécessaire',
  missing: { fill, choose: 'Veuillez choisir : {field}', add: 'Veuillez ajouter : {field}' },
  noControlPerson:
    'Une personne doit contrôler l’entreprise, par exemple en tant que dirigeante : modifiez cette personne et répondez « Oui »',
}

export const refusedFiles: Texts['files']['refused'] = {
  FILE_SIZE: 'Le fichier est trop petit ou trop volumineux : il doit faire de 100 Ko à 10 Mo. Choisissez-en un autre.',
  FILE_TYPE: 'Ce type de fichier ne peut pas être utilisé. Choisissez une photo (JPG, PNG, HEIC, WebP) ou un PDF.',
  FILE_DAMAGED: 'Le fichier est endommagé et ne peut pas être ouvert. Choisissez-en un autre.',
  FILE_PIXELS: 'L’image est trop petite ou trop grande. Prenez une nouvelle photo du document.',
  FILE_ANIMATED: 'L’image est animée. Choisissez une image fixe.',
  FILE_PASSWORD: 'Le fichier est protégé par un mot de passe. Retirez-le ou prenez le document en photo.',
  FILE_PAGES: 'Le fichier comporte trop de pages : 50 au maximum. Choisissez-en un plus court.',
  FILE_CONTENT:
    'Le fichier contient des éléments que nous ne pouvons pas accepter. Imprimez-le dans un nouveau PDF ou prenez le document en photo.',
}
