/**
 * Imports a package that may not be here. Not compiled: a bundler heeds what it is told only where it stands in the import
 * itself, and would else look for the package when it builds a program that never wants it.
 */
export function importPackage(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ name);
}
